import { daysBetween, type IsoDate } from "../window.js";

/** Age in days above which a price is stale. Auctions are at most a month apart. */
export const STALE_AFTER_DAYS = 35;

/** Days on which a price applies. */
export interface PriceDays {
  /** Null if no day was recorded. */
  readonly asOf: IsoDate | null;
  /** Last day of a statutory rate; null for market prices. */
  readonly statutoryUntil: IsoDate | null;
}

/** Returns the age of a price on a day, in days; null if the price has no day. */
export const ageOf = ({ asOf }: PriceDays, day: IsoDate): number | null =>
  asOf === null ? null : daysBetween(asOf, day);

/** Returns true if a price is undated, too old or in the future on a day, or is a statutory rate that has ended. */
export function isStale(price: PriceDays, day: IsoDate, staleAfterDays = STALE_AFTER_DAYS): boolean {
  const age = ageOf(price, day);
  if (age === null || age < 0) return true;
  return price.statutoryUntil === null ? age > staleAfterDays : day > price.statutoryUntil;
}
