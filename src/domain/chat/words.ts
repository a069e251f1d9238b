import type { Framework } from "../enums.js";
import type { Part, Step } from "./question.js";

/** Returns a pattern that matches whole words. */
export const word = (source: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])`, "u");
const words = (text: string) => new Set(text.split(/\s+/));

/** Words that do not affect the question. All other words must be understood. */
const FILLERS =
  words(`what what's whats which how much is are isn't was were be been being do does did have has had there there's we we've we're us our ours
  my i i'm me the a an of in on at for from to as and or please show tell give get list see want like need know find you your hi hello hey
  thanks thank only just all whole entire company company's organization organization's organisation organisation's business firm group
  current currently now during over across that those these this it it's its so then up by with into out if any some about come comes coming
  came go goes went look looks looking like make makes made get gets got put display view print provide report calculate work works working
  reporting recorded through within value figure figures number numbers level levels data exactly roughly approximately really actually
  also again anything something everything both many still yet already quick quickly who whose where when let's can could would doing summary overview`);
export const isFiller = (text: string): boolean => FILLERS.has(text);

/** Openings of a follow-up question. */
export const CONTINUES =
  /^\s*(?:(?:ok|okay|so|now)\s*,?\s*)?(?:and|what about|how about|same for|the same for|also|now|only)(?![\p{L}\p{N}])/u;

export const PART_WORDS: Readonly<Record<Part, string>> = {
  scope: "scopes?",
  facility:
    "facilit(?:y|ies)|sites?|plants?|factor(?:y|ies)|locations?|emitters?|polluters?|offices?|warehouses?|buildings?|places?",
  category:
    "categor(?:y|ies)|sources?(?: of (?:our )?(?:emissions?|carbon|co2e?))?|activit(?:y|ies)|areas?|hot ?spots?|drivers?",
  country: "countr(?:y|ies)|nations?",
};
export const STEP_WORDS: Readonly<Record<Step, string>> = {
  month: "months?|monthly",
  quarter: "quarters?|quarterly",
  year: "years?|yearly|annually|annual",
};
/** Words before a dimension that split emissions by it. */
export const EACH =
  "by|per|for each|each|for every|every|across|between|into|in each|at each|of each|which|what|a";

/** Creates patterns that match whole words. */
const createPatterns = <Name extends string>(sources: Readonly<Record<Name, string>>) =>
  Object.fromEntries(
    Object.entries<string>(sources).map(([name, source]) => [name, word(source)]),
  ) as Readonly<Record<Name, RegExp>>;

/** Phrases that determine the meaning of a question. */
export const PHRASES = createPatterns({
  /** Phrases that do not affect the question. */
  courtesies: `(?:can|could|would) you(?: please)?|(?:i|we)(?:'d| would) like to(?: know| see)?|by how much|so far|do we have|take a look at|good (?:morning|afternoon|evening)|let me know|at the moment|right now|to date|as of (?:now|today)|(?:can|could|may) (?:i|we)(?: (?:see|get|have|know))?|how (?:high|low|big|large)(?= (?:is|are|was|were) )`,
  emissions: `(?:carbon|ghg|greenhouse[- ]gas|climate|co2e?|environmental)? ?(?:emissions?|foot ?prints?|impact|output)|emit(?:s|ted|ting|ters)?|emissons?|foot ?prints?|ghgs?|greenhouse[- ]gas(?:es)?|t?co2e?q?|carbon(?: dioxide)?(?! (?:credit|price|offset|market|tax))|tonnes|tons|tco2|pollut(?:e|es|ed|ion|ing)|produc(?:e|es|ed|ing)|caus(?:e|es|ed)|generat(?:e|es|ed|ing)|releas(?:e|es|ed|ing)|responsible(?: for)?|put out|burn(?:t|ed|s|ing)?|consum(?:e|ed|es|ing|ption)`,
  total: `totals?|sum|amounts?|summary|overview|doing|overall|altogether|in total|combined|in all|gross|grand total`,
  credits: `(?:carbon )?(?:credits?|offsets?)|(?:credit |carbon )?portfolio`,
  prices: `(?:market )?prices?|priced|pricing|trading(?: at)?|trades?|worth|quotes?|quotations?|costs?|going rate`,
  deadlines: `deadlines?|due(?: dates?)?(?! to)|filings?|submissions?|obligations?|submit|file`,
  overdue: `overdue|late|missed|(?<!what(?:'s| is| was) )behind(?! (?:the|this|that|these|our|it))`,
  status: `status(?:es)?|compliant|compliance|frameworks?|standing|standards|regulations?`,
  factors: `(?:emissions? |conversion )factors?(?: used)?|factors? (?=for|of)|factor used`,
  trend: `trends?|trended|over time|develop(?:ed|ment)?|history|evol(?:ve|ved|ution)|time ?(?:series|line)|month by month|month on month|month over month|quarter by quarter|year by year`,
  breakdown: `break ?downs?|broken down|break (?:it |them )?down|split(?: up)?|distribut(?:ion|ed)|composition|make ?up|divided`,
  compare: `compar(?:e|es|ed|ing|ison)|versus|vs\\.?|than|differen(?:ce|t)|chang(?:e|ed|es|ing)|up or down|down or up|progress|against`,
  up: `increas(?:e|es|ed|ing)|rise|rises|rose|risen|rising|grow(?:n|s|th|ing)?|grew|(?:gone|went|go|going|trending|trend) up|up|climb(?:ed|ing)?|jump(?:ed)?|worsen(?:ed|ing)?`,
  down: `decreas(?:e|es|ed|ing)|fall|falls|fell|fallen|falling|drop(?:s|ped|ping)?|declin(?:e|ed|es|ing)|(?:gone|went|go|going|trending|trend) down|down|reduc(?:e|ed|es|ing|tions?)|cut|sav(?:e|ed|ings?)|improv(?:e|ed|es|ing|ements?)|shr(?:ink|ank|unk)`,
  /** Words that compare only next to a baseline: "emissions less scope 3" is a subtraction. */
  more: `more|higher|worse|greater|larger|bigger`,
  less: `less|lower|better|fewer|smaller`,
  baseline: `than|versus|vs\\.?|(?:in )?compar(?:ed|ison) (?:to|with)|relative to|against|year[- ]on[- ]year`,
  /** Phrases that name the previous year in a comparison. */
  yearOnYear: `(?:the )?same (?:period|month|months|quarter|time|days) (?:of |in )?(?:the )?(?:last|previous|year before|a year ago|a year earlier|prior)(?: year)?|(?:than )?this time last year|a year (?:ago|before|earlier)|the year before|year[- ]on[- ]year|year[- ]over[- ]year|y[- ]?o[- ]?y|(?:the )?(?:previous|preceding|prior) year(?<=(?:last (?:month|quarter|year)|q[1-4]|20\\d\\d)(?![\\p{L}\\p{N}]).*)`,
  periodBefore: `(?:the )?(?:previous|preceding|prior) (?:period|one)|(?:the )?period before|the (?:month|quarter|months) before|(?:the )?previous month(?= *[?.]*$)|(?:the )?(?:previous|preceding|prior) quarter(?<=(?:last quarter|q[1-4])(?![\\p{L}\\p{N}]).*)`,
  forecast: `forecasts?|forecasted|forecasting|predict(?:ion|ions|ed)?|expect(?:ed)?|project(?:ion|ions|ed)|outlook|will|going to be|likely|estimate(?: for)?`,
  count: `how many|number of|count(?: of)?`,
  /** Questions about the number of parts, not their emissions. */
  counted: `(?:how many|number of|count(?: of)?) (?:of )?(?:our |the |all |different )*(?:${Object.values(PART_WORDS).join("|")})`,
  records: `(?:emission )?(?:records?|entries|data points|rows)`,
  average: `on average|averages?|averaged|mean|avg\\.?|typical(?:ly)?|usual(?:ly)?|normal(?:ly)?`,
  share: `(?:what |which )?(?:shares?|percent(?:age)?s?|per cent|%|proportions?|fractions?|portions?)|what part|how (?:big|large) a (?:part|share)|contribut(?:e|es|ed|ions?)(?: to)?|accounts? for|accounted for|make up|makes up`,
  /** "How much of our footprint is travel": an amount, and its share. */
  muchOf: `how much of(?: our| the| all| my)*(?: total| whole| entire| overall)?(?= (?:carbon |ghg |co2e? )?(?:emissions?|foot ?print|total|co2|carbon))`,
  largest: `largest|biggest|highest|top|worst|main|major|most|peak(?:ed)?|maximum|max|greatest|dirtiest|heaviest|leading|primary|hot ?spots?`,
  smallest: `smallest|lowest|least|fewest|best|minimum|min|cleanest|greenest`,
  why: `why|reasons?(?: for)?|what (?:drove|drives|explains|caused|is driving|was driving|made)|what's (?:behind|driving)|what is behind|behind|due to what|explain`,
  unusual: `unusual(?:ly)?|anomal(?:y|ies|ous)|outliers?|spikes?|strange|oddit(?:y|ies)|unexpected|abnormal(?:ities)?|irregular(?:ities)?|suspicious|out of the ordinary|stand(?:s)? out|weird`,
  latest: `latest (?:record|entry|data)|most recent (?:record|entry|data)|last (?:record|entry)|last recorded|how (?:up[- ]to[- ]date|recent|current)|up[- ]to[- ]date|(?:newest|latest) (?:emission )?records?`,
  missing: `missing|gaps?|no (?:data|records?|entries)|without (?:data|records?|entries)|incomplete`,
  ratio: `(?:carbon |emissions? )?intensit(?:y|ies)|market[- ]based|per (?:employee|head|person|fte|unit|revenue|turnover|tonne|product|million|m2|square met(?:er|re))(?: of \\p{L}+)?|(?:data )?coverage|relative to revenue`,
  /** The chat cannot answer questions about targets. */
  targets: `targets?|goals?|on track|net[- ]zero|carbon[- ]neutral|carbon budget|ambitions?`,
});

/** Requests for advice or opinions, which the data cannot answer. */
export const ADVICE =
  /how (?:do|can|could|should|would|might) (?:we|i|you|one) (?:best )?(?:reduc|cut|lower|sav|improv|offset|avoid|get|reach|decarb)|how to |(?<!when )should (?:we|i)|recommend|suggest|advice|advise|\bideas?\b|what can (?:we|i) do/u;
/** Words that change the meaning of a question. They are never searched for in records. */
const OPERATORS =
  words(`not no without except excluding exclude besides minus plus less more than above below under over before after until since
  average median per each every if unless target targets goal goals budget limit zero why how should than employee employees revenue
  top highest lowest week weeks day days weekly daily hourly hour scope`);
export const isOperator = (text: string): boolean => OPERATORS.has(text);

/** Words that have a meaning only next to others. A phrase with nothing else is not a name. */
export const NEAR_GRAMMAR =
  /^(?:last|next|past|previous|this|day|days|week|weeks|month|months|quarter|quarters|year|years|by|per|each|every|since|until|top|most|worst|best|not|no|without|except|all|largest|highest|available|issued|sold|retired|scope)$/;

const FRAMEWORK_WORDS: Readonly<Record<Framework, string>> = {
  CCTS: "ccts|(?:indian? )?carbon credit trading scheme",
  BRSR: "brsr|business responsibility(?: and sustainability report(?:ing)?)?",
  EU_CBAM: "(?:eu[ _])?cbam|(?:eu )?carbon border(?: adjustment(?: mechanism)?)?",
  SG_CCS: "sg[ _]ccs|singapore(?:'s)? carbon (?:tax|pricing(?: act)?)",
  GHG_PROTOCOL: "ghg[ _]protocol|greenhouse gas protocol",
  SBTi: "sbti|science[- ]based targets?(?: initiative)?",
  CDP: "cdp|carbon disclosure project",
  TCFD: "tcfd",
};
export const FRAMEWORK_PATTERNS = (Object.keys(FRAMEWORK_WORDS) as Framework[]).map(
  (framework) => [framework, word(FRAMEWORK_WORDS[framework])] as const,
);
