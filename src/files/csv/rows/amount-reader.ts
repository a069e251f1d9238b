import type { EmissionScope } from "../../../domain/enums.js";
import type { RowRules } from "../csv-options.js";
import { type Columns, type Field, hasActivities, SCOPE_FIELDS } from "../fields.js";
import { type Problems, quote } from "../problems.js";
import type { ColumnNumbers } from "../values/numbers.js";
import { describeAmount, readAmount } from "../values/parse-amount.js";
import { EXPECTED_UNIT, readUnit, tonnesOf } from "../values/read-unit.js";
import { EXPECTED_SCOPE, readScope } from "../values/scope.js";
import { memoize } from "./memoize.js";
import type { Row } from "./row.js";
import { createTotalFinder } from "./totals.js";

interface ScopedAmount {
  readonly scope: EmissionScope;
  readonly co2e_tonnes: string;
}

export interface AmountReader {
  /** Returns the amount of a row, or one for each scope. Null if all are blank and blank amounts are skipped. */
  read(row: Row): readonly ScopedAmount[] | null;
  /** Adds a problem for each column that contains its own total. */
  refuseTotals(): void;
  /** Number of skipped blank amounts. */
  readonly skipped: number;
  /** Number of rows with a rounded amount. */
  readonly rounded: number;
}

/** Creates a reader for one file. */
export function createAmountReader(
  { sources }: Columns,
  rules: RowRules,
  problems: Problems,
  numbers: ColumnNumbers | undefined,
): AmountReader {
  const scoped = SCOPE_FIELDS.filter((field) => sources.has(field));
  const fields: readonly Field[] = scoped.length > 0 ? scoped : ["co2e_tonnes"];
  const totals = new Map((rules.keepTotals ? [] : fields).map((field) => [field, createTotalFinder()]));
  const hasUnit = sources.has("unit");
  const isMixed = hasActivities({ sources });
  const readTonnes = memoize((text) => {
    const unit = readUnit(text);
    return unit && tonnesOf(unit);
  });
  let [skipped, rounded] = [0, 0];

  const readOwnScope = (row: Row): EmissionScope | undefined => {
    const scope = readScope(row.textOf("scope"));
    if (scope === undefined) row.refuse("scope", EXPECTED_SCOPE, quote(row.textOf("scope")));
    return scope;
  };

  return {
    get skipped() {
      return skipped;
    },
    get rounded() {
      return rounded;
    },
    read(row) {
      const amounts: ScopedAmount[] = [];
      let blank = 0;
      let isRounded = false;
      const isAmount = isMixed && row.textOf("amount") !== "";
      for (const field of isAmount ? (["amount"] as const) : fields) {
        const text = row.textOf(field);
        if (text === "" && rules.skipBlank) {
          blank += 1;
          continue;
        }
        const scope =
          field === "co2e_tonnes" || field === "amount" ? readOwnScope(row) : (field as EmissionScope);
        const isInTonnes = !hasUnit || (isMixed && row.textOf("unit") === "");
        const perUnit = isInTonnes ? "1" : readTonnes(row.textOf("unit"));
        if (perUnit === undefined) {
          row.refuse("unit", EXPECTED_UNIT, quote(row.textOf("unit")));
          break;
        }
        const number = numbers?.read(field, text);
        if (number && "expected" in number) {
          row.refuse(field, number.expected, number.got);
          continue;
        }
        const plain = number?.plain ?? text;
        const amount = readAmount(plain, rules, perUnit);
        if (amount === undefined) {
          const { expected, suggestions } = describeAmount(plain, rules, perUnit);
          row.refuse(field, expected, quote(text), suggestions);
          continue;
        }
        totals.get(field)?.add(amount.tonnes, row.line);
        isRounded ||= amount.isRounded;
        if (scope !== undefined) amounts.push({ scope, co2e_tonnes: amount.tonnes });
      }
      if (isRounded) rounded += 1;
      skipped += blank;
      return blank === fields.length ? null : amounts;
    },
    refuseTotals() {
      for (const [field, finder] of totals) {
        const line = finder.find();
        if (line === undefined) continue;
        problems.add(
          line,
          sources.get(field)?.name ?? field,
          "no row with the total, which would count twice",
          "the sum of all other rows",
          [{ keepTotals: true }],
        );
      }
    },
  };
}
