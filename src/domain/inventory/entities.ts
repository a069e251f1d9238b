/** Maximum number of an organization's entities. Each save reads all of them. */
export const MAX_ENTITIES = 2_000;
/** Maximum depth of the entity tree. */
export const MAX_LEVELS = 5;
/** Maximum number of an entity's holdings. */
export const MAX_HOLDINGS = 120;

/** The parent of each entity; null if the organization itself holds it. */
export type Parents = ReadonlyMap<string, string | null>;

/** Returns an entity and its ancestors, nearest first. Ends before an entity would repeat. */
export function chainOf(parents: Parents, entity: string): readonly string[] {
  const chain = new Set<string>();
  for (let next: string | null = entity; next !== null && !chain.has(next); next = parents.get(next) ?? null)
    chain.add(next);
  return [...chain];
}

/** Returns true if the chain above an entity leads into a cycle. */
export function isInCycle(parents: Parents, entity: string): boolean {
  const top = chainOf(parents, entity).at(-1) ?? entity;
  return (parents.get(top) ?? null) !== null;
}

/** Returns the longest chain of entities, lowest first. Expects no cycles. */
export const longestChain = (parents: Parents): readonly string[] =>
  [...parents.keys()]
    .map((entity) => chainOf(parents, entity))
    .reduce<readonly string[]>((longest, chain) => (chain.length > longest.length ? chain : longest), []);
