import { EMISSION_SCOPES, type EmissionScope } from "../../../domain/enums.js";

/** Reads a scope, such as `scope_1`, `Scope 1`, `S1` or `1`; undefined for any other string. */
export function readScope(text: string): EmissionScope | undefined {
  const known = EMISSION_SCOPES.find((scope) => scope === text);
  if (known !== undefined) return known;
  const number = /^(?:(?:scope|s)[ _-]?)?([123])$/i.exec(text)?.[1];
  return number === undefined ? undefined : EMISSION_SCOPES[Number(number) - 1];
}

export const EXPECTED_SCOPE = `one of ${EMISSION_SCOPES.join(", ")} (or "Scope 1", "S1", "1")`;
