import { EMISSION_SCOPES } from "../enums.js";
import {
  type OpenQuestion,
  readNames,
  refuse,
  replaced,
  requireThat,
  takeAll,
  takeEach,
} from "./open-question.js";
import { type FoundPeriod, NUMBER, numberOf, takeAhead, takePeriods } from "./periods.js";
import { type EmissionQuestion, type Filter, isStep, type Part, type Step } from "./question.js";
import { type OpenText, openText } from "./text.js";
import * as words from "./words.js";
import { PHRASES } from "./words.js";

const SCOPE = "[123]|one|two|three";
const SCOPE_LIST = words.word(
  `scopes?[ _-]?(${SCOPE})((?: ?(?:,|and|&|/|\\+|, and|vs\\.?|versus|with|or|to|than) ?(?:scope )?(?:${SCOPE}))*)`,
);
const MAX_TOP = 20;

/** A filter with its position in the question. */
type Placed = Filter & { readonly at: number };

/** Takes the named scopes, such as `scope 1 and 2`. Returns them sorted by number. */
export function takeScopes(text: OpenText): Placed[] {
  text.take(words.word("all (?:three |3 )?scopes"));
  const found = new Map<string, number>();
  for (let match = text.take(SCOPE_LIST); match; match = text.take(SCOPE_LIST)) {
    for (const [number] of match[0].matchAll(new RegExp(SCOPE, "g"))) {
      const scope = `scope_${numberOf(number)}`;
      found.set(scope, found.get(scope) ?? match.index);
    }
  }
  return EMISSION_SCOPES.flatMap((scope) => {
    const at = found.get(scope);
    return at === undefined ? [] : [scopeFilter(scope, at)];
  });
}

const scopeFilter = (value: string, at = 0) => ({
  kind: "scope" as const,
  value,
  label: value.replace("_", " "),
  at,
});

/** Words that exclude the scopes after them. */
const EXCLUDED = words.word(
  "(?:excluding|excludes?|excl\\.?|without|except(?: for)?|not (?:including|counting)|(?<=(?:emissions?|foot ?prints?|totals?) )(?:minus|less)|ignoring|leaving out|other than|apart from|but not)(?= scopes? ?[1-3])",
);

function takeScopeFilters(text: OpenText): Placed[] {
  if (!text.take(EXCLUDED)) return takeScopes(text);
  const excluded = takeScopes(text).map(({ value }) => value);
  return EMISSION_SCOPES.filter((scope) => !excluded.includes(scope)).map((scope) => scopeFilter(scope));
}

type Dimension = Part | Step;
const DIMENSIONS = Object.entries({ ...words.STEP_WORDS, ...words.PART_WORDS }) as [Dimension, string][];
const ALL_WORDS = DIMENSIONS.map(([, source]) => source).join("|");
const SUPERLATIVES = "top|bottom|largest|biggest|highest|lowest|worst|best|main|smallest";

/**
 * Takes the dimensions by which a question splits emissions. With `isPlain`, a bare word such as "month" counts too.
 */
function takeDimensions(text: OpenText, isPlain: boolean): { by: Dimension; isSeveral: boolean }[] {
  return DIMENSIONS.flatMap(([by, source]) => {
    const adverbs = isStep(by) ? `|${source.split("|").slice(1).join("|")}` : "";
    const each = words.word(
      `(?:${words.EACH}) (?:single |our |the |all |of |\\p{L}+ing )*(?<name>${source})${adverbs}`,
    );
    const match = text.take(each) ?? (isPlain ? text.take(words.word(`(?<name>${source})`)) : null);
    if (!match) return [];
    takeAll(text, each);
    return [{ by, isSeveral: /s$/.test(match.groups?.["name"] ?? "") }];
  });
}

/** Takes the number of parts that a question asks for, as in `top 5` or `3 largest`; null without one. */
function takeCount(text: OpenText): number | null {
  if (!text.has(words.word(`${ALL_WORDS}|${SUPERLATIVES}|emitters`))) return null;
  const match =
    text.take(words.word(`(?:${SUPERLATIVES}) (${NUMBER})`)) ??
    text.take(words.word(`(${NUMBER})(?= (?:emitting |emission )?(?:${SUPERLATIVES}|${ALL_WORDS}))`));
  return match && Math.min(Math.max(numberOf(match[1] ?? ""), 1), MAX_TOP);
}

/**
 * Takes the filters of a question, in order. Without a reference, one phrase that is not a name becomes a search in
 * records.
 */
function takeFilters(
  open: OpenQuestion<unknown>,
  scopes: readonly Placed[],
  reference: Placed | null,
): Placed[] {
  const { names, phrases } = readNames(open, reference ? 0 : 1);
  const searched = phrases.map(({ words, text, at }) => {
    const singular = words.map((one) =>
      one.replace(/(?<=x|ch|sh|ss|^gas|^bus)es$|(?<=\p{L}{3})(?<!s)s$/u, ""),
    );
    return { kind: "text" as const, value: singular.join(" "), label: text, at };
  });
  return [...scopes, ...names, ...searched, ...(reference ? [reference] : [])].sort(
    (one, other) => one.at - other.at,
  );
}

/** Refusal of a period or split for figures that exist only for the last 12 months. */
export const ONLY_LAST_YEAR =
  "I only have intensity, market-based emissions and coverage as totals for the last 12 months.";

/** Reads a question about emissions. Throws Unanswerable. */
export function readEmissions(
  open: OpenQuestion<EmissionQuestion>,
  reference: Placed | null,
): EmissionQuestion {
  const { message, text, now, previous } = open;
  const lower = message.toLowerCase();
  const take = (source: string) => takeAll(text, words.word(source));
  const early = takeEach(text, ["latest", "count", "yearOnYear", "periodBefore"]);
  const ahead = takeAhead(text, now);
  const isDated = early.yearOnYear || early.periodBefore;
  const hasBaseline = text.has(PHRASES.baseline) || isDated;
  const baselineAt = text.find(PHRASES.baseline);
  const isMoved = [PHRASES.compare, PHRASES.up, PHRASES.down].some((pattern) => text.has(pattern));
  const isAnnual = text.has(PHRASES.average) && take("annual|yearly");
  const found = takePeriods(text, now, isMoved && !text.has(words.word("average|mean")));
  const ratio = takeAll(text, PHRASES.ratio);
  const shareAt = text.find(PHRASES.share);
  const is = takeEach(text, ["share", "muchOf", "why", "unusual", "missing", "forecast", "average"]);
  const count = takeCount(text);
  const how = takeEach(text, ["trend", "breakdown", "up", "down"]);
  const isUp = how.up || (hasBaseline && takeAll(text, PHRASES.more));
  const isDown = how.down || (hasBaseline && takeAll(text, PHRASES.less));
  const isChanged = text.has(words.word("chang(?:e|es|ed|ing)"));
  const isCompared = takeAll(text, PHRASES.compare) || isUp || isDown || isDated;
  const rank = takeEach(text, ["smallest", "largest"]);
  const isTop = rank.largest || rank.smallest || count !== null;
  const scopes = takeScopeFilters(text);
  const dimensions = takeDimensions(text, how.breakdown || isTop || is.average || is.share || how.trend);
  const amount = takeEach(text, ["records", "emissions", "total"]);
  if (isCompared) take("with|against|by|relative(?: to)?|between|to");
  if (is.why || is.unusual || is.missing) take("happen(?:ed)?|find|findings?|found|been");
  // Bare words such as "all sites" or "the month" do not split anything.
  take(
    `(?:all )?(?:of )?(?:our |the )?(?:${words.PART_WORDS.facility}|${words.PART_WORDS.country}|${words.STEP_WORDS.month}|we emit)`,
  );
  const filters = takeFilters(open, scopes, reference);
  const [first, second] = dimensions;
  requireThat(
    !second || (second.by === "month" && first?.by === "year"),
    "I can only break emissions down one way at a time. Which would you like?",
    ...dimensions.map(({ by }) => `Show emissions by ${by}`),
  );
  const top = /\bwhen\b/.test(lower)
    ? "month"
    : /\b(?:where|who|whose)\b/.test(lower)
      ? "facility"
      : "category";
  const by: Dimension | null = first?.by ?? (isTop ? top : isAnnual ? "year" : null);
  const isOfParts = by !== null && !isStep(by);
  const periods = found.map((one) => requirePeriod(one, message));
  requireThat(periods.length < 3, "I can report on one period or compare two, but not more.");
  const isPartChange =
    isOfParts && isCompared && (isUp || isDown || hasBaseline || (isChanged && isTop) || periods.length > 1);
  const isForecast = is.forecast || ahead !== null;
  const intents: readonly (readonly [EmissionQuestion["intent"], unknown])[] = [
    ["unusual", is.unusual],
    ["latest", early.latest],
    ["missing", is.missing],
    ["ratio", ratio],
    ["count", early.count && amount.records],
    ["forecast", isForecast],
    ["why", is.why && (isCompared || !isTop)],
    ["average", is.average],
    ["share", is.share && filters.length > 0 && !first],
    ["why", isPartChange],
    ["split", isTop || first || how.breakdown || (how.trend && !hasBaseline) || is.share],
    ["compare", isCompared || periods.length === 2],
    ["share", is.muchOf && filters.length > 0],
  ];
  const intent = intents.find(([, isMeant]) => isMeant)?.[0] ?? null;
  const has = (...some: EmissionQuestion["intent"][]) => intent !== null && some.includes(intent);
  const hasAmount = amount.emissions || amount.total;
  requireThat(
    !early.count ||
      amount.records ||
      (!PHRASES.counted.test(lower) && (hasAmount || is.missing || is.unusual || previous)),
    "I can only count your records or all of your facilities:",
    "How many facilities do we have?",
    "How many records do we have?",
  );
  requireThat(
    !(amount.records && by && has("average", "count", "split")),
    "I can count records only in total, not by group.",
  );
  requireThat(
    !(has("missing") && isOfParts),
    "I can find months with no records at all, but not for each facility, scope or category.",
  );
  requireThat(
    !(has("ratio") && (by || isCompared || how.trend)),
    ONLY_LAST_YEAR,
    "What is our carbon intensity?",
  );
  requireThat(
    !(has("average") && isCompared),
    "I can't compare with an average yet, but I can show you both figures:",
    "What is our monthly average?",
    "Show emissions by month",
  );
  requireThat(
    !(isTop && isStep(by) && isCompared && has("compare", "split", "why")),
    `I can't rank ${by}-to-${by} changes yet.`,
  );
  requireThat(
    !(has("why") && rank.smallest),
    "I can show what changed the most, but not what changed the least.",
  );
  requireThat(
    !(has("forecast") && (periods.length > 0 || isCompared || by)),
    "I can only forecast monthly totals for the coming months.",
  );
  const isEmpty = !intent && !hasAmount && !amount.records && periods.length + filters.length === 0;
  if (isEmpty && !previous) refuse("");
  const isOnlyBaseline =
    periods.length === 1 && baselineAt !== null && baselineAt < (found[0]?.at ?? 0) && !isDated;
  const asked: EmissionQuestion = {
    subject: "emissions",
    intent: intent ?? "total",
    ...(is.share ? splitShare(filters, shareAt ?? 0, lower) : { whole: [], filters }),
    periods: isOnlyBaseline ? withBaseline(periods, found, previous, now) : periods,
    by: by ?? (how.breakdown || is.share ? "scope" : how.trend || is.average ? "month" : null),
    top: isTop ? { count: count ?? (first && !first.isSeveral ? 1 : 5), isLowest: rank.smallest } : null,
    baseline: early.yearOnYear ? "year" : early.periodBefore ? "before" : null,
    direction: isUp === isDown ? null : isUp ? "up" : "down",
    ahead,
  };
  if (!previous) return asked;
  const others = previous.filters.filter(({ kind }) => filters.every((one) => one.kind !== kind));
  const kept = {
    filters: [...others, ...filters],
    periods: periods.length > 0 ? periods : previous.periods,
  };
  if (!intent) return { ...previous, ...kept };
  return {
    ...asked,
    ...kept,
    filters: intent === "share" ? asked.filters : kept.filters,
    baseline: asked.baseline ?? (intent === "why" ? previous.baseline : null),
  };
}

/** Returns the period found. Refuses a period that cannot be used, with questions about others. */
export function requirePeriod({ at, text, period }: FoundPeriod, message: string) {
  if (!("fault" in period)) return period;
  return refuse(period.fault, ...period.phrases.map((phrase) => replaced(message, at, text.length, phrase)));
}

/**
 * Returns the periods of a comparison that names only its baseline, such as "than last month". The other period is the
 * previous question's, or the current one.
 */
function withBaseline(
  periods: EmissionQuestion["periods"],
  [found]: readonly FoundPeriod[],
  previous: EmissionQuestion | null,
  now: Date,
): EmissionQuestion["periods"] {
  if (previous?.periods.length === 1) return [...previous.periods, ...periods];
  const text = found?.text ?? "";
  const unit = /month|quarter|year/.exec(text)?.[0] ?? (/^\d{4}$/.test(text) ? "year" : null);
  requireThat(unit, "Which period should I compare it with?", "Compare this year with last year");
  return [...takePeriods(openText(`this ${unit}`), now).map((one) => requirePeriod(one, "")), ...periods];
}

const VERB = /\b(?:is|are|was|were|comes?|came|does|did|do|caused?)\b/g;

/** Separates the filters of a share from those of its total: "what share of Pune's emissions is scope 2". */
function splitShare(filters: readonly Placed[], shareAt: number, lower: string) {
  VERB.lastIndex = shareAt;
  const verbAt = VERB.exec(lower)?.index ?? -1;
  const splitAt = (at: number) => {
    const [one, other] = [
      filters.filter((filter) => filter.at < at),
      filters.filter((filter) => filter.at >= at),
    ];
    return one.length > 0 && other.length > 0 ? ([one, other] as const) : null;
  };
  const [part, whole] = splitAt(shareAt) ?? splitAt(verbAt)?.toReversed() ?? [filters, []];
  return { filters: part ?? filters, whole: whole ?? [] };
}
