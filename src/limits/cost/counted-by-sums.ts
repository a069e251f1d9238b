import { type GraphQLField, valueFromASTUntyped } from "graphql";

/**
 * Returns true if a page's total can be read from stored sums: one list of the field's `@countedBySums` contains every
 * filter field in `restricted`.
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

/** Lists the names of the fields that a filter restricts. Null and empty lists do not restrict. */
export function listRestrictions(filter: unknown): readonly string[] {
  if (typeof filter !== "object" || filter === null) return [];
  return Object.entries(filter).flatMap(([name, value]) =>
    value == null || isEmptyList(value) ? [] : [name],
  );
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
