/** A term explained in our own words, with the publication that defines it. */
export interface Definition {
  /** The term as written in an answer. */
  readonly term: string;
  /** Pattern of the term's spellings, in lower case. */
  readonly names: string;
  readonly text: string;
  readonly source: { readonly title: string; readonly url: string };
}

const CORPORATE_STANDARD = {
  title: "GHG Protocol Corporate Accounting and Reporting Standard",
  url: "https://ghgprotocol.org/corporate-standard",
};
const SCOPE_2_GUIDANCE = {
  title: "GHG Protocol Scope 2 Guidance",
  url: "https://ghgprotocol.org/scope-2-guidance",
};
const SCOPE_3_STANDARD = {
  title: "GHG Protocol Corporate Value Chain (Scope 3) Standard",
  url: "https://ghgprotocol.org/corporate-value-chain-scope-3-standard",
};
const AR6 = {
  title: "IPCC AR6 Working Group I, chapter 7",
  url: "https://www.ipcc.ch/report/ar6/wg1/chapter/chapter-7/",
};
const BEE = {
  title: "Bureau of Energy Efficiency, Indian Carbon Market",
  url: "https://beeindia.gov.in/en/programmes/carbon-market",
};
const COMMISSION_CBAM = {
  title: "European Commission, Carbon Border Adjustment Mechanism",
  url: "https://taxation-customs.ec.europa.eu/carbon-border-adjustment-mechanism_en",
};
const COMMISSION_ETS = {
  title: "European Commission, EU Emissions Trading System",
  url: "https://climate.ec.europa.eu/eu-action/carbon-markets/eu-emissions-trading-system-eu-ets_en",
};

/** Terms with an explanation. */
export const DEFINITIONS: readonly Definition[] = [
  {
    term: "Scope 1",
    names: "scope (?:1|one)(?: emissions)?",
    text: "the direct emissions of sources that an organization owns or controls, such as boilers, furnaces and vehicles",
    source: CORPORATE_STANDARD,
  },
  {
    term: "Scope 2",
    names: "scope (?:2|two)(?: emissions)?",
    text: "the indirect emissions of the electricity, steam, heat and cooling that an organization buys and uses",
    source: SCOPE_2_GUIDANCE,
  },
  {
    term: "Scope 3",
    names: "scope (?:3|three)(?: emissions)?",
    text: "all other indirect emissions of an organization's value chain, such as purchased goods, transport, travel and the use of its products",
    source: SCOPE_3_STANDARD,
  },
  {
    term: "Location-based",
    names: "(?:the )?location[- ]based(?: method| emissions| scope 2)?",
    text: "the method for scope 2 that counts electricity with the average emissions of the grid it was used on",
    source: SCOPE_2_GUIDANCE,
  },
  {
    term: "Market-based",
    names: "(?:the )?market[- ]based(?: method| emissions| scope 2)?",
    text: "the method for scope 2 that counts electricity with the emissions of the contracts and certificates by which it was bought",
    source: SCOPE_2_GUIDANCE,
  },
  {
    term: "tCO2e",
    names: "t ?co2e?|tonnes? (?:of )?co2e?|co2e|co2 equivalents?|carbon dioxide equivalents?",
    text: "a tonne of carbon dioxide equivalent: the amount of a greenhouse gas that warms the climate as much as a tonne of carbon dioxide would",
    source: CORPORATE_STANDARD,
  },
  {
    term: "GWP",
    names: "gwps?|global warming potentials?",
    text: "global warming potential: how much a kilogram of a gas warms the climate over a number of years, compared with a kilogram of carbon dioxide",
    source: AR6,
  },
  {
    term: "CBAM",
    names: "(?:eu )?cbam|(?:the )?(?:eu )?carbon border adjustment mechanism",
    text: "the EU's Carbon Border Adjustment Mechanism: importers of goods such as steel, cement and aluminium surrender certificates for the emissions embedded in them",
    source: COMMISSION_CBAM,
  },
  {
    term: "CCTS",
    names: "ccts|(?:the )?carbon credit trading scheme",
    text: "India's Carbon Credit Trading Scheme: obligated entities have targets for their emissions per unit of output, and trade carbon credit certificates",
    source: BEE,
  },
  {
    term: "CCC",
    names: "cccs?|carbon credit certificates?",
    text: "a carbon credit certificate of India's Carbon Credit Trading Scheme, which stands for a tonne of carbon dioxide equivalent",
    source: BEE,
  },
  {
    term: "EU ETS",
    names: "(?:the )?(?:eu )?ets|(?:the )?eu emissions? trading system",
    text: "the EU's Emissions Trading System: a limit on the emissions of power, industry and aviation, whose operators surrender an allowance for each tonne",
    source: COMMISSION_ETS,
  },
  {
    term: "EUA",
    names: "euas?|(?:eu |european union )allowances?",
    text: "an allowance of the EU's Emissions Trading System, the right to emit a tonne of carbon dioxide equivalent",
    source: COMMISSION_ETS,
  },
  {
    term: "Emission factor",
    names: "emissions? factors?",
    text: "the emissions of one unit of an activity, such as the kilograms of carbon dioxide equivalent of a kilowatt-hour",
    source: CORPORATE_STANDARD,
  },
  {
    term: "Retirement of credits",
    names:
      "(?:credit )?retirements?(?: of (?:carbon )?credits)?|retired credits?|retiring (?:carbon )?credits?",
    text: "taking a carbon credit out of circulation for good, so that its tonne can be claimed once and never sold again",
    source: { title: "ICVCM Core Carbon Principles", url: "https://icvcm.org/core-carbon-principles/" },
  },
];

const ASKED =
  "(?:what(?:'s| is| are| does)|whats|define|explain|(?:what is )?the (?:meaning|definition) of|definition of|meaning of|what do you mean by|what do we mean by)";

/** Returns the definition a question asks for; undefined if it asks for anything else. */
export function findDefinition(question: string): Definition | undefined {
  const text = question
    .toLowerCase()
    .replaceAll(/[?!."“”]/g, " ")
    .replaceAll("₂", "2")
    .replaceAll("’", "'")
    .replaceAll(/\s+/g, " ")
    .trim();
  return DEFINITIONS.find(({ names }) =>
    new RegExp(`^(?:please )?${ASKED} (?:an? |the )?(?:${names})(?: mean| stand for)?(?: please)?$`).test(
      text,
    ),
  );
}
