import type { Factors } from "../../gateway/factors/own-factors.js";
import type { ProofMethod } from "./proof-form.js";

/** Returns true if the user has a second factor. */
export const hasFactor = ({ totp, passkeys }: Factors): boolean => totp !== null || passkeys.length > 0;

/** Returns the methods that confirm the user's identity again: the second factors, or else the password. */
export function proofMethodsOf(factors: Factors): readonly ProofMethod[] {
  if (!hasFactor(factors)) return factors.has_password ? ["password"] : [];
  const isAvailable: Readonly<Partial<Record<ProofMethod, boolean>>> = {
    totp: factors.totp !== null,
    passkey: factors.passkeys.length > 0,
    recovery_code: factors.recovery_codes_left > 0,
  };
  return (Object.keys(isAvailable) as ProofMethod[]).filter((method) => isAvailable[method]);
}
