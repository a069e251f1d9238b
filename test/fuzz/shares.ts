/** Percentage of the cases that each target gets. */
export const SHARES = {
  http: 20,
  keys: 10,
  rest: 10,
  v1: 15,
  graphql: 25,
  bundles: 5,
  csv: 5,
  mcp: 5,
  scim: 5,
} as const;
export type Target = keyof typeof SHARES;
