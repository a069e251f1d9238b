import { percentOf } from "../decimals.js";

/** Change in a part's emissions, such as a facility's, from the previous period. Plain decimals in tonnes. */
export interface PartDifference<Part> {
  readonly part: Part;
  readonly before: string;
  readonly now: string;
  /** Negative for a reduction. */
  readonly change: string;
}

/** A part's contribution to the change in a total. */
export interface Contribution<Part> extends PartDifference<Part> {
  /**
   * The change as a percentage of all changes in the same direction, with 2 decimals. If all parts move in one
   * direction, this is the share of the change in the total.
   */
  readonly sharePercent: number;
}

/** The largest changes, with totals for all changes. */
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

/** Adds the share to a change. */
export const withShare = <Part>(
  { falls, rises }: Changes<unknown>,
  part: PartDifference<Part>,
): Contribution<Part> => ({
  ...part,
  sharePercent: percentOf(part.change, part.change.startsWith("-") ? falls : rises, 2) ?? 0,
});
