import { z } from "zod";
import { RECURRENCES } from "../../domain/compliance/deadlines.js";
import { FILE_TEXT_NAMES, FILE_TEXTS, type FileText } from "../../domain/emissions/record-parts.js";
import { EMISSION_SCOPES, FRAMEWORK_STATUSES, FRAMEWORKS, PRICE_TYPES } from "../../domain/enums.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import {
  amount,
  country,
  currency,
  date,
  list,
  name,
  oneOf,
  optional,
  quantity,
  reference,
  slug,
  source,
  text,
  time,
  url,
  whole,
  year,
} from "./values.js";

export const organizationRow = z.strictObject({ slug, name });
/** Retirement from a credit batch. */
export const retirementRow = z.strictObject({
  reference,
  quantity,
  retired_on: date,
  beneficiary: optional(name),
});

const recordText = (name: FileText) => optional(text(FILE_TEXTS[name]));
const recordTexts = Object.fromEntries(FILE_TEXT_NAMES.map((name) => [name, recordText(name)])) as Record<
  FileText,
  ReturnType<typeof recordText>
>;

/** Schemas of rows, by section. */
export const SECTIONS = {
  facilities: z.strictObject({ code: reference, name, country: optional(country) }),
  emission_records: z.strictObject({
    reference: optional(reference),
    recorded_on: date,
    scope: oneOf(EMISSION_SCOPES),
    co2e_tonnes: amount(18, 6, 0),
    facility: optional(reference),
    ...recordTexts,
  }),
  frameworks: z.strictObject({
    framework: oneOf(FRAMEWORKS),
    status: oneOf(FRAMEWORK_STATUSES),
    last_updated: time,
    note: optional(text(TEXT_LIMITS.note)),
  }),
  deadlines: z.strictObject({
    framework: oneOf(FRAMEWORKS),
    title: text(TEXT_LIMITS.title),
    due_date: date,
    status: name,
    completed_on: optional(date),
    evidence: optional(text(TEXT_LIMITS.note)),
    recurrence: optional(oneOf(RECURRENCES)),
    source: optional(source),
    source_url: optional(url),
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
    region: optional(name),
    contract: optional(name),
    unit: optional(name),
    statutory_until: optional(date),
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

export type SectionName = keyof typeof SECTIONS;
export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];
/** Sections that a bundle without an organization can have. All organizations share such a bundle. */
export const REFERENCE_DATA: readonly SectionName[] = ["market_prices", "benchmarks"];
