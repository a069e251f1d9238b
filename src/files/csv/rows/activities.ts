import { describeLimits, readWithin } from "../../../domain/decimals.js";
import type { EmissionScope } from "../../../domain/enums.js";
import type { RowRules } from "../csv-options.js";
import { quote } from "../problems.js";
import type { ColumnNumbers } from "../values/numbers.js";
import { describeAmount, plainNumber } from "../values/parse-amount.js";
import { readUnit } from "../values/read-unit.js";
import { EXPECTED_SCOPE, readScope } from "../values/scope.js";
import type { DistinctActivities, FacilityPlace, FoundActivity } from "./distinct-activities.js";
import { memoize } from "./memoize.js";
import type { Row } from "./row.js";

/** Limits of an activity's amount, as in requests. */
const AMOUNT = { exponent: 15, decimals: 12 };

/** The amount of an activity. Its emissions are calculated once the emission factor is known. */
export interface ActivityAmount extends FoundActivity {
  /** A plain decimal, in the unit of the activity. */
  readonly amount: string;
  /** Undefined for the scope of the factor. */
  readonly scope: EmissionScope | undefined;
}

/** Returns the content of a row in a file with activities: tonnes, an activity, both or neither. */
export function kindOfRow(row: Row): "tonnes" | "activity" | "both" | "neither" {
  const hasTonnes = row.textOf("co2e_tonnes") !== "";
  if (row.textOf("amount") === "") return hasTonnes ? "tonnes" : "neither";
  if (hasTonnes) return "both";
  return isMassOfCo2e(row.textOf("unit")) ? "tonnes" : "activity";
}

/** Returns true for `tCO2e`, `kg CO2e` and the like. */
const isMassOfCo2e = memoize((text) => /co2/i.test(text.normalize("NFKC")) && readUnit(text) !== undefined);

/** Reads the activity of a row. Adds problems if it is invalid, and may then return undefined. */
export function readActivity(
  row: Row,
  place: FacilityPlace | undefined,
  distinct: DistinctActivities,
  rules: RowRules,
  numbers: ColumnNumbers | undefined,
): ActivityAmount | undefined {
  const amount = readAmount(row, rules, numbers);
  if (row.textOf("unit") === "") row.refuse("unit", "a unit, such as kWh", "nothing");
  const isGas = row.textOf("gas") !== "";
  const isNamed =
    isGas ||
    ["factor_id", "source_factor_id", "activity"].some((field) => row.textOf(field as "activity") !== "");
  const named =
    "an activity, a gas, or the id of an emission factor; or the amount in co2e_tonnes, if it is CO2e";
  if (!isNamed) row.refuse("activity", named, "nothing");
  const written = row.textOf("scope");
  const scope = written === "" ? undefined : readScope(written);
  if (written !== "" && scope === undefined) row.refuse("scope", EXPECTED_SCOPE, quote(written));
  if (written === "" && isGas && row.textOf("activity") === "")
    row.refuse("scope", `${EXPECTED_SCOPE}, because a gas alone does not determine it`, "nothing");
  if (amount === undefined || row.textOf("unit") === "" || !isNamed) return undefined;
  const found = distinct.find(row, place);
  return found && { ...found, amount, scope };
}

function readAmount(row: Row, rules: RowRules, numbers: ColumnNumbers | undefined): string | undefined {
  const text = row.textOf("amount");
  const read = numbers?.read("amount", text);
  if (read && "expected" in read) {
    row.refuse("amount", read.expected, read.got);
    return undefined;
  }
  const plain = read ? read.plain : plainNumber(text, rules);
  const amount = plain === undefined ? undefined : readWithin(plain, AMOUNT);
  if (amount !== undefined) return amount;
  const { suggestions } = describeAmount(read?.plain ?? text, rules);
  row.refuse(
    "amount",
    describeLimits(AMOUNT),
    quote(text),
    suggestions.filter(({ round }) => round === undefined),
  );
  return undefined;
}
