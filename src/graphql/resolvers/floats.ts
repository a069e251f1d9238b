/** Converts an exact amount to a float. */
export const toFloat = (exact: string | null) => (exact === null ? null : Number(exact));

/** Creates the resolver that returns an exact amount as a float. */
export const floatOf =
  <Name extends string>(name: Name) =>
  <Exact extends string | null>(parent: Readonly<Record<`${Name}Exact`, Exact>>) =>
    toFloat(parent[`${name}Exact`]) as Exact extends null ? null : number;
