import { percentOf } from "../decimals.js";

/** Change of a part, such as a scope or a facility, from the previous period. Amounts are plain decimals in tonnes. */
export interface PartDifference<Part> {
  readonly part: Part;
  readonly before: string;
  readonly now: string;
  /** Negative for a reduction. */
  readonly change: string;
}

/** A part's contribution to the change of a total. */
export interface Contribution<Part> extends PartDifference<Part> {
  /**
   * The change in percent of the sum of all changes in its direction, with 2 decimals: a reduction's share of all
   * reductions, an increase's share of all increases. If every part moves in one direction, that sum is the change of
   * the total.
   */
  readonly sharePercent: number;
}

/** The largest changes of parts, with totals for all changes. */
export interface Changes<Change> {
  /** Largest change first. */
  readonly largest: readonly Change[];
  /** Number of parts whose emissions changed. */
  readonly count: number;
  /** Sum of the reductions: negative or zero. */
  readonly falls: string;
  /** Sum of the increases. */
  readonly rises: string;
  /** True if a changed part had emissions in the previous period. */
  readonly hasPrevious: boolean;
}

/** Adds its share to a change. */
export const shareIn = <Part>(
  { falls, rises }: Changes<unknown>,
  part: PartDifference<Part>,
): Contribution<Part> => ({
  ...part,
  sharePercent: percentOf(part.change, part.change.startsWith("-") ? falls : rises, 2) ?? 0,
});
