import type { Framework } from "../enums.js";
import type { Part, Step } from "./question.js";

/** Returns a pattern that matches whole words. */
export const word = (source: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])`, "u");

/** Words that do not affect the question. Any other word must be understood: the reader never skips one. */
const FILLERS = new Set(
  `what what's whats which how much is are was were be been do does did have has had there we us our ours my i me the a an of in on at
   for from to as and please show tell give get list see want like need know find you your hi hello hey thanks thank only just all
   overall whole entire company organization organisation current currently now during over across that it's up`.split(
    /\s+/,
  ),
);
export const isFiller = (text: string): boolean => FILLERS.has(text);

/** Polite phrases that do not affect the question. */
export const COURTESIES = word(
  "can you|could you|would you|(?:i|we)(?:'d| would) like to|by how much|so far|do we have|take a look at",
);

/** Openings that make a question continue the previous one. */
export const GOES_ON =
  /^\s*(?:(?:ok|okay|so|now)\s*,?\s*)?(?:and|what about|how about|same for|the same for|also|now)(?![\p{L}\p{N}])/u;

export const PART_WORDS: Readonly<Record<Part, string>> = {
  scope: "scopes?",
  facility: "facilit(?:y|ies)|sites?|plants?|factor(?:y|ies)|locations?|emitters?",
  category: "categor(?:y|ies)|sources?(?: of emissions)?|activit(?:y|ies)",
  country: "countr(?:y|ies)",
};
export const STEP_WORDS: Readonly<Record<Step, string>> = {
  month: "monthly|(?:by|per|each|every) month|month by month|month on month|month over month",
  quarter: "quarterly|(?:by|per|each|every) quarter|quarter by quarter",
  year: "yearly|annually|(?:by|per|each|every) (?:calendar )?year|year by year",
};

export const EMISSIONS = word(
  "emissions?|emit(?:s|ted|ting)?|(?:carbon |ghg |greenhouse gas )?footprint|ghgs?|greenhouse gas(?:es)?|t?co2e?|tonnes|tons|produced?|caused?|generated?|released?",
);
export const TOTAL = word("totals?|sum|amount|amounts");
export const CREDITS = word("(?:carbon )?(?:credits?|offsets?)|credit portfolio|portfolio");
export const PRICES = word("(?:market )?prices?|priced|trading at|worth|quotes?|quotations?");
export const DEADLINES = word("deadlines?|due(?: dates?)?|filings?|submissions?|obligations?");
export const OVERDUE = word("overdue|late|missed");
export const STATUS = word("status(?:es)?|compliant|compliance|frameworks?|standing");
export const FACTORS = word("(?:emissions? )?factors?(?: used)?");

export const TREND = word("trends?|over time|develop(?:ed|ment)?|history|evol(?:ve|ved|ution)|time series");
export const BREAKDOWN = word("break ?downs?|broken down|break down|split|distribution|breakdown of");
export const COMPARE = word(
  "compar(?:e|ed|ing|ison)|versus|vs\\.?|than|differen(?:ce|t)|changed?|changes|increased?|decreased?|rise|rose|risen|fall|fell|fallen|drop|dropped|declined?|grown?|grew|(?:gone|went|go|going) (?:up|down)(?: or (?:up|down))?|up or down",
);
/** Words that compare only next to others such as "than": "emissions less scope 3" is a subtraction. */
export const MORE = word("more|less|higher|lower");
/** Phrases that name the previous year in a comparison. */
export const YEAR_ON_YEAR = word(
  "(?:the )?same (?:period|month|months|quarter|time|days) (?:of )?(?:the )?(?:last|previous|year before|a year ago|a year earlier|prior)(?: year)?|a year (?:ago|before|earlier)|the year before|year[- ]on[- ]year|year[- ]over[- ]year|yoy",
);
export const PERIOD_BEFORE = word(
  "(?:the )?(?:previous|preceding|prior) (?:period|one)|(?:the )?period before|the (?:month|quarter|months) before",
);
export const FORECAST = word(
  "forecasts?|forecasted|predict(?:ion|ions|ed)?|expect(?:ed)?|project(?:ion|ions|ed)|outlook|will|going to be",
);
export const COUNT = word("how many|number of|count(?: of)?");
export const RECORDS = word("records?|entries|data points");

/** Words of questions that could also be the name of something. */
export const GRAMMAR: readonly RegExp[] = [
  COURTESIES,
  EMISSIONS,
  TOTAL,
  CREDITS,
  PRICES,
  DEADLINES,
  OVERDUE,
  STATUS,
  FACTORS,
  RECORDS,
  COUNT,
  TREND,
  BREAKDOWN,
  COMPARE,
  YEAR_ON_YEAR,
  FORECAST,
  ...[...Object.values(PART_WORDS), ...Object.values(STEP_WORDS)].map(word),
];

/** Words that have a meaning only next to others. A phrase of these alone names nothing. */
export const NEAR_GRAMMAR =
  /^(?:last|next|past|previous|this|day|days|week|weeks|month|months|quarter|quarters|year|years|by|per|each|every|since|until|top|most|worst|best|not|no|without|except|all|largest|highest|available|issued|sold|retired|scope)$/;

const FRAMEWORK_WORDS: Readonly<Record<Framework, string>> = {
  CCTS: "ccts",
  BRSR: "brsr",
  EU_CBAM: "(?:eu[ _])?cbam",
  SG_CCS: "sg[ _]ccs",
  GHG_PROTOCOL: "ghg[ _]protocol",
  SBTi: "sbti",
  CDP: "cdp",
  TCFD: "tcfd",
};
export const FRAMEWORK_PATTERNS = (Object.keys(FRAMEWORK_WORDS) as Framework[]).map(
  (framework) => [framework, word(FRAMEWORK_WORDS[framework])] as const,
);
