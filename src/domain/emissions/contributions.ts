import { addDecimals, percentOf, subtractDecimals } from "../amounts.js";

/** Emissions of a part, such as a scope or a facility, in a period and in the one before, as plain decimals of tonnes. */
export interface PartChange<Part> {
  readonly part: Part;
  readonly before: string;
  readonly now: string;
}

/** What a part contributes to the change of a total. */
export interface Contribution<Part> extends PartChange<Part> {
  /** Negative for a reduction. */
  readonly change: string;
  /**
   * The change in percent of the sum of all changes in its direction, with 2 decimals: of the reductions for a reduction, of the
   * increases for an increase. If every part moves in one direction, that sum is the change of the total.
   */
  readonly sharePercent: number;
}

/** The parts that changed, largest change first. */
export function listContributions<Part>(parts: readonly PartChange<Part>[]): Contribution<Part>[] {
  const changes = parts
    .map((part) => ({ ...part, change: subtractDecimals(part.now, part.before) }))
    .filter(({ change }) => change !== "0");
  const sumOf = (falls: boolean) =>
    addDecimals(changes.map(({ change }) => change).filter((change) => isFall(change) === falls));
  const [falls, rises] = [sumOf(true), sumOf(false)];
  return changes
    .map((part) => ({
      ...part,
      sharePercent: percentOf(part.change, isFall(part.change) ? falls : rises, 2) ?? 0,
    }))
    .sort((one, other) => Math.abs(Number(other.change)) - Math.abs(Number(one.change)));
}

const isFall = (change: string) => change.startsWith("-");
