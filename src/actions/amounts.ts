import { type DecimalLimits, readDecimal } from "../domain/amounts.js";
import { InvalidInput, type Subject } from "./action-error.js";

/** A decimal of any form that is not negative, as a plain decimal. Throws InvalidInput for more digits than `limits` allows. */
export function readAmount(subject: Subject, field: string, text: string, limits: DecimalLimits): string {
  const decimal = readDecimal(text, limits);
  if (decimal !== undefined && !decimal.startsWith("-")) return decimal;
  const { integerDigits, decimals } = limits;
  const expected = `must be 0 to 10^${integerDigits} with at most ${decimals} decimals`;
  throw new InvalidInput(subject, field, `${expected} (got ${text})`);
}
