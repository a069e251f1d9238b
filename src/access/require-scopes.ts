import { canKeyHave, describeScopes, type RequiredScopes, satisfies } from "../domain/scopes.js";
import { AppError } from "../errors.js";
import { factorRequired, type Principal } from "./principal.js";
import { refuseKey } from "./refusals.js";

/**
 * Throws if a principal lacks required scopes: INVALID_KEY for an API key, FORBIDDEN for a user or service account. For
 * a super admin who lacks only a second factor, throws SECOND_FACTOR_REQUIRED.
 */
export function requireScopes({ scopes, person, serviceAccount }: Principal, required: RequiredScopes): void {
  if (satisfies(scopes, required)) return;
  if (person?.isSuperAdmin && satisfies([...scopes, "admin:platform"], required))
    throw factorRequired("A super admin needs a second factor.", person.hasFactor);
  const holder = person ? `The role ${person.role}` : serviceAccount ? "The service account" : null;
  if (holder !== null) {
    const message = `${holder} lacks the scope ${describeScopes(required)}.`;
    throw new AppError("FORBIDDEN", message, { extensions: { requiredScopes: required } });
  }
  const message = canKeyHave(required)
    ? `The API key lacks the scope ${describeScopes(required)}.`
    : `API keys only read: none can have ${describeScopes(required)}. Use a service account, or sign in, and send the token as Authorization: Bearer.`;
  throw refuseKey("insufficient_scope", message, { requiredScopes: required });
}
