/** Scopes available to API keys, as in the contract. */
export const KEY_SCOPES = [
  "read:emissions",
  "read:compliance",
  "read:credits",
  "read:benchmarks",
  "read:market",
] as const;

/**
 * All scopes. Those unavailable to API keys come with a person's role, with two exceptions: `admin:platform` is for
 * super admins, and an owner grants `admin:members` to a service account.
 */
export const SCOPES = [
  ...KEY_SCOPES,
  "write:emissions",
  "write:compliance",
  "write:credits",
  "write:market",
  "manage:keys",
  "manage:members",
  "manage:webhooks",
  "read:audit",
  "request:verification",
  "manage:organization",
  "admin:platform",
  "admin:members",
] as const;

export type Scope = (typeof SCOPES)[number];

/** Alternatives, as in Apollo Federation: all scopes of at least one inner list are required. */
export type RequiredScopes = readonly (readonly Scope[])[];

export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value);
}

/** Returns scopes as a bit mask, whatever their order. */
export function scopeBits(held: readonly Scope[]): number {
  return held.reduce((bits, scope) => bits | (1 << SCOPES.indexOf(scope)), 0);
}

/** Returns true if the scopes `held` meet the requirement. */
export function satisfies(held: readonly Scope[], required: RequiredScopes): boolean {
  return required.some((alternative) => alternative.every((scope) => held.includes(scope)));
}

/** Returns true if an API key can have these scopes. */
export const canKeyHave = (required: RequiredScopes): boolean => satisfies(KEY_SCOPES, required);

/** Formats required scopes for messages: `read:emissions`, or `a and b, or c`. */
export function describeScopes(required: RequiredScopes): string {
  return required.map((alternative) => alternative.join(" and ")).join(", or ");
}

/**
 * Returns the scopes needed to meet all of these requirements. Omits read scopes that a write scope implies, and
 * requirements with alternatives.
 */
export function listRequired(requirements: readonly RequiredScopes[]): Scope[] {
  const single = requirements.filter((alternatives) => alternatives.length === 1);
  const scopes = [...new Set(single.flat(2))];
  return scopes.filter(
    (scope) => !scopes.some((other) => other === scope.replace("read:", "write:") && other !== scope),
  );
}
