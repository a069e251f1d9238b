import type { Factors } from "../../gateway/factors/own-factors.js";
import type { Way } from "./give-factor.js";

/** Returns true if the user has a second factor. */
export const hasFactor = ({ totp, passkeys }: Factors): boolean => totp !== null || passkeys.length > 0;

/** Returns the methods that confirm the user's identity again: a second factor, or the password without one. */
export function waysOf(factors: Factors): readonly Way[] {
  if (!hasFactor(factors)) return factors.has_password ? ["password"] : [];
  const isThere: Readonly<Partial<Record<Way, boolean>>> = {
    totp: factors.totp !== null,
    passkey: factors.passkeys.length > 0,
    recovery_code: factors.recovery_codes_left > 0,
  };
  return (Object.keys(isThere) as Way[]).filter((way) => isThere[way]);
}
