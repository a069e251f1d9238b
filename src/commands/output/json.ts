import { snakeKeys } from "../../domain/texts/snake-case.js";

/** Formats a result as JSON, with names in snake case and times in ISO 8601. */
export const toJson = (result: unknown): string => JSON.stringify(snakeKeys(result));
