import { type DecimalLimits, readDecimal } from "../domain/amounts.js";
import { isCurrency } from "../files/bundle/values.js";
import { InvalidInput, type Subject } from "./action-error.js";

/**
 * Reads a non-negative decimal of any form as a plain decimal. Throws InvalidInput for more digits than `limits`
 * allows.
 */
export function readAmount(subject: Subject, field: string, text: string, limits: DecimalLimits): string {
  const decimal = readDecimal(text, limits);
  if (decimal !== undefined && !decimal.startsWith("-")) return decimal;
  const { integerDigits, decimals } = limits;
  const expected = `must be 0 to 10^${integerDigits} with at most ${decimals} decimals`;
  throw new InvalidInput(subject, field, `${expected} (got ${text})`);
}

/** Returns `currency` if it is an ISO 4217 code. Throws InvalidInput otherwise. */
export function readCurrency(subject: Subject, currency: string): string {
  if (isCurrency(currency)) return currency;
  throw new InvalidInput(subject, "currency", `must be an ISO 4217 code, such as EUR (got ${currency})`);
}
