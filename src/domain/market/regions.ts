/** The markets that prices are asked for by. */
export const GEOGRAPHIES = ["india", "singapore", "global"] as const;
export type Geography = (typeof GEOGRAPHIES)[number];

/** Regions of credit types that are traded in one country alone, for prices that are recorded without a region. */
const HOME_REGIONS: Readonly<Record<string, string>> = {
  CCC: "India",
  ESCert: "India",
  SG_CARBON_TAX: "Singapore",
  CCS_offset: "Singapore",
};

/** The region that a price gets if none is given; null if its credit type has none of its own. */
export const defaultRegion = (creditType: string): string | null => HOME_REGIONS[creditType] ?? null;

/** The market that a price of a region belongs to: a country's own, or the global one. */
export const geographyOf = (region: string | null): Geography =>
  GEOGRAPHIES.find((geography) => geography === region?.toLowerCase()) ?? "global";

/** What a price is for if nothing else is said. */
export const PRICE_UNIT = "tCO2e";
