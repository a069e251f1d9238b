/** What a key can be allowed to read, as the contract names it. */
export const SCOPES = [
  "read:emissions",
  "read:compliance",
  "read:credits",
  "read:benchmarks",
  "read:market",
] as const;

export type Scope = (typeof SCOPES)[number];

/** Apollo Federation's form: any one of the inner lists is enough, and within it every scope is needed. */
export type RequiredScopes = readonly (readonly Scope[])[];

export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value);
}

/** Scopes as one number, a bit each: the same for the same scopes in any order. */
export function scopeBits(held: readonly Scope[]): number {
  return held.reduce((bits, scope) => bits | (1 << SCOPES.indexOf(scope)), 0);
}

export function satisfies(held: readonly Scope[], required: RequiredScopes): boolean {
  return required.some((alternative) => alternative.every((scope) => held.includes(scope)));
}

/** Required scopes as a phrase for messages: `read:emissions`, or `a and b, or c`. */
export function describeScopes(required: RequiredScopes): string {
  return required.map((alternative) => alternative.join(" and ")).join(", or ");
}
