/** Scopes available to API keys, as in the contract. */
export const KEY_SCOPES = [
  "read:emissions",
  "read:compliance",
  "read:credits",
  "read:benchmarks",
  "read:market",
] as const;

/**
 * All scopes. The ones that API keys cannot have come with a person's role, except `admin:platform`, for super admins, and
 * `admin:members`, which an owner grants to a service account.
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

/** Alternatives, in the form of Apollo Federation: all scopes of at least one inner list are required. */
export type RequiredScopes = readonly (readonly Scope[])[];

/** Returns true if `value` is the name of a scope. */
export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value);
}

/** Returns scopes as a bit mask, which does not depend on their order. */
export function scopeBits(held: readonly Scope[]): number {
  return held.reduce((bits, scope) => bits | (1 << SCOPES.indexOf(scope)), 0);
}

/** Returns true if the scopes `held` meet the requirement. */
export function satisfies(held: readonly Scope[], required: RequiredScopes): boolean {
  return required.some((alternative) => alternative.every((scope) => held.includes(scope)));
}

/** Returns true if an API key can have these scopes. */
export const canKeyHave = (required: RequiredScopes): boolean => satisfies(KEY_SCOPES, required);

/** Writes required scopes as a phrase for messages: `read:emissions`, or `a and b, or c`. */
export function describeScopes(required: RequiredScopes): string {
  return required.map((alternative) => alternative.join(" and ")).join(", or ");
}

/**
 * Returns the scopes that meeting all of these requirements takes, without those that another one implies: permission to
 * write includes permission to read. Leaves out alternatives.
 */
export function listRequired(requirements: readonly RequiredScopes[]): Scope[] {
  const single = requirements.filter((alternatives) => alternatives.length === 1);
  const scopes = [...new Set(single.flat(2))];
  return scopes.filter(
    (scope) => !scopes.some((other) => other === scope.replace("read:", "write:") && other !== scope),
  );
}
