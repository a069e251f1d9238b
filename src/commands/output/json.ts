import { snakeCase } from "../../domain/texts/snake-case.js";

/** Formats a result as JSON, with names in snake case and times in ISO 8601. */
export function toJson(result: unknown): string {
  return JSON.stringify(withSnakeCase(result));
}

function withSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSnakeCase);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [snakeCase(name), withSnakeCase(inner)]),
  );
}
