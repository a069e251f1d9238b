import { GraphQLCountryCode, GraphQLCurrency } from "graphql-scalars";
import { isLosslessNumber } from "lossless-json";
import { z } from "zod";
import { readDecimal } from "../../domain/amounts.js";
import { EMISSION_SCOPES, FRAMEWORK_STATUSES, FRAMEWORKS, PRICE_TYPES } from "../../domain/enums.js";
import { isWithinLimit, TEXT_LIMITS } from "../../domain/text-limits.js";
import { isIsoDate, isSupportedDate, SUPPORTED_DATE } from "../../domain/window.js";

/** A value that `read` makes of a JSON value; undefined becomes a problem with the text `expected`. */
function leaf<T>(expected: string, read: (value: unknown) => T | undefined) {
  return z.unknown().transform((value, context): T => {
    const result = read(value);
    if (result !== undefined) return result;
    context.addIssue({ code: "custom", message: expected });
    return z.NEVER;
  });
}

/** A field that may be absent or null, which many programs write for a missing value. */
function optional<T>(schema: z.ZodType<T>) {
  return schema.nullish().transform((value) => value ?? undefined);
}

function readText(value: unknown, limit: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const trimmed = value.trim();
  // PostgreSQL stores neither NUL nor half a surrogate pair.
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

function text(limit: number) {
  return leaf(`a text of 1 to ${limit} characters without NUL`, (value) => readText(value, limit));
}

const name = text(TEXT_LIMITS.name);
const reference = text(TEXT_LIMITS.reference);
const source = text(TEXT_LIMITS.source);
const slug = leaf("1 to 63 lower-case letters and digits, with single hyphens between them", (value) =>
  typeof value === "string" && value.length <= 63 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value)
    ? value
    : undefined,
);
const date = leaf(SUPPORTED_DATE, (value) =>
  typeof value === "string" && isSupportedDate(value) ? value : undefined,
);
const time = leaf("an ISO 8601 time with a zone, such as 2026-11-20T09:00:00Z", readTime);
const url = leaf(`an absolute http or https URL of at most ${TEXT_LIMITS.url} characters`, (value) => {
  const link = readText(value, TEXT_LIMITS.url);
  return link !== undefined && /^https?:\/\/\S+$/i.test(link) && URL.canParse(link) ? link : undefined;
});
const country = leaf("an ISO 3166-1 alpha-2 country code in capitals, such as IN", (value) =>
  isOf(GraphQLCountryCode, value) ? value : undefined,
);
const currency = leaf("an ISO 4217 currency code in capitals, such as EUR", (value) =>
  isOf(GraphQLCurrency, value) ? value : undefined,
);

function oneOf<T extends string>(values: readonly T[]) {
  return leaf(`one of ${values.join(", ")}`, (value) => values.find((known) => known === value));
}

function amount(integerDigits: number, decimals: number, least?: 0) {
  const range = `${least === 0 ? "of 0 or more, " : ""}under 1e${integerDigits}`;
  return leaf(`a decimal ${range}, with at most ${decimals} decimals`, (value) => {
    const decimal = readAmount(value, integerDigits, decimals);
    return least === 0 && decimal?.startsWith("-") ? undefined : decimal;
  });
}

function whole(least: number, most: number) {
  return leaf(`a whole number from ${least} to ${most}`, (value) => {
    const number = Number(readAmount(value, 16, 0) ?? Number.NaN);
    return number >= least && number <= most ? number : undefined;
  });
}

const quantity = whole(1, Number.MAX_SAFE_INTEGER);
// Unlike amounts, years are not accepted as text: a quoted year is probably in the wrong field.
const year = leaf("a whole number from 1900 to 2100", (value) => {
  const number = isLosslessNumber(value) ? Number(readAmount(value, 4, 0) ?? Number.NaN) : Number.NaN;
  return number >= 1900 && number <= 2100 ? number : undefined;
});
const list = leaf("a list", (value) => (Array.isArray(value) ? (value as unknown[]) : undefined));

/** The schema of the organization. */
export const organizationRow = z.strictObject({ slug, name });
/** The schema of a retirement of a credit batch. */
export const retirementRow = z.strictObject({
  reference,
  quantity,
  retired_on: date,
  beneficiary: optional(name),
});

/** The schema of a row, by section. */
export const SECTIONS = {
  facilities: z.strictObject({ code: reference, name, country: optional(country) }),
  emission_records: z.strictObject({
    reference: optional(reference),
    recorded_on: date,
    scope: oneOf(EMISSION_SCOPES),
    co2e_tonnes: amount(18, 6, 0),
    facility: optional(reference),
    category: optional(text(TEXT_LIMITS.category)),
    source: optional(source),
  }),
  frameworks: z.strictObject({
    framework: oneOf(FRAMEWORKS),
    status: oneOf(FRAMEWORK_STATUSES),
    last_updated: time,
  }),
  deadlines: z.strictObject({
    framework: oneOf(FRAMEWORKS),
    title: text(TEXT_LIMITS.title),
    due_date: date,
    status: name,
  }),
  credit_batches: z.strictObject({
    reference,
    credit_type: name,
    quantity,
    vintage: optional(year),
    sold: optional(whole(0, Number.MAX_SAFE_INTEGER)),
    retirements: optional(list),
  }),
  market_prices: z.strictObject({
    credit_type: name,
    exchange: name,
    price: amount(15, 9, 0),
    currency,
    change_pct_24h: optional(amount(15, 9)),
    price_type: optional(oneOf(PRICE_TYPES)),
    source,
    source_url: optional(url),
    as_of: optional(date),
    updated_at: optional(time),
  }),
  benchmarks: z.strictObject({
    sector: name,
    intensity: optional(amount(15, 9)),
    unit: optional(name),
    region: optional(name),
    period: optional(name),
    source: optional(source),
    source_url: optional(url),
    source_year: optional(year),
  }),
};

/** A section of a bundle. */
export type SectionName = keyof typeof SECTIONS;
/** All sections. */
export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];
/** Data that all organizations share: the only sections of a bundle without an organization. */
export const REFERENCE_DATA: readonly SectionName[] = ["market_prices", "benchmarks"];
