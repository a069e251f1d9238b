import { type GraphQLField, valueFromASTUntyped } from "graphql";

/**
 * Returns true if the total of a page is read from sums: `restricted`, the names of the fields by which filters restrict it, are
 * all in one of the lists of `@countedBySums` in the schema.
 */
export function isCountedBySums(
  { astNode }: GraphQLField<unknown, unknown>,
  restricted: readonly string[],
): boolean {
  const directive = astNode?.directives?.find(({ name }) => name.value === "countedBySums");
  const [filters] = directive?.arguments ?? [];
  if (!filters) return false;
  const lists = valueFromASTUntyped(filters.value) as readonly (readonly string[])[];
  return lists.some((summed) => restricted.every((name) => summed.includes(name)));
}

/** Lists the names of the fields by which a filter restricts; null and empty lists do not. */
export function listRestrictions(filter: unknown): readonly string[] {
  if (typeof filter !== "object" || filter === null) return [];
  return Object.entries(filter).flatMap(([name, value]) =>
    value == null || isEmptyList(value) ? [] : [name],
  );
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
