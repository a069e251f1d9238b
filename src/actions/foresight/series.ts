import { type PeriodAmount, sumByPeriod, sumPartsByPeriod } from "../../data/emissions/sums.js";
import { findFacilities } from "../../data/facilities/facilities.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { describeSeries, type SeriesKey } from "../../domain/foresight/finding-id.js";
import type { Grouping } from "../../domain/foresight/groupings.js";
import type { MonthAmount } from "../../domain/foresight/series.js";
import { type DateRange, isoDate } from "../../domain/window.js";

/** The amounts of something by month; months without data are left out. */
export interface Series {
  readonly key: SeriesKey;
  readonly unit: string;
  readonly amounts: readonly MonthAmount[];
  /** The month, `YYYY-MM`, in which its facility was archived. */
  readonly activeTo?: string | undefined;
}

/** Emissions by month in a range of whole months, as one series or split. Series without a record are left out. */
export async function listEmissionSeries(
  tenant: TenantReader,
  by: Grouping,
  range: DateRange,
): Promise<Series[]> {
  const summed = { range, filter: {} };
  if (by === "organization" || by === "scope") {
    const periods = await sumByPeriod(tenant, summed, "month");
    return group(
      periods.flatMap((period) => (by === "scope" ? splitByScope({}, period) : [monthOf({}, period)])),
    );
  }
  const part = by === "category" ? "category" : "facility";
  const periods = await sumPartsByPeriod(tenant, summed, part, { step: "month" });
  if (by === "category") return group(periods.map((period) => monthOf({ category: period.part }, period)));
  const ids = new Set(periods.flatMap((period) => period.part ?? []));
  const facilities = new Map(
    (await findFacilities(tenant, [...ids])).map((facility) => [facility.id, facility]),
  );
  const months = periods.flatMap((period) => {
    const key = { facility: facilities.get(period.part ?? "")?.code ?? null };
    return by === "facility" ? [monthOf(key, period)] : splitByScope(key, period);
  });
  const archived = [...facilities.values()].flatMap(({ code, archivedAt }) =>
    archivedAt === null ? [] : [[code, isoDate(archivedAt).slice(0, 7)] as const],
  );
  const archivedIn = new Map(archived);
  return group(months).map((series) => ({ ...series, activeTo: archivedIn.get(series.key.facility ?? "") }));
}

/** A month of a series. */
interface SeriesMonth extends MonthAmount {
  readonly key: SeriesKey;
  readonly recordCount: number;
}

const monthOf = (key: SeriesKey, { start, co2eTonnes, recordCount }: PeriodAmount): SeriesMonth => ({
  ...{ key, month: start.slice(0, 7), amount: co2eTonnes, recordCount },
});

const splitByScope = (key: SeriesKey, { start, byScope }: PeriodAmount): SeriesMonth[] =>
  byScope.map(({ scope, co2eTonnes, recordCount }) => ({
    ...{ key: { ...key, scope }, month: start.slice(0, 7), amount: co2eTonnes, recordCount },
  }));

function group(months: readonly SeriesMonth[]): Series[] {
  const found = new Map<string, { key: SeriesKey; unit: string; amounts: MonthAmount[] }>();
  for (const { key, month, amount, recordCount } of months) {
    if (recordCount === 0) continue;
    const name = describeSeries(key);
    const series = found.get(name) ?? { key, unit: "tCO2e", amounts: [] };
    found.set(name, series);
    series.amounts.push({ month, amount });
  }
  return [...found.values()];
}
