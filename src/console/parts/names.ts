import { capitalize } from "../../domain/texts/capitalize.js";

const NAMES: Readonly<Record<string, string>> = {
  SCOPE_1: "Scope 1",
  SCOPE_2: "Scope 2",
  SCOPE_3: "Scope 3",
  EU_CBAM: "EU CBAM",
  SG_CCS: "SG CCS",
  GHG_PROTOCOL: "GHG Protocol",
  EXCHANGE_FEED: "Exchange",
};

const ACRONYMS = new Set(["CCTS", "BRSR", "CDP", "TCFD"]);

/**
 * Returns the label of an enum value or code: `ACTION_REQUIRED` is "Action required". Leaves mixed case unchanged.
 */
export function nameOf(code: string): string {
  const name = NAMES[code];
  if (name !== undefined || ACRONYMS.has(code) || /[a-z].*[A-Z]|[A-Z].*[a-z]/.test(code)) return name ?? code;
  const words = code.toLowerCase().replaceAll("_", " ");
  return capitalize(words);
}
