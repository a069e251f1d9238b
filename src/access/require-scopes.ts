import { canKeyHave, describeScopes, type RequiredScopes, satisfies } from "../domain/scopes.js";
import { AppError } from "../errors.js";
import type { Principal } from "./principal.js";
import { refuseKey } from "./refusals.js";

/** Throws if a principal lacks required scopes: INVALID_KEY for an API key, FORBIDDEN for a user. */
export function requireScopes({ scopes, person }: Principal, required: RequiredScopes): void {
  if (satisfies(scopes, required)) return;
  if (person) {
    const message = `The role ${person.role} lacks the scope ${describeScopes(required)}.`;
    throw new AppError("FORBIDDEN", message, { extensions: { requiredScopes: required } });
  }
  const message = canKeyHave(required)
    ? `The API key lacks the scope ${describeScopes(required)}.`
    : `API keys only read: none can have ${describeScopes(required)}. Sign in, and send the session's token as Authorization: Bearer.`;
  throw refuseKey("insufficient_scope", message, { requiredScopes: required });
}
