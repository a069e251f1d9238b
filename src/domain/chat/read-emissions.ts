import { EMISSION_SCOPES } from "../enums.js";
import { type Open, readNames, refuse, replaced, takeAll } from "./leftovers.js";
import { type FoundPeriod, NUMBER, numberOf, takeAhead, takePeriods } from "./periods.js";
import { type EmissionQuestion, type Filter, isStep, type Part, type Step } from "./question.js";
import { type OpenText, openText } from "./text.js";
import * as words from "./words.js";
import { PHRASES } from "./words.js";

const SCOPE = "[123]|one|two|three";
const SCOPE_LIST = words.word(
  `scopes?[ _-]?(${SCOPE})((?: ?(?:,|and|&|/|\\+|, and|vs\\.?|versus|with|or|to|than) ?(?:scope )?(?:${SCOPE}))*)`,
);
const MOST_TOP = 20;

/** A filter with its position in the question. */
type Placed = Filter & { readonly at: number };

/** Takes the named scopes, such as `scope 1 and 2`, in order. */
export function takeScopes(text: OpenText): Placed[] {
  text.take(words.word("all (?:three |3 )?scopes"));
  const found = new Map<string, number>();
  for (let match = text.take(SCOPE_LIST); match; match = text.take(SCOPE_LIST)) {
    for (const [number] of match[0].matchAll(new RegExp(SCOPE, "g"))) {
      const digit = numberOf(number);
      found.set(`scope_${digit}`, found.get(`scope_${digit}`) ?? match.index);
    }
  }
  return EMISSION_SCOPES.filter((scope) => found.has(scope)).map((value) =>
    scopeFilter(value, found.get(value) ?? 0),
  );
}

const scopeFilter = (value: string, at: number) => ({
  kind: "scope" as const,
  value,
  label: value.replace("_", " "),
  at,
});

/** Words that leave out the scopes after them. */
const EXCLUDED = words.word(
  "(?:excluding|excludes?|excl\\.?|without|except(?: for)?|not (?:including|counting)|(?<=(?:emissions?|foot ?prints?|totals?) )(?:minus|less)|ignoring|leaving out|other than|apart from|but not)(?= scopes? ?[1-3])",
);

type Dimension = Part | Step;
const DIMENSIONS = Object.entries({ ...words.STEP_WORDS, ...words.PART_WORDS }) as [Dimension, string][];
const ALL_WORDS = DIMENSIONS.map(([, source]) => source).join("|");

/** Takes the dimensions by which a question splits emissions. `isPlain`: a bare word such as "month" counts as well. */
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

/** Takes how many parts a question asks for, such as `top 5` or `3 largest`; null if it does not say. */
function takeCount(text: OpenText): number | null {
  const superlative = "top|bottom|largest|biggest|highest|lowest|worst|best|main|smallest";
  const match =
    text.take(words.word(`(?:${superlative}) (${NUMBER})`)) ??
    text.take(words.word(`(${NUMBER})(?= (?:emitting |emission )?(?:${superlative}|${ALL_WORDS}))`));
  if (!match) return null;
  return Math.min(Math.max(numberOf(match[1] ?? ""), 1), MOST_TOP);
}

/** Reads a question about emissions. Throws Unanswerable. */
export function readEmissions(open: Open<EmissionQuestion>, reference: Placed | null): EmissionQuestion {
  const { message, text, now, previous } = open;
  const take = (pattern: RegExp) => takeAll(text, pattern);
  const lower = message.toLowerCase();
  const isLatest = take(PHRASES.LATEST);
  const isCount = take(PHRASES.COUNT);
  const isYearOnYear = take(PHRASES.YEAR_ON_YEAR);
  const isBefore = take(PHRASES.PERIOD_BEFORE);
  const ahead = takeAhead(text, now);
  const hasBaseline = text.has(PHRASES.BASELINE) || isYearOnYear || isBefore;
  const isMoved = [PHRASES.COMPARE, PHRASES.UP, PHRASES.DOWN].some((pattern) => text.has(pattern));
  const baselineAt = text.find(PHRASES.BASELINE);
  const isAnnual = text.has(PHRASES.AVERAGE) && take(words.word("annual|yearly"));
  const found = takePeriods(text, now, isMoved && !text.has(words.word("average|mean")));
  const isRatio = take(PHRASES.RATIO);
  const shareAt = text.find(PHRASES.SHARE);
  const isShare = take(PHRASES.SHARE);
  const isMuchOf = take(PHRASES.MUCH_OF);
  const isWhy = take(PHRASES.WHY);
  const isUnusual = take(PHRASES.UNUSUAL);
  const isMissing = take(PHRASES.MISSING);
  const isForecast = take(PHRASES.FORECAST) || ahead !== null;
  const isAverage = take(PHRASES.AVERAGE);
  const count = text.has(words.word(`${ALL_WORDS}|top|largest|biggest|lowest|smallest|worst|best|emitters`))
    ? takeCount(text)
    : null;
  const isTrend = take(PHRASES.TREND);
  const isBroken = take(PHRASES.BREAKDOWN);
  const isUp = take(PHRASES.UP) || (hasBaseline && take(PHRASES.MORE));
  const isDown = take(PHRASES.DOWN) || (hasBaseline && take(PHRASES.LESS));
  const isChanged = text.has(words.word("chang(?:e|es|ed|ing)"));
  const isCompared = take(PHRASES.COMPARE) || isUp || isDown || isYearOnYear || isBefore;
  const isLowest = take(PHRASES.SMALLEST);
  const isTop = take(PHRASES.LARGEST) || isLowest || count !== null;
  const excluded = text.take(EXCLUDED) ? takeScopes(text) : [];
  const scopes =
    excluded.length > 0
      ? EMISSION_SCOPES.filter((scope) => excluded.every(({ value }) => value !== scope)).map((value) =>
          scopeFilter(value, 0),
        )
      : takeScopes(text);
  const dimensions = takeDimensions(text, isBroken || isTop || isAverage || isShare || isTrend);
  const isRecords = take(PHRASES.RECORDS);
  const hasAmount = [take(PHRASES.EMISSIONS), take(PHRASES.TOTAL)].some(Boolean);
  if (isCompared) take(words.word("with|against|by|relative(?: to)?|between|to"));
  if (isWhy || isUnusual || isMissing) take(words.word("happen(?:ed)?|find|findings?|found|been"));
  // Bare words such as "all sites" or "the month" do not split anything.
  take(
    words.word(
      `(?:all )?(?:of )?(?:our |the )?(?:${words.PART_WORDS.facility}|${words.PART_WORDS.country}|${words.STEP_WORDS.month}|we emit)`,
    ),
  );
  const { names, phrases } = readNames(open, reference ? 0 : 1);
  const [phrase] = phrases;
  const searched = phrase && {
    kind: "text" as const,
    value: phrase.words
      .map((one) => one.replace(/(?<=x|ch|sh|ss|^gas|^bus)es$|(?<=\p{L}{3})(?<!s)s$/u, ""))
      .join(" "),
    label: phrase.text,
    at: phrase.at,
  };
  const placed: readonly Placed[] = [
    ...scopes,
    ...names,
    ...[searched, reference].flatMap((one) => one ?? []),
  ];
  const filters = placed.toSorted((one, other) => one.at - other.at);

  const [first, second] = dimensions;
  if (second && !(second.by === "month" && first?.by === "year")) {
    const choices = dimensions.map(({ by }) => `Show emissions by ${by}`);
    refuse("I can split emissions by one thing at a time. By which one?", ...choices);
  }
  const implied: Dimension | null = !isTop
    ? isAnnual
      ? "year"
      : null
    : /\bwhen\b/.test(lower)
      ? "month"
      : /\b(?:where|who|whose)\b/.test(lower)
        ? "facility"
        : "category";
  const by = first?.by ?? implied;
  const periods = found.map((one) => requirePeriod(one, message));
  if (periods.length > 2) refuse("I can answer for one period, or compare two.");
  const isPartChange =
    isCompared &&
    by &&
    !isStep(by) &&
    (isUp || isDown || hasBaseline || (isChanged && isTop) || periods.length > 1);
  const intents: readonly (readonly [EmissionQuestion["intent"], unknown])[] = [
    ["unusual", isUnusual],
    ["latest", isLatest],
    ["missing", isMissing],
    ["ratio", isRatio],
    ["count", isCount && isRecords],
    ["forecast", isForecast],
    ["why", isWhy && (isCompared || !isTop)],
    ["average", isAverage],
    ["share", isShare && filters.length > 0 && !first],
    ["why", isPartChange],
    ["split", isTop || first || isBroken || (isTrend && !hasBaseline) || isShare],
    ["compare", isCompared || periods.length === 2],
    ["share", isMuchOf && filters.length > 0],
  ];
  const intent = intents.find(([, isMeant]) => isMeant)?.[0] ?? null;
  if (
    isCount &&
    !isRecords &&
    (PHRASES.COUNTED.test(lower) || !(hasAmount || isMissing || isUnusual || previous))
  )
    refuse(
      "I can count your records, and all your facilities together.",
      "How many facilities do we have?",
      "How many records do we have?",
    );
  refuseDoubtful(intent, { by, isTop, isLowest, isCompared, isTrend, isAverage, isRecords });
  const isEmpty = !intent && !hasAmount && !isRecords && periods.length + filters.length === 0;
  if (isEmpty && !previous) refuse("");
  if (intent === "forecast" && (periods.length > 0 || isCompared || by))
    refuse(
      "I can forecast the total of the next months, by month.",
      "What is the forecast for the next 3 months?",
    );
  const isOnlyBaseline =
    periods.length === 1 &&
    baselineAt !== null &&
    baselineAt < (found[0]?.at ?? 0) &&
    !isYearOnYear &&
    !isBefore;
  const kept = previous && {
    ...previous,
    filters: [
      ...previous.filters.filter(({ kind }) => filters.every((one) => one.kind !== kind)),
      ...filters,
    ],
    periods: periods.length > 0 ? periods : previous.periods,
  };
  const split = isShare ? splitShare(filters, shareAt ?? 0, lower) : { whole: [], filters };
  const asked: EmissionQuestion = {
    subject: "emissions",
    intent: intent ?? "total",
    ...split,
    periods: isOnlyBaseline ? withBaseline(periods, found, previous, now) : periods,
    by: by ?? (isBroken || isShare ? "scope" : isTrend || isAverage ? "month" : null),
    top: isTop ? { count: count ?? (first && !first.isSeveral ? 1 : 5), isLowest } : null,
    baseline: isYearOnYear ? "year" : isBefore ? "before" : null,
    direction: isUp === isDown ? null : isUp ? "up" : "down",
    ahead,
  };
  if (!kept) return asked;
  if (!intent) return kept;
  return {
    ...asked,
    filters: intent === "share" ? asked.filters : kept.filters,
    periods: kept.periods,
    baseline: asked.baseline ?? (intent === "why" ? kept.baseline : null),
  };
}

/** Refuses questions whose words together ask for more than one of their answers has. */
function refuseDoubtful(
  intent: EmissionQuestion["intent"] | null,
  asked: { readonly by: Dimension | null } & Readonly<
    Record<"isTop" | "isLowest" | "isCompared" | "isTrend" | "isAverage" | "isRecords", boolean>
  >,
): void {
  const { by, isTop, isLowest, isCompared, isTrend, isAverage, isRecords } = asked;
  if (isRecords && by && ["average", "count", "split"].includes(intent ?? ""))
    refuse(
      "I can count records only in all, but I can split their emissions.",
      "How many records do we have?",
      `Show emissions by ${by}`,
    );
  if (intent === "missing" && by && !isStep(by))
    refuse(
      "I can name months without any records, but not by part.",
      "Which months have no records?",
      `Show emissions by ${by}`,
    );
  if (intent === "ratio" && (by || isCompared || isTrend))
    refuse(
      "I know intensities, market-based emissions and coverage only for the last 12 months in total.",
      "What is our carbon intensity?",
    );
  if (!["average", "compare", "split", "why"].includes(intent ?? "")) return;
  if (isAverage && isCompared)
    refuse(
      "I can't compare with an average yet, but I can give both figures:",
      "What is our monthly average?",
      "Show emissions by month",
    );
  if (isTop && isStep(by) && isCompared)
    refuse(
      `I can't rank the changes from one ${by} to the next yet.`,
      `Show emissions by ${by}`,
      "Compare this year with last year",
    );
  if (intent === "why" && isLowest)
    refuse(
      "I can name what changed most, but not what changed least.",
      "Which facility changed the most this year?",
      "Which category changed the most this year?",
    );
}

/** Returns the period found; refuses one that cannot be answered for, with questions about others. */
export function requirePeriod({ at, text, period }: FoundPeriod, message: string) {
  if (!("fault" in period)) return period;
  return refuse(period.fault, ...period.phrases.map((phrase) => replaced(message, at, text.length, phrase)));
}

/**
 * Returns the periods of a comparison that names only its baseline, such as "than last month": the other is that of the
 * conversation, or the present one.
 */
function withBaseline(
  periods: EmissionQuestion["periods"],
  [found]: readonly FoundPeriod[],
  previous: EmissionQuestion | null,
  now: Date,
): EmissionQuestion["periods"] {
  const [before, ...others] = previous?.periods ?? [];
  if (before && others.length === 0) return [before, ...periods];
  const unit =
    /month|quarter|year/.exec(found?.text ?? "")?.[0] ?? (/^\d{4}$/.test(found?.text ?? "") ? "year" : null);
  if (!unit) return refuse("Compare it with which period?", "Compare this year with last year");
  const present = takePeriods(openText(`this ${unit}`), now, false).map((one) => requirePeriod(one, ""));
  return [...present, ...periods];
}

/** Tells the filters of a share from those of its whole: "of Pune's emissions, how much is scope 2". */
function splitShare(
  filters: readonly Placed[],
  shareAt: number,
  lower: string,
): { filters: readonly Filter[]; whole: readonly Filter[] } {
  const before = filters.filter(({ at }) => at < shareAt);
  if (before.length > 0 && before.length < filters.length)
    return { filters: before, whole: filters.filter(({ at }) => at >= shareAt) };
  const verb = /\b(?:is|are|was|were|comes?|came|does|did|do|caused?)\b/g;
  verb.lastIndex = shareAt;
  const verbAt = verb.exec(lower)?.index ?? -1;
  const whole = filters.filter(({ at }) => at < verbAt);
  if (whole.length > 0 && whole.length < filters.length)
    return { filters: filters.filter(({ at }) => at > verbAt), whole };
  return { filters, whole: [] };
}
