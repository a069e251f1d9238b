import { EMISSION_SCOPES, type EmissionScope } from "../enums.js";
import { isMonth } from "../window.js";

/** Identifies a series; empty for the whole module. Null means records without a facility or category. */
export interface SeriesKey {
  /** Code of the facility. */
  readonly facility?: string | null;
  readonly scope?: EmissionScope;
  readonly category?: string | null;
  /** Set for the series of retired credits. */
  readonly credits?: true;
  /** With `exchange`, identifies a market instrument. */
  readonly creditType?: string;
  readonly exchange?: string;
}

const pair = (name: string, value: string | null | undefined) =>
  value === undefined ? [] : [`${name}=${escapeText(value ?? "")}`];

/** Escapes the characters that separate the parts. */
const escapeText = (text: string): string => text.replace(/[%:=]/g, encodeURIComponent);

/** Returns a string that identifies a series, such as `facility=PUNE:scope_2`. */
export function describeSeries({
  facility,
  scope,
  category,
  credits,
  creditType,
  exchange,
}: SeriesKey): string {
  const parts = [
    ...pair("facility", facility),
    ...(scope ? [scope] : []),
    ...pair("category", category),
    ...(credits ? ["credits"] : []),
    ...pair("credit_type", creditType),
    ...pair("exchange", exchange),
  ];
  return parts.length === 0 ? "organization" : parts.join(":");
}

/** Returns the id of an anomaly, which is stable between searches, such as `yoy:facility=PUNE:scope_2:2026-05`. */
export const anomalyId = (
  series: SeriesKey,
  { type, month }: { readonly type: string; readonly month: string },
): string => [type, describeSeries(series), month].join(":");

/** Reads the id of an anomaly; undefined if it is invalid. Does not check the type. */
export function readAnomalyId(
  id: string,
): { readonly type: string; readonly series: SeriesKey; readonly month: string } | undefined {
  const [type = "", ...rest] = id.split(":");
  const month = rest.pop() ?? "";
  const series: { -readonly [name in keyof SeriesKey]: SeriesKey[name] } = {};
  for (const part of rest) {
    const [name = "", value] = part.split("=");
    const scope = EMISSION_SCOPES.find((known) => known === part);
    const text = value === undefined ? undefined : decode(value);
    if (scope) series.scope = scope;
    else if (part === "credits") series.credits = true;
    else if (name === "facility" && text !== undefined) series.facility = text || null;
    else if (name === "category" && text !== undefined) series.category = text || null;
    else if (name === "credit_type" && text) series.creditType = text;
    else if (name === "exchange" && text) series.exchange = text;
  }
  const read = { type, series, month };
  return anomalyId(series, read) === id && isMonth(month) ? read : undefined;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
