/** The combinations of filters for which the sums by month, day, facility and category contain the number of records. */
const SUMMED = [
  new Set(["scopes", "facilityIds", "facilityCodes", "countries"]),
  new Set(["scopes", "categories"]),
];

/** The names of the fields by which a filter restricts; missing and empty ones do not. */
export function listRestrictions(filter: unknown): readonly string[] {
  if (typeof filter !== "object" || filter === null) return [];
  return Object.entries(filter).flatMap(([name, value]) =>
    value == null || isEmptyList(value) ? [] : [name],
  );
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Whether records under these restrictions can be counted without reading them. */
export function isCountedBySums(restricted: readonly string[]): boolean {
  return SUMMED.some((summed) => restricted.every((name) => summed.has(name)));
}
