/** Fields of a factor that identify its publisher. */
export interface PublicationTraits {
  readonly source: string;
  readonly isOwn: boolean;
}

/** National authorities: the start of their publications' titles, and the country whose factors they publish. */
const NATIONAL: Readonly<Record<string, string>> = {
  "UK DESNZ": "GB",
  "US EPA": "US",
  "Environment and Climate Change Canada": "CA",
  "Central Electricity Authority (India)": "IN",
  "Energy Market Authority": "SG",
};

/** Publishers of factors for many countries. All others compile factors for one region. */
const INTERNATIONAL = ["Ember", "IPCC", "computed: ASHRAE"];

const hasTitle = (source: string) => (publisher: string) => source.startsWith(publisher);

/**
 * Ranks publications: the organization's own (0), a national authority's (1), regional compilations (2), international
 * ones (3).
 */
export function rankPublication({ source, isOwn }: PublicationTraits): number {
  if (isOwn) return 0;
  if (homeOf({ source, isOwn }) !== null) return 1;
  return INTERNATIONAL.some(hasTitle(source)) ? 3 : 2;
}

/** Returns the code of the country whose national authority published a factor; null for any other publisher. */
export function homeOf({ source, isOwn }: PublicationTraits): string | null {
  if (isOwn) return null;
  const authority = Object.keys(NATIONAL).find(hasTitle(source));
  return authority === undefined ? null : (NATIONAL[authority] ?? null);
}

/** Returns true if a factor for purchased energy includes the emissions of its supply chain, as Ember's factors do. */
export const isLifeCycle = ({
  source,
  scope,
}: {
  readonly source: string;
  readonly scope: string;
}): boolean => scope === "scope_2" && /life-?cycle/i.test(source);
