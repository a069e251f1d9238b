import { formatDay, formatMagnitude, formatPercent, type Insight } from "./insight.js";

/** Default number of days over which prices are compared. */
export const PRICE_DAYS = 30;
/** Percentage above which a move is reported: in a month, 10 % is more than a fee or a spread. */
const MIN_MOVE = 10;
/** Moves above these percentages are more serious. */
const [LARGE_MOVE, HUGE_MOVE] = [20, 40];

export interface InstrumentPrice {
  readonly id: string;
  readonly creditType: string;
  readonly exchange: string;
  readonly price: number;
  readonly currency: string;
  readonly unit: string;
  readonly asOf: string | null;
  readonly sourceUrl: string | null;
}

/** Reports a price move of more than 10 %. `before` is the last price on or before the first day. */
export function findPriceMove(latest: InstrumentPrice, before: InstrumentPrice | undefined): Insight | null {
  if (!before || before.currency !== latest.currency || before.unit !== latest.unit || before.price <= 0)
    return null;
  const percent = Number((100 * (latest.price / before.price - 1)).toFixed(2));
  const size = Math.abs(percent);
  if (size <= MIN_MOVE) return null;
  const { creditType, exchange, currency } = latest;
  return {
    kind: "price_move",
    series: { creditType, exchange },
    sourceUrl: latest.sourceUrl,
    severity: size > HUGE_MOVE ? "high" : size > LARGE_MOVE ? "medium" : "low",
    title: `${creditType}, ${exchange}: ${formatPercent(percent)} ${percent < 0 ? "down" : "up"}`,
    body: `The price went from ${formatMagnitude(before.price)} ${currency} (${formatDay(before.asOf)}) to ${formatMagnitude(latest.price)} ${currency} (${formatDay(latest.asOf)}).`,
    figures: [
      { name: "price", value: latest.price, unit: currency },
      { name: "previous_price", value: before.price, unit: currency },
      { name: "change_percent", value: percent, unit: "%" },
    ],
    query: { name: "InsightPriceMove", variables: { latest: latest.id, before: before.id } },
    recordIds: [latest.id, before.id],
  };
}
