import { joinWords, refuse, requireThat } from "../../../domain/chat/open-question.js";
import { type EmissionQuestion, type Filter, isStep } from "../../../domain/chat/question.js";
import { completeMonthsIn } from "../../../domain/foresight/monthly-series.js";
import { capitalize } from "../../../domain/texts/capitalize.js";
import {
  addDays,
  addMonths,
  countPeriods,
  type DateRange,
  daysBetween,
  endOfMonth,
  isWholeMonths,
  lastTwelveMonths,
  periodBefore,
  sameDaysBefore,
} from "../../../domain/window.js";
import {
  describeDays,
  figure,
  formatCount,
  formatMonth,
  formatShare,
  formatTonnes,
  type Reply,
  reply,
  UNIT,
} from "../reply.js";
import {
  type AnswerContext,
  describe,
  type Emissions,
  type Item,
  readEmissions,
  readParts,
  sumOf,
} from "./emission-data.js";

/** Two comparable periods, the earlier one first. */
interface Pair {
  readonly before: Emissions;
  readonly after: Emissions;
  /** Sentences about what the comparison leaves out. */
  readonly notes: readonly string[];
}

/** Unfinished periods of at most this length are compared by days, unless they start on the first of a month. */
const MIN_MONTHS = 3;
/** Highest ratio of the lengths of two compared periods: January has 31 days and February 28. */
const MAX_DIFFERENCE = 1.12;

/** Maximum number of parts in the explanation of a change. */
const MAX_CONTRIBUTIONS = 5;

const monthsOf = (range: DateRange) => countPeriods(range, "month");
const lengthOf = ({ from, to }: DateRange) => daysBetween(from, to) + 1;
const changeOf = ({ before, after }: Pair) => after.totalCo2eTonnes - before.totalCo2eTonnes;

/** Answers with the change between two periods, and, if the question asks why, with the parts that changed most. */
export async function compare(question: EmissionQuestion, context: AnswerContext): Promise<Reply> {
  const { filters, periods, direction } = question;
  const isWhy = question.intent === "why";
  const pairs = await readPairs(question, context);
  const asked = direction && pairs.find((pair) => changeOf(pair) > 0 === (direction === "up"));
  const pair = (isWhy && asked) || pairs[0];
  const others = isWhy ? [] : pairs.slice(1);
  const parts = isWhy ? await explain(question, pair, context) : null;
  const change = changeOf(pair);
  const { totalCo2eTonnes: before } = pair.before;
  const lines = [
    [describeChange(filters, pair), ...others.map((other) => `That is ${baselineOf(other)}.`)].join(" "),
    ...(parts ? [parts.line] : []),
    ...pair.notes,
  ];
  const total = [figure("Total", pair.after.totalCo2eTonnes, UNIT), figure("Previous total", before, UNIT)];
  const percent = before === 0 ? [] : [figure("Change in percent", (100 * change) / before, "%")];
  return reply(
    lines.join(isWhy ? "\n" : " "),
    [...(parts ? [] : total), figure("Change", change, UNIT), ...(parts?.figures ?? percent)],
    isWhy
      ? ["And which category changed the most?", "Were there any unusual months?"]
      : ["And why did it change?", "And scope 2?", ...(periods.length > 1 ? [] : ["And by month?"])],
  );
}

/** Names the parts whose emissions changed most between two periods. */
async function explain({ filters, by, direction }: EmissionQuestion, pair: Pair, context: AnswerContext) {
  const part = by === null || isStep(by) ? null : by;
  const dimension = part ?? (filters.some(({ kind }) => kind === "facility") ? "category" : "facility");
  const [before, after] = [
    await readParts(pair.before, filters, dimension, context),
    await readParts(pair.after, filters, dimension, context),
  ];
  const all = [...after, ...before].filter(({ isRanked }) => isRanked || !part);
  const amountOf = (some: readonly Item[], wanted: string) =>
    sumOf(some.filter(({ name }) => name === wanted));
  const changes = Array.from(new Set(all.map(({ name }) => name)), (name) => {
    return { name, change: amountOf(after, name) - amountOf(before, name) };
  })
    .filter(({ change }) => change !== 0 && (!part || !direction || change > 0 === (direction === "up")))
    .sort((one, other) => Math.abs(other.change) - Math.abs(one.change))
    .slice(0, MAX_CONTRIBUTIONS);
  const signed = changes.map(
    ({ name, change }) => `${capitalize(name)} ${change > 0 ? "+" : "−"}${formatTonnes(Math.abs(change))}`,
  );
  return {
    line: `By ${dimension}: ${joinWords(signed) || "no such change"}.`,
    figures: changes.map(({ name, change }) => figure(`Change of ${name}`, change, UNIT)),
  };
}

const describeChange = (filters: readonly Filter[], pair: Pair) =>
  `${capitalize(describe(filters))} ${describeDays(pair.after)}: ${formatTonnes(pair.after.totalCo2eTonnes)}, ${baselineOf(pair)}.`;

/** Describes how emissions changed, such as `2.3 % less than in 2025 (23,426.9 tCO2e)`. */
function baselineOf(pair: Pair): string {
  const change = changeOf(pair);
  const { totalCo2eTonnes: before } = pair.before;
  const size = `${formatTonnes(Math.abs(change))}${formatShare(Math.abs(change), before)}`;
  const by = change === 0 ? "as much as" : `${size} ${change > 0 ? "more" : "less"} than`;
  return `${by} ${describeDays(pair.before)} (${formatTonnes(before)})`;
}

/**
 * Reads the pairs of periods that a question compares. By default, a single period is compared with the year before,
 * and a finished month or run of three months first with the previous one. An unfinished period is compared by its
 * complete months, a short one by days. Months count only if both periods have records for them.
 */
async function readPairs(
  { filters, periods, baseline }: EmissionQuestion,
  context: AnswerContext,
): Promise<[Pair, ...Pair[]]> {
  const { now } = context;
  const year = lastTwelveMonths(now);
  const [given = { ...year, isRunning: true, end: year.to }, later] = periods.toSorted((one, other) =>
    one.from < other.from ? -1 : 1,
  );
  const period = later ?? given;
  const isOfMonths = period.from.endsWith("-01") || monthsOf(period) > MIN_MONTHS;
  const complete = period.isRunning && isOfMonths ? completeMonthsIn(period, now) : null;
  const after = complete ?? { from: period.from, to: period.to };
  const notes =
    after.to < period.to
      ? [`The days after ${formatMonth(after.to)} are left out because their month is not over.`]
      : [];
  const isShort = isWholeMonths(after) && [1, 3].includes(monthsOf(after)) && !period.isRunning;
  const baselines = later
    ? [matchEarlier(given, { ...period, ...after })]
    : [
        ...(baseline === "before" || (isShort && !baseline) ? [periodBefore(after)] : []),
        ...(baseline === "before" ? [] : [sameDaysBefore(after)]),
      ];
  requireThat(
    later || after.to < addMonths(after.from, 12),
    "I can compare periods of up to a year with the year before. For a longer one, I can show each year:",
    `Show emissions by year since ${after.from.slice(0, 4)}`,
    "Compare this year with last year",
  );
  const whole = await readEmissions(filters, after, context);
  const pairs: Pair[] = [];
  for (const days of baselines) {
    const pair = alignPair(await readEmissions(filters, days, context), whole);
    if (pair) pairs.push({ ...pair, notes: [...notes, ...pair.notes] });
  }
  const [first, ...others] = pairs;
  if (first) return [first, ...others];
  const [days = after] = baselines;
  return refuse(
    `${capitalize(describe(filters))} ${describeDays(after)}: ${whole.recordCount === 0 ? "no records" : formatTonnes(whole.totalCo2eTonnes)}. I found nothing to compare it with ${describeDays(days)}.`,
    "Which months have no records?",
    "When was the latest record?",
  );
}

/**
 * Returns the days of the earlier period that match those of the later one. Refuses periods that overlap or have
 * different lengths.
 */
function matchEarlier(
  given: DateRange & { readonly end: string },
  later: DateRange & { readonly isRunning: boolean; readonly end: string },
): DateRange {
  requireThat(given.to < later.from, "The two periods overlap, so they can't be compared.");
  const isEven = (one: DateRange, other: DateRange) => {
    const [shorter = 0, longer = 0] = [lengthOf(one), lengthOf(other)].sort((a, b) => a - b);
    return longer / shorter <= MAX_DIFFERENCE;
  };
  const { from, to } = given;
  if (isEven(given, later)) return { from, to };
  if (later.isRunning && isEven({ from, to: given.end }, { from: later.from, to: later.end })) {
    const start = new Date(from);
    const isOfMonths = isWholeMonths(later);
    return {
      from,
      to: isOfMonths ? endOfMonth(start, monthsOf(later) - 1) : addDays(start, lengthOf(later) - 1),
    };
  }
  return refuse(
    `I can only compare periods of the same length. There are ${lengthOf(given)} days ${describeDays(given)} and ${lengthOf(later)} ${describeDays(later)}. You can ask about each one:`,
    ...[given, later].map((days) => `What did we emit from ${days.from} to ${days.to}?`),
  );
}

/**
 * Cuts two periods of equally many whole months to the longest run of months in which both have records. Other periods,
 * and those of a search for words, are unchanged. Returns null without any month or record to compare.
 */
function alignPair(before: Emissions, after: Emissions): Pair | null {
  if (before.recordCount === 0 || after.recordCount === 0) return null;
  const { length } = after.trend;
  const areAlike = isWholeMonths(before) && isWholeMonths(after) && before.trend.length === length;
  const known = after.trend.map(({ recordCount }, index) =>
    recordCount > 0 && before.trend[index]?.recordCount !== 0 ? "x" : " ",
  );
  if (!areAlike || !known.includes(" ") || after.records)
    return { before, after, notes: noteRecordCounts(before, after) };
  const runs = known.join("").matchAll(/x+/g);
  const [run] = [...runs].sort(([one], [other]) => other.length - one.length);
  if (!run) return null;
  const cut = (one: Emissions): Emissions => {
    const trend = one.trend.slice(run.index, run.index + run[0].length);
    const recordCount = trend.reduce((sum, month) => sum + month.recordCount, 0);
    const [from, to] = [trend[0]?.from ?? one.from, trend.at(-1)?.to ?? one.to];
    return { ...one, from, to, trend, totalCo2eTonnes: sumOf(trend), recordCount };
  };
  const pair = { before: cut(before), after: cut(after) };
  const note = `Only months with records in both periods are compared: ${formatCount(run[0].length, "month")} of ${length}.`;
  return { ...pair, notes: [note, ...noteRecordCounts(pair.before, pair.after)] };
}

/** Notes a difference in the numbers of records, because one period may be incomplete. */
function noteRecordCounts(before: Emissions, after: Emissions): string[] {
  const [now, then] = [after, before].map(
    (one) => `${formatCount(one.recordCount, "record")} ${describeDays(one)}`,
  );
  return before.recordCount === after.recordCount ? [] : [`Note that there are ${now} and ${then}.`];
}
