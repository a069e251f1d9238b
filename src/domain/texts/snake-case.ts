/** Converts a name from camel case to snake case: `co2eTonnes` becomes `co2e_tonnes`. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns a copy of a value with its keys in snake case, at every depth. Dates are unchanged. */
export function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [snakeCase(key), snakeKeys(part)]));
}
