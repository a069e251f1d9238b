import { GraphQLCurrency } from "graphql-scalars";
import { isLosslessNumber } from "lossless-json";
import { z } from "zod";
import { readDecimal } from "../../domain/decimals.js";
import { EXPECTED_SLUG, isSlug } from "../../domain/texts/slug.js";
import { isWithinLimit, TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { isWebLink, WEB_LINK } from "../../domain/texts/web-link.js";
import { isIsoDate, isSupportedDate, SUPPORTED_DATE } from "../../domain/window.js";
import { EXPECTED_COUNTRY, readCountry } from "../../regions/countries.js";

/** Creates a schema from `read`, which returns undefined for an invalid value. `expected` describes valid ones. */
function leaf<T>(expected: string, read: (value: unknown) => T | undefined) {
  return z.unknown().transform((value, context): T => {
    const result = read(value);
    if (result !== undefined) return result;
    context.addIssue({ code: "custom", message: expected });
    return z.NEVER;
  });
}

/** Creates a schema that also accepts null, because many programs write null for a missing value. */
export function optional<T>(schema: z.ZodType<T>) {
  return schema.nullish().transform((value) => value ?? undefined);
}

function readText(value: unknown, limit: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const trimmed = value.trim();
  // PostgreSQL stores neither NUL nor lone surrogates.
  const isStorable = trimmed !== "" && isWithinLimit(trimmed, limit) && !/\0|\p{Surrogate}/u.test(trimmed);
  return isStorable ? trimmed : undefined;
}

function readAmount(value: unknown, integerDigits: number, decimals: number): string | undefined {
  if (isLosslessNumber(value)) return readDecimal(value.value, { integerDigits, decimals });
  if (typeof value !== "string" || !/^[-\d.]+$/.test(value)) return undefined;
  return readDecimal(value, { integerDigits, decimals });
}

function readTime(value: unknown): string | undefined {
  const form =
    /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
  if (typeof value !== "string" || !isIsoDate(form.exec(value)?.[1] ?? "")) return undefined;
  const instant = new Date(value);
  const text = Number.isNaN(instant.getTime()) ? "" : instant.toISOString();
  return isIsoDate(text.slice(0, 10)) ? text : undefined;
}

function isOf(scalar: typeof GraphQLCurrency, value: unknown): value is string {
  try {
    scalar.parseValue(value);
    return typeof value === "string" && value === value.toUpperCase();
  } catch {
    return false;
  }
}

/** Creates a schema of strings with 1 to `limit` characters, which it trims. */
export function text(limit: number) {
  return leaf(`a string of 1 to ${limit} characters without NUL`, (value) => readText(value, limit));
}

export const name = text(TEXT_LIMITS.name);
/** A reference or a code. */
export const reference = text(TEXT_LIMITS.reference);
/** Source of a figure. */
export const source = text(TEXT_LIMITS.source);
export const slug = leaf(EXPECTED_SLUG, (value) =>
  typeof value === "string" && isSlug(value) ? value : undefined,
);
export const date = leaf(SUPPORTED_DATE, (value) =>
  typeof value === "string" && isSupportedDate(value) ? value : undefined,
);
/** An ISO 8601 time, converted to UTC. */
export const time = leaf("an ISO 8601 time with a zone, such as 2026-11-20T09:00:00Z", readTime);
export const url = leaf(`${WEB_LINK}, of at most ${TEXT_LIMITS.url} characters`, (value) => {
  const link = readText(value, TEXT_LIMITS.url);
  return link !== undefined && isWebLink(link) ? link : undefined;
});
export const country = leaf(EXPECTED_COUNTRY, (value) =>
  typeof value === "string" ? readCountry(value) : undefined,
);
/** Returns true if a value is an ISO 4217 code in capitals. */
export const isCurrency = (value: unknown): value is string => isOf(GraphQLCurrency, value);
export const currency = leaf("an ISO 4217 currency code in capitals, such as EUR", (value) =>
  isCurrency(value) ? value : undefined,
);

export function oneOf<T extends string>(values: readonly T[]) {
  return leaf(`one of ${values.join(", ")}`, (value) => values.find((known) => known === value));
}

/** Creates a schema of plain decimals, as a number or a string. With `min`, they may not be negative. */
export function amount(integerDigits: number, decimals: number, min?: 0) {
  const range = `${min === 0 ? "of 0 or more, " : ""}under 1e${integerDigits}`;
  return leaf(`a decimal ${range}, with at most ${decimals} decimals`, (value) => {
    const decimal = readAmount(value, integerDigits, decimals);
    return min === 0 && decimal?.startsWith("-") ? undefined : decimal;
  });
}

/** Creates a schema of safe integers, as a number or a string. */
export function whole(min: number, max: number) {
  return leaf(`a whole number from ${min} to ${max}`, (value) => {
    const number = Number(readAmount(value, 16, 0) ?? Number.NaN);
    return number >= min && number <= max ? number : undefined;
  });
}

/** A quantity of credits. */
export const quantity = whole(1, Number.MAX_SAFE_INTEGER);
/** A year. Unlike an amount, it must be a number: a quoted year is probably in the wrong field. */
export const year = leaf("a whole number from 1900 to 2100", (value) => {
  const number = isLosslessNumber(value) ? Number(readAmount(value, 4, 0) ?? Number.NaN) : Number.NaN;
  return number >= 1900 && number <= 2100 ? number : undefined;
});
export const list = leaf("a list", (value) => (Array.isArray(value) ? (value as unknown[]) : undefined));
