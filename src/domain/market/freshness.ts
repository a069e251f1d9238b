import { daysBetween, type IsoDate } from "../window.js";

/** After how many days a price is stale: the rhythm of auctions leaves no more than a month between two of them. */
export const STALE_AFTER_DAYS = 35;

/** When a price applies. */
export interface PriceDays {
  /** Null if no day was recorded. */
  readonly asOf: IsoDate | null;
  /** Last day of a statutory rate; null for prices of markets. */
  readonly statutoryUntil: IsoDate | null;
}

/** How many days old a price is on a day; null if it has no day. */
export const ageOf = ({ asOf }: PriceDays, day: IsoDate): number | null =>
  asOf === null ? null : daysBetween(asOf, day);

/** Whether a price says too little about a day: it is older than `staleAfterDays`, or a statutory rate that has ended. */
export function isStale(price: PriceDays, day: IsoDate, staleAfterDays = STALE_AFTER_DAYS): boolean {
  const age = ageOf(price, day);
  if (age === null || age < 0) return true;
  return price.statutoryUntil === null ? age > staleAfterDays : day > price.statutoryUntil;
}
