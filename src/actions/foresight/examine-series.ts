import { listPartSeries, type PartSeries, readMonths } from "../../data/emissions/part-series.js";
import { sumByPeriod } from "../../data/emissions/sums.js";
import { findFacilitiesByCode } from "../../data/facilities/facilities.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { EMISSION_SCOPES } from "../../domain/enums.js";
import { describeSeries, type SeriesKey } from "../../domain/foresight/anomaly-id.js";
import type { Grouping } from "../../domain/foresight/groupings.js";
import { monthOf } from "../../domain/foresight/monthly-series.js";
import {
  type NumberedAmount,
  numberMonths,
  type ScoredSeries,
  type Span,
  scoreSeries,
} from "../../domain/foresight/scored-series.js";
import { endOfMonth, monthNumber } from "../../domain/window.js";
import { AppError } from "../../errors.js";
import { mapInTurns } from "../../turns.js";
import type { Monthly } from "./forecast.js";

/** Maximum number of series in one examination: three scopes of 6,666 facilities. */
export const MAX_SERIES = 20_000;

/** Returns true if `error` is the refusal of more than 20,000 series. */
export const isTooManySeries = (error: unknown): boolean =>
  error instanceof AppError && error.code === "BAD_USER_INPUT" && error.extensions["argument"] === "by";

/** A scored series, with the unit of its amounts. */
export interface Series {
  readonly key: SeriesKey;
  readonly unit: string;
  readonly scored: ScoredSeries;
}

/** Examines one series. */
export const examineMonthly = (key: SeriesKey, { unit, amounts }: Monthly, span: Span): Series => ({
  key,
  unit,
  scored: scoreSeries(numberMonths(amounts), span),
});

export interface EmissionExamination {
  /** Limits a split by facility or category to that of this key. */
  readonly only?: SeriesKey;
  /** Called with the number of series of facilities or categories before they are examined; may throw. */
  readonly onCount?: (count: number) => void;
}

/**
 * Examines emissions by month, as one series or split, in the order of the series' names. Series without a record are
 * left out. Throws BAD_USER_INPUT for more than 20,000 series.
 */
export async function examineEmissions(
  tenant: TenantReader,
  by: Grouping,
  span: Span,
  options: EmissionExamination = {},
): Promise<Series[]> {
  if (by === "organization" || by === "scope") return examineWhole(tenant, by, span);
  const series = await examineParts(tenant, by, span, options);
  const byName = new Map(series.map((one) => [`${describeSeries(one.key)}:`, one]));
  return [...byName.keys()].sort().flatMap((name) => byName.get(name) ?? []);
}

/** Returns the range of a span and the year before it, with which its first months are compared. */
const rangeOf = ({ from, to }: Span) => ({
  from: `${monthOf(monthNumber(from) - 12)}-01`,
  to: endOfMonth(new Date(`${to}-01T00:00:00Z`), 0),
});

async function examineWhole(
  tenant: TenantReader,
  by: "organization" | "scope",
  span: Span,
): Promise<Series[]> {
  const periods = await sumByPeriod(tenant, { range: rangeOf(span), filter: {} }, "month");
  periods.sort((one, other) => monthNumber(one.start) - monthNumber(other.start));
  return (by === "scope" ? EMISSION_SCOPES : [undefined]).flatMap((scope) => {
    const amounts = periods.flatMap((period): NumberedAmount[] => {
      const amount = scope ? period.byScope.find((one) => one.scope === scope) : period;
      return amount && amount.recordCount > 0 ? [[monthNumber(period.start), amount.co2eTonnes]] : [];
    });
    if (amounts.length === 0) return [];
    return [{ key: scope ? { scope } : {}, unit: "tCO2e", scored: scoreSeries(amounts, span) }];
  });
}

async function examineParts(
  tenant: TenantReader,
  by: "facility" | "category" | "facility_and_scope",
  span: Span,
  { only, onCount }: EmissionExamination,
): Promise<Series[]> {
  const part = by === "category" ? "category" : "facility";
  const parts = only && (await partsOf(tenant, only));
  const split = { by: part, byScope: by === "facility_and_scope", parts } as const;
  const rows = await listPartSeries(tenant, rangeOf(span), split, MAX_SERIES + 1);
  if (rows.length > MAX_SERIES) {
    throw new AppError(
      "BAD_USER_INPUT",
      `by: emissions by ${by} have more than ${MAX_SERIES} series, the maximum. Use a coarser split, such as by scope or category.`,
      { extensions: { argument: "by" } },
    );
  }
  onCount?.(rows.length);
  const keyOf = ({ name, scope }: PartSeries): SeriesKey => ({ [part]: name, ...(scope && { scope }) });
  return mapInTurns(rows, tenant, (row) => ({
    key: keyOf(row),
    unit: "tCO2e",
    scored: scoreSeries(readMonths(row), span, row.archivedOn?.slice(0, 7)),
  }));
}

/** Returns the values by which the database identifies the facility or category of a key. */
async function partsOf(tenant: TenantReader, { facility, category }: SeriesKey): Promise<string[]> {
  if (facility == null) return [category ?? ""];
  return (await findFacilitiesByCode(tenant, [facility])).map(({ id }) => id);
}
