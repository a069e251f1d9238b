/** Markets that callers can filter prices by. */
export const GEOGRAPHIES = ["india", "singapore", "global"] as const;
export type Geography = (typeof GEOGRAPHIES)[number];

/** Regions of credit types that are traded in one country only. They apply to prices without a region. */
const HOME_REGIONS: Readonly<Record<string, string>> = {
  CCC: "India",
  ESCert: "India",
  SG_CARBON_TAX: "Singapore",
  CCS_offset: "Singapore",
};

/** Returns the default region of a price; null if its credit type has none. */
export const defaultRegion = (creditType: string): string | null => HOME_REGIONS[creditType] ?? null;

/** Returns the market of a price's region: a country's own, or the global one. */
export const geographyOf = (region: string | null): Geography =>
  GEOGRAPHIES.find((geography) => geography === region?.toLowerCase()) ?? "global";

/** Default unit of the quantity that a price is for. */
export const PRICE_UNIT = "tCO2e";
