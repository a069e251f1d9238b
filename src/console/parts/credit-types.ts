/** Names of credit types, with the usual abbreviation if they have one. */
const NAMES: Readonly<Record<string, string>> = {
  ACCU: "Australian carbon credit unit (ACCU)",
  CBAM_CERTIFICATE: "CBAM certificate",
  CCA: "California carbon allowance (CCA)",
  CCC: "Carbon credit certificate, India (CCC)",
  CCS_offset: "International carbon credit, Singapore",
  CEA: "China emission allowance (CEA)",
  ESCert: "Energy saving certificate, India (ESCert)",
  EUA: "EU allowance (EUA)",
  GDEA: "Guangdong emission allowance (GDEA)",
  KAU: "Korean allowance unit (KAU)",
  NZU: "New Zealand unit (NZU)",
  SG_CARBON_TAX: "Singapore carbon tax",
  UKA: "UK allowance (UKA)",
  UK_PEATLAND_PIU: "Peatland Code, pending issuance unit (PIU)",
  UK_WCC_PIU: "Woodland Carbon Code, pending issuance unit (PIU)",
  VCM_INDEX: "Voluntary carbon market index",
  VCS: "Verified Carbon Standard credit (VCS)",
};

/** Returns the name of a credit type, or else its code with spaces for underscores. */
export const creditTypeOf = (code: string): string => NAMES[code] ?? code.replaceAll("_", " ");
