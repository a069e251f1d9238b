/** Fields of a factor that say what it is for. */
export interface FactorPurpose {
  readonly activity: string;
  readonly otherName: string | null;
  readonly detail: string | null;
  readonly region: string;
  readonly scope: string;
  readonly category: string;
  readonly gas: string;
  readonly unit: string;
}

/** Purpose of a factor, which its other editions share, and its publication. */
interface EditionTraits extends FactorPurpose {
  readonly source: string;
  readonly sourceYear: number;
  readonly isOwn: boolean;
}

/** Matches years and financial years in a factor's detail. */
export const YEARS = /\b(19|20)\d\d(-\d\d)?\b/g;

/** Returns the key shared by all editions of a factor: its purpose without the other name, and without years. */
export function seriesOf(factor: EditionTraits): string {
  const { activity, detail, region, scope, category, gas, unit } = factor;
  const name = detail?.replaceAll(YEARS, "") ?? "";
  return [publisherOf(factor), activity, name, region, scope, category, gas, unit].join("|").toLowerCase();
}

/**
 * Returns the publisher: the publication's title up to a comma, a parenthesis or a number. Empty for an organization's
 * own factor.
 */
export const publisherOf = ({ source, isOwn }: Pick<EditionTraits, "source" | "isOwn">): string =>
  isOwn ? "" : (source.split(/[,(]|\b\d/)[0]?.trim() ?? "");

/**
 * Compares the years of editions by how well they fit a wanted year: years up to it first, latest first; then newer
 * years, oldest first.
 */
export function compareEditions(one: number, other: number, wanted: number): number {
  const isNewer = one > wanted;
  if (isNewer !== other > wanted) return isNewer ? 1 : -1;
  return isNewer ? one - other : other - one;
}
