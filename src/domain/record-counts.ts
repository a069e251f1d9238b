/** What filters may restrict together while the sums by month, by day, by facility and by category tell the count. */
const SUMMED = [
  new Set(["scopes", "facilityIds", "facilityCodes", "countries"]),
  new Set(["scopes", "categories"]),
];

/** The names of what a filter restricts; what is left out or empty does not restrict. */
export function listRestrictions(filter: unknown): readonly string[] {
  if (typeof filter !== "object" || filter === null) return [];
  return Object.entries(filter).flatMap(([name, value]) =>
    value == null || isEmptyList(value) ? [] : [name],
  );
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Whether records so restricted can be counted without reading any of them. */
export function isCountedBySums(restricted: readonly string[]): boolean {
  return SUMMED.some((summed) => restricted.every((name) => summed.has(name)));
}
