import { wordsOf } from "./text.js";

/** Explanation of a term in our own words, with the publication that defines it. */
export interface Definition {
  /** The term as written in an answer. */
  readonly term: string;
  /** Pattern of the term's spellings, in lower case. */
  readonly names: string;
  readonly text: string;
  readonly source: { readonly title: string; readonly url: string };
}

/** Title and address of each publication. */
const SOURCES: Readonly<Record<string, string>> = {
  corporate:
    "GHG Protocol Corporate Accounting and Reporting Standard https://ghgprotocol.org/corporate-standard",
  scope2: "GHG Protocol Scope 2 Guidance https://ghgprotocol.org/scope-2-guidance",
  scope3:
    "GHG Protocol Corporate Value Chain (Scope 3) Standard https://ghgprotocol.org/corporate-value-chain-scope-3-standard",
  ar6: "IPCC AR6 Working Group I, chapter 7 https://www.ipcc.ch/report/ar6/wg1/chapter/chapter-7/",
  bee: "Bureau of Energy Efficiency, Indian Carbon Market https://beeindia.gov.in/en/programmes/carbon-market",
  cbam: "European Commission, Carbon Border Adjustment Mechanism https://taxation-customs.ec.europa.eu/carbon-border-adjustment-mechanism_en",
  ets: "European Commission, EU Emissions Trading System https://climate.ec.europa.eu/eu-action/carbon-markets/eu-emissions-trading-system-eu-ets_en",
  icvcm: "ICVCM Core Carbon Principles https://icvcm.org/core-carbon-principles/",
};

/** One term per line: the term; the pattern of its spellings, in lower case; its source; its explanation. */
const TERMS = `
Scope 1; scope (?:1|one)(?: emissions)?; corporate; direct emissions from sources that an organization owns or controls, such as boilers, furnaces and vehicles
Scope 2; scope (?:2|two)(?: emissions)?; scope2; indirect emissions from the electricity, steam, heat and cooling that an organization buys and uses
Scope 3; scope (?:3|three)(?: emissions)?; scope3; all other indirect emissions in an organization's value chain, such as those from purchased goods, transport, travel and the use of its products
Location-based; (?:the )?location based(?: method| emissions| scope 2)?; scope2; the scope 2 method that uses the average emissions of the grid where electricity is consumed
Market-based; (?:the )?market based(?: method| emissions| scope 2)?; scope2; the scope 2 method that uses the emissions of the contracts and certificates under which electricity was bought
tCO2e; t ?co2e?|tonnes? (?:of )?co2e?|co2e|co2 equivalents?|carbon dioxide equivalents?; corporate; a tonne of carbon dioxide equivalent: the amount of a greenhouse gas that warms the climate as much as a tonne of carbon dioxide
GWP; gwps?|global warming potentials?; ar6; global warming potential: how much a kilogram of a gas warms the climate over a given period, compared with a kilogram of carbon dioxide
CBAM; (?:eu )?cbam|(?:the )?(?:eu )?carbon border adjustment mechanism; cbam; the EU's Carbon Border Adjustment Mechanism: importers of goods such as steel, cement and aluminium surrender certificates for the emissions embedded in those goods
CCTS; ccts|(?:the )?carbon credit trading scheme; bee; India's Carbon Credit Trading Scheme: obligated entities have targets for their emissions per unit of output and can trade carbon credit certificates
CCC; cccs?|carbon credit certificates?; bee; a carbon credit certificate under India's Carbon Credit Trading Scheme, representing one tonne of carbon dioxide equivalent
EU ETS; (?:the )?(?:eu )?ets|(?:the )?eu emissions? trading system; ets; the EU's Emissions Trading System: a cap on emissions from power, industry and aviation, whose operators surrender one allowance for each tonne
EUA; euas?|(?:eu |european union )allowances?; ets; an allowance under the EU's Emissions Trading System: the right to emit one tonne of carbon dioxide equivalent
Emission factor; emissions? factors?; corporate; the emissions per unit of an activity, such as kilograms of carbon dioxide equivalent per kilowatt-hour
Retirement of credits; (?:credit )?retirements?(?: of (?:carbon )?credits)?|retired credits?|retiring (?:carbon )?credits?; icvcm; taking a carbon credit out of circulation permanently, so that its tonne is claimed only once and the credit is never sold again
`;

const DEFINITIONS: readonly Definition[] = TERMS.trim()
  .split("\n")
  .map((line) => {
    const [term = "", names = "", source = "", ...text] = line.split("; ");
    const [, title = "", url = ""] = /^(.*) (\S+)$/.exec(SOURCES[source] ?? "") ?? [];
    return { term, names, text: text.join("; "), source: { title, url } };
  });

const ASKED =
  "(?:what(?: s| is| are| does)|whats|define|explain|(?:what is )?the (?:meaning|definition) of|definition of|meaning of|what do (?:you|we) mean by)";

/** Returns the definition a question asks for; undefined if it asks for anything else. */
export function findDefinition(question: string): Definition | undefined {
  const text = wordsOf(question).join(" ");
  const isAsked = ({ names }: Definition) =>
    new RegExp(`^(?:please )?${ASKED} (?:an? |the )?(?:${names})(?: mean| stand for)?(?: please)?$`).test(
      text,
    );
  return DEFINITIONS.find(isAsked);
}
