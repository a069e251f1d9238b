/** What a factor of a series has in common with its other editions, and its year. */
export interface EditionTraits {
  readonly activity: string;
  readonly otherName: string | null;
  readonly detail: string | null;
  readonly region: string;
  readonly scope: string;
  readonly category: string;
  readonly gas: string;
  readonly unit: string;
  readonly source: string;
  readonly sourceYear: number;
  readonly isOwn: boolean;
}

/** Years and financial years in the detail of a factor. */
export const YEARS = /\b(19|20)\d\d(-\d\d)?\b/g;

/** Returns the key that the editions of a publisher's series share: all but the year, which may also stand in the detail. */
export function seriesOf(factor: EditionTraits): string {
  const { activity, detail, region, scope, category, gas, unit } = factor;
  const name = detail?.replaceAll(YEARS, "") ?? "";
  return [publisherOf(factor), activity, name, region, scope, category, gas, unit].join("|").toLowerCase();
}

/** The publisher, which comes first in the title of a publication; years and versions follow it. */
export const publisherOf = ({ source, isOwn }: Pick<EditionTraits, "source" | "isOwn">): string =>
  isOwn ? "" : (source.split(/[,(]|\b\d/)[0]?.trim() ?? "");

/**
 * Compares years of one series' editions by how well they fit a wanted year: the latest up to it comes first, those before
 * it next, and newer ones last, the oldest first.
 */
export function compareEditions(one: number, other: number, wanted: number): number {
  const isNewer = one > wanted;
  if (isNewer !== other > wanted) return isNewer ? 1 : -1;
  return isNewer ? one - other : other - one;
}
