import { MAX_FIRST_LINES } from "../../../domain/emissions/questions.js";
import { readUnit } from "../../../domain/ghg/units.js";
import { foldText } from "../../../domain/texts/fold.js";
import { regionCodeOf } from "../../../regions/regions.js";
import { quote } from "../problems.js";
import { EXPECTED_REGION } from "../values/region.js";
import { copyText } from "./memoize.js";
import type { Row } from "./row.js";

/** Maximum number of distinct activities in a file. Each may need a search. */
export const MAX_DISTINCT = 2_000;
const MAX_REMEMBERED = 10_000;

/** Fields that identify the emission factor of a row, trimmed; empty if the row has none. */
export const NAMING_FIELDS = ["factor_id", "source_factor_id", "gas", "activity", "detail"] as const;
export type Naming = Readonly<Record<(typeof NAMING_FIELDS)[number], string>>;

/** An activity that rows of a file share. */
export interface DistinctActivity {
  readonly naming: Naming;
  /** Unit in the first of the rows. */
  readonly unit: string;
  /** Code of the region; null if neither the row nor its facility has one. */
  readonly region: string | null;
  /** Code of a facility that the file creates. Its country is known only at the end of the file. */
  readonly facility: string | null;
  rows: number;
  /** The first three. */
  readonly firstLines: number[];
  firstYear: number;
  lastYear: number;
}

/** An activity of a row. */
export interface FoundActivity {
  readonly index: number;
  /** The row's activity as one string, the same each time the file is read. */
  readonly identity: string;
}

/** Numbers the distinct activities of a file. */
export interface DistinctActivities {
  readonly list: readonly DistinctActivity[];
  /** Finds the activity of a row. Adds problems if it is invalid, and may then return undefined. */
  find(row: Row, facility: FacilityPlace | undefined): FoundActivity | undefined;
  /** Counts a valid row, and extends the activity's years to `year`. */
  count(index: number, line: number, year: number): void;
}

/** A facility's country, or the code of one that the file creates. */
export type FacilityPlace = { readonly country: string | null } | { readonly created: string };

export function createDistinctActivities(): DistinctActivities {
  const list: DistinctActivity[] = [];
  const indexes = new Map<string, number>();
  const remembered = new Map<string, FoundActivity>();

  const add = (naming: Naming, unit: string, region: string | null, facility: string | null) => {
    const { factor_id, source_factor_id, gas, activity, detail } = naming;
    const names = [factor_id.toLowerCase(), source_factor_id, gas, foldText(activity), foldText(detail)];
    const key = JSON.stringify([...names, readUnit(unit).name, region, facility]);
    const known = indexes.get(key);
    if (known !== undefined) return known;
    if (list.length === MAX_DISTINCT) return undefined;
    indexes.set(key, list.length);
    const copied = Object.fromEntries(
      NAMING_FIELDS.map((field) => [field, copyText(naming[field])]),
    ) as Naming;
    list.push({
      naming: copied,
      unit: copyText(unit),
      region,
      facility,
      rows: 0,
      firstLines: [],
      firstYear: Number.POSITIVE_INFINITY,
      lastYear: Number.NEGATIVE_INFINITY,
    });
    return list.length - 1;
  };

  return {
    list,
    find(row, place) {
      const texts = NAMING_FIELDS.map((field) => row.textOf(field));
      const [unit, region] = [row.textOf("unit"), row.textOf("region")];
      const facility = place && "created" in place ? place.created : null;
      const country = place && "country" in place ? place.country : null;
      const raw = [...texts, unit, region, region === "" ? (country ?? facility ?? "") : ""].join("\0");
      const found = remembered.get(raw);
      if (found) return found;
      for (const field of [...NAMING_FIELDS, "unit", "region"] as const) row.readText(field);
      const code = region === "" ? country : regionCodeOf(region);
      if (region !== "" && code === null) {
        row.refuse("region", EXPECTED_REGION, quote(region));
        return undefined;
      }
      const naming = Object.fromEntries(NAMING_FIELDS.map((field, at) => [field, texts[at] ?? ""])) as Naming;
      const index = add(naming, unit, code, code === null ? facility : null);
      if (index === undefined) {
        row.refuse("activity", `at most ${MAX_DISTINCT} different activities in a file`, "one more");
        return undefined;
      }
      const own = region === "" ? null : code;
      const result = { index, identity: JSON.stringify([...texts, readUnit(unit).name, own]) };
      if (remembered.size > MAX_REMEMBERED) remembered.clear();
      remembered.set(copyText(raw), result);
      return result;
    },
    count(index, line, year) {
      const activity = list[index];
      if (!activity) return;
      activity.rows += 1;
      if (activity.firstLines.length < MAX_FIRST_LINES) activity.firstLines.push(line);
      activity.firstYear = Math.min(activity.firstYear, year);
      activity.lastYear = Math.max(activity.lastYear, year);
    },
  };
}
