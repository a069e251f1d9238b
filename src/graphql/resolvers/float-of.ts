/** Creates the resolver that returns an exact amount as a float. */
export const floatOf =
  <Name extends string>(name: Name) =>
  <Exact extends string | null>(parent: Readonly<Record<`${Name}Exact`, Exact>>) => {
    const exact = parent[`${name}Exact`];
    return (exact === null ? null : Number(exact)) as Exact extends null ? null : number;
  };
