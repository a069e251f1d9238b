/** Maximum number of an organization's entities. Each save reads all of them. */
export const MOST_ENTITIES = 2_000;
/** Maximum number of entities from the organization down to the last one. */
export const MOST_LEVELS = 5;
/** Maximum number of an entity's holdings. */
export const MOST_HOLDINGS = 120;

/** The parent of each entity; null for one that the organization itself holds. */
export type Parents = ReadonlyMap<string, string | null>;

/** Returns an entity and those above it, the nearest first. Ends where an entity would appear for the second time. */
export function chainOf(parents: Parents, entity: string): readonly string[] {
  const chain = new Set<string>();
  for (let next: string | null = entity; next !== null && !chain.has(next); next = parents.get(next) ?? null)
    chain.add(next);
  return [...chain];
}

/** Returns true if an entity is held by itself, directly or through others. */
export function isInCircle(parents: Parents, entity: string): boolean {
  const top = chainOf(parents, entity).at(-1) ?? entity;
  return (parents.get(top) ?? null) !== null;
}

/** Returns the longest chain of entities that are not in a circle; the lowest entity is its first. */
export const longestChain = (parents: Parents): readonly string[] =>
  [...parents.keys()]
    .map((entity) => chainOf(parents, entity))
    .reduce<readonly string[]>((longest, chain) => (chain.length > longest.length ? chain : longest), []);
