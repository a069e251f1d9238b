import { type AmountLimits, describeLimits, readUpTo, readWithin } from "../domain/decimals.js";
import { isCurrency } from "../files/bundle/values.js";
import { InvalidInput, type Subject } from "./action-error.js";

/** Reads an amount in any notation as a plain decimal. Throws InvalidInput for anything outside its limits. */
export function readAmount(subject: Subject, field: string, text: string, limits: AmountLimits): string {
  const decimal = readWithin(text, limits);
  if (decimal !== undefined) return decimal;
  throw new InvalidInput(subject, field, `must be ${describeLimits(limits)} (got ${text})`);
}

/** Works like `readAmount` for an optional amount; null if omitted. */
export const readOptionalAmount = (
  subject: Subject,
  field: string,
  text: string | null | undefined,
  limits: AmountLimits,
): string | null => (text == null ? null : readAmount(subject, field, text, limits));

/** Returns `currency` if it is an ISO 4217 code. Throws InvalidInput otherwise. */
export function readCurrency(subject: Subject, currency: string): string {
  if (isCurrency(currency)) return currency;
  throw new InvalidInput(subject, "currency", `must be an ISO 4217 code, such as EUR (got ${currency})`);
}

/** Limits of a share or a percentage. */
export interface ShareLimits {
  readonly max: number;
  readonly decimals: number;
  /** True if zero is refused. */
  readonly isAboveZero?: boolean;
}

/** Reads a decimal from 0 to a maximum, in any notation, as a plain decimal. Throws InvalidInput. */
export function readShare(
  subject: Subject,
  field: string,
  text: string,
  { max, decimals, isAboveZero = false }: ShareLimits,
): string {
  const decimal = readUpTo(text, String(max), decimals);
  if (decimal !== undefined && !(isAboveZero && decimal === "0")) return decimal;
  const range = isAboveZero ? `above 0 and at most ${max}` : `0 to ${max}`;
  throw new InvalidInput(subject, field, `must be ${range} with at most ${decimals} decimals (got ${text})`);
}
