import { sumRetiredByMonth } from "../../data/credits/monthly.js";
import type { RecordFilter } from "../../data/emissions/records.js";
import type { InstrumentKey } from "../../data/market/market.js";
import { listMonthlyPrices as listPrices, type MonthPrice } from "../../data/market/monthly.js";
import type { Loaders } from "../../data/tenant/loaders.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { lastCompleteMonth, monthOf } from "../../domain/foresight/monthly-series.js";
import { type DateRange, endOfMonth, monthNumber } from "../../domain/window.js";
import { AppError } from "../../errors.js";
import type { Monthly } from "./forecast.js";

/** Maximum number of months to look back. */
const MAX_MONTHS = 60;

/** Returns the range of the last `months` complete months at `now`. */
export function completeMonths(now: Date, months = MAX_MONTHS): DateRange {
  const first = monthOf(monthNumber(lastCompleteMonth(now)) - months + 1);
  return { from: `${first}-01`, to: endOfMonth(now, -1) };
}

/** Returns emissions by month, in tonnes. A month without a record is a gap. */
export async function listMonthlyEmissions(
  loaders: Pick<Loaders, "trend">,
  filter: RecordFilter,
  now: Date,
): Promise<Monthly> {
  const periods = await loaders.trend({ range: completeMonths(now), filter }, "month");
  const amounts = periods.map(({ start, co2eTonnes }) => ({ month: start.slice(0, 7), amount: co2eTonnes }));
  return { module: "emissions", unit: "tCO2e", amounts, to: lastCompleteMonth(now) };
}

/** Returns retired credits by month. From the first retirement on, a month without one is 0. */
export async function listMonthlyCredits(tenant: TenantReader, now: Date): Promise<Monthly> {
  const to = lastCompleteMonth(now);
  const retired = await sumRetiredByMonth(tenant, to);
  const known = new Map(retired.map(({ month, amount }) => [month, amount]));
  const [first] = known.keys();
  const last = monthNumber(to);
  const start = first === undefined ? last + 1 : monthNumber(first);
  const amounts = Array.from({ length: last - start + 1 }, (_, index) => {
    const month = monthOf(start + index);
    return { month, amount: known.get(month) ?? 0 };
  });
  return { module: "credits", unit: "credits", amounts, to };
}

/**
 * Returns the last price of each month of an instrument, in its current currency. A month without a price is a gap.
 * Throws NOT_FOUND if the instrument has no price in a complete month.
 */
export async function listMonthlyPrices(
  tenant: TenantReader,
  instrument: InstrumentKey,
  now: Date,
): Promise<Monthly<MonthPrice>> {
  const to = lastCompleteMonth(now);
  const prices = await listPrices(tenant, instrument, to);
  const unit = prices.at(-1)?.currency;
  if (unit !== undefined) {
    return { module: "market", unit, amounts: prices.filter(({ currency }) => currency === unit), to };
  }
  const { creditType, exchange } = instrument;
  const named = `${JSON.stringify(creditType)} on ${JSON.stringify(exchange)}`;
  throw new AppError("NOT_FOUND", `There is no price of ${named} up to ${to}.`);
}
