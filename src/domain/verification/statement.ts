import type { EmissionScope } from "../enums.js";
import type { DateRange } from "../window.js";
import type { AssuranceLevel, Opinion } from "./states.js";

/** What JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** JSON that is the same text for the same content: keys sorted by their UTF-16 code units, without spaces. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${canonicalJson(part)}`).join(",")}}`;
}

/** Emissions of a scope in tCO2e, as a plain decimal without redundant zeros. */
export interface ScopeTotal {
  readonly scope: EmissionScope;
  readonly co2eTonnes: string;
}

/** What a certificate states; amounts are plain decimals without redundant zeros. */
export interface Certified {
  readonly number: string;
  /** The organization's slug. */
  readonly organization: string;
  readonly period: DateRange;
  readonly level: AssuranceLevel;
  readonly materialityPct: string;
  readonly opinion: Opinion;
  readonly recordCount: number;
  readonly totals: readonly ScopeTotal[];
  readonly totalCo2eTonnes: string;
}

/** The text that a certificate signs: canonical JSON. Records are those of what the organization controls. */
export const writeStatement = (certified: Certified): string =>
  canonicalJson({
    boundary: "operational_control",
    certificate_number: certified.number,
    level: certified.level,
    materiality_pct: certified.materialityPct,
    opinion: certified.opinion,
    organization: certified.organization,
    period: { from: certified.period.from, to: certified.period.to },
    record_count: certified.recordCount,
    scopes: certified.totals.map(({ scope, co2eTonnes }) => ({ co2e_tonnes: co2eTonnes, scope })),
    total_co2e_tonnes: certified.totalCo2eTonnes,
  });

/** Whether a text has the form of a certificate's number, such as `CGW-2026-000001`. */
export const isCertificateNumber = (text: string): boolean => /^CGW-\d{4}-\d{6,9}$/.test(text);
