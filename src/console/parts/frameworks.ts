import type { Framework } from "../../generated/console.js";

/** Full names of the frameworks, in the order of the schema. */
export const FRAMEWORK_NAMES: Readonly<Record<Framework, string>> = {
  CCTS: "Carbon Credit Trading Scheme, India (CCTS)",
  BRSR: "Business Responsibility and Sustainability Report, India (BRSR)",
  EU_CBAM: "Carbon Border Adjustment Mechanism, EU (CBAM)",
  SG_CCS: "Carbon Pricing Act, Singapore",
  GHG_PROTOCOL: "Greenhouse Gas Protocol",
  SBTi: "Science Based Targets initiative (SBTi)",
  CDP: "CDP, formerly the Carbon Disclosure Project",
  TCFD: "Task Force on Climate-related Financial Disclosures (TCFD)",
};
