import type { FileAmount } from "../../../domain/emissions/record-parts.js";
import { kwhOf, RECORD_ENERGY, readKwh } from "../../../domain/ghg/energy.js";
import type { RowRules } from "../csv-options.js";
import { quote } from "../problems.js";
import type { ColumnNumbers } from "../values/numbers.js";
import { describeAmount, readAmount } from "../values/parse-amount.js";
import type { Row } from "./row.js";

/**
 * Reads a row's amount other than tonnes as a plain decimal; undefined if it is empty. Adds a problem if it is invalid,
 * or is an energy that differs from the row's activity.
 */
export function readFileAmount(
  row: Row,
  field: FileAmount,
  rules: RowRules,
  numbers: ColumnNumbers | undefined,
  activity: { readonly amount: string } | undefined,
): string | undefined {
  const text = row.textOf(field);
  if (text === "") return undefined;
  const number = numbers?.read(field, text);
  if (number && "expected" in number) {
    row.refuse(field, number.expected, number.got);
    return undefined;
  }
  const plain = number?.plain ?? text;
  const amount = readAmount(plain, rules)?.tonnes;
  if (amount === undefined) {
    const { expected, suggestions } = describeAmount(plain, rules);
    row.refuse(field, expected, quote(text), suggestions);
  } else if (field === "energy_kwh") {
    if (readKwh(amount) === undefined) row.refuse(field, RECORD_ENERGY, quote(text));
    const derived = activity ? kwhOf({ amount: activity.amount, unit: row.textOf("unit") }) : null;
    if (derived !== null && derived !== amount)
      row.refuse(field, `${derived} as calculated from the activity, or nothing`, quote(text));
  }
  return amount;
}
