/** What the cases are thrown at, and its parts of a hundred of them. */
export const SHARES = { http: 30, keys: 10, rest: 10, graphql: 40, bundles: 5, csv: 5 } as const;
export type Target = keyof typeof SHARES;
