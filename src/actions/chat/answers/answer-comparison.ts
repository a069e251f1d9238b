import { listed, refuse } from "../../../domain/chat/leftovers.js";
import { yearBefore } from "../../../domain/chat/periods.js";
import { type EmissionQuestion, type Filter, isStep } from "../../../domain/chat/question.js";
import { completeMonthsIn } from "../../../domain/foresight/series.js";
import {
  addDays,
  addMonths,
  countPeriods,
  type DateRange,
  daysBetween,
  isWholeMonths,
  lastTwelveMonths,
  periodBefore,
} from "../../../domain/window.js";
import { capital, counted, figure, ofDays, percentOf, type Reply, reply, tonnes, UNIT } from "../reply.js";
import {
  type Asking,
  describe,
  type Emissions,
  isWithout,
  nothingRecorded,
  type PartAmount,
  readEmissions,
  readParts,
  sumOf,
} from "./emission-data.js";

/** Two periods that can be compared, with the earlier one first. */
interface Pair {
  readonly before: Emissions;
  readonly after: Emissions;
  /** Sentences that say which days were left out. */
  readonly notes: readonly string[];
}

/** Shorter periods are compared by days, unless they are whole calendar months. */
const LEAST_MONTHS = 3;
/** Shorter periods may have fewer than two complete months to average. */
const LEAST_DAYS = 92;
/** Highest ratio of the lengths of two compared periods: January has 31 days and February 28. */
const MOST_DIFFERENCE = 1.12;

const monthsOf = (range: DateRange) => countPeriods(range, "month");
const lengthOf = ({ from, to }: DateRange) => daysBetween(from, to) + 1;
/** Returns the first months of a range. */
const firstMonths = (from: string, months: number): DateRange => ({
  from,
  to: addDays(new Date(addMonths(from, months)), -1),
});

/** Answers with the change between two periods. */
export async function compare(question: EmissionQuestion, asking: Asking): Promise<Reply> {
  const { filters } = question;
  const pairs = await readPairs(question, asking);
  const [main] = pairs;
  if (!main) throw new Error("a comparison has no sides");
  const told = pairs.map((pair, index) => describeChange(filters, pair, index === 0));
  const { before, after, notes } = main;
  const change = after.total - before.total;
  return reply(
    [...told, ...notes].join(" "),
    [
      figure("Total", after.total, UNIT),
      figure("Total before", before.total, UNIT),
      figure("Change", change, UNIT),
      ...(before.total === 0 ? [] : [figure("Change in percent", (100 * change) / before.total, "%")]),
    ],
    [
      "And why did it change?",
      ...(filters.length > 0 ? [] : ["And scope 2?"]),
      ...(question.periods.length > 1 ? [] : ["And by month?"]),
    ],
  );
}

/** Says how emissions changed, such as `2.3 % less than in 2025 (23,426.9 tCO2e)`. */
function describeChange(filters: readonly Filter[], { before, after }: Pair, isFirst: boolean): string {
  const change = after.total - before.total;
  const percent = percentOf(Math.abs(change), before.total);
  const by =
    change === 0
      ? "as much as"
      : `${tonnes(Math.abs(change))}${percent} ${change > 0 ? "more" : "less"} than`;
  const baseline = `${by} ${ofDays(before)} (${tonnes(before.total)})`;
  return isFirst
    ? `${capital(describe(filters))} ${ofDays(after)}: ${tonnes(after.total)}, ${baseline}.`
    : `That is ${baseline}.`;
}

/**
 * Reads the pairs of periods that a question compares. One period is compared with the year before, and a month or a
 * quarter that is over also with the one before it. A period that is not over is compared by its complete months, and
 * months count only if both periods have records of them.
 */
async function readPairs({ filters, periods, baseline }: EmissionQuestion, asking: Asking): Promise<Pair[]> {
  const { now } = asking;
  const sorted = periods.toSorted((one, other) => (one.from < other.from ? -1 : 1));
  const [given, later] = sorted;
  const period = later ??
    given ?? { ...lastTwelveMonths(now), isRunning: true, end: lastTwelveMonths(now).to };
  const isOfMonths = period.from.endsWith("-01") || monthsOf(period) > LEAST_MONTHS;
  const complete = period.isRunning && isOfMonths ? completeMonthsIn(period, now) : null;
  const after: DateRange = complete ?? { from: period.from, to: period.to };
  const notes =
    complete && complete.to < period.to
      ? [
          `The days after ${ofDays(complete).replace(/^.* (?=\p{L}+ \d{4}$)/u, "")} are left out because their month is not over.`,
        ]
      : [];
  const baselines =
    later && given
      ? [earlierOf(given, { ...period, ...after })]
      : baselinesOf(after, period.isRunning, baseline);
  if (baselines.some(({ to }) => to >= after.from))
    refuse(
      "I can compare periods of up to a year with the year before. For a longer one, I can show each year:",
      `Show emissions by year since ${after.from.slice(0, 4)}`,
      "Compare this year with last year",
    );
  const whole = await readEmissions(filters, after, asking);
  const pairs: Pair[] = [];
  for (const days of baselines) {
    const pair = alignPair(await readEmissions(filters, days, asking), whole);
    if (pair) pairs.push({ ...pair, notes: [...notes, ...pair.notes] });
  }
  if (pairs.length > 0) return pairs;
  const [days = after] = baselines;
  refuse(
    whole.recordCount === 0
      ? `There are no records of ${describe(filters)} ${ofDays(after)}, so there is nothing to compare.`
      : `${capital(describe(filters))} ${ofDays(after)}: ${tonnes(whole.total)}. There are no records ${ofDays(days)} to compare them with.`,
    "Which months have no records?",
    "When was the latest record?",
  );
}

function baselinesOf(
  after: DateRange,
  isRunning: boolean,
  baseline: EmissionQuestion["baseline"],
): DateRange[] {
  if (baseline === "before") return [periodBefore(after)];
  const isShort = isWholeMonths(after) && [1, 3].includes(monthsOf(after)) && !isRunning;
  return isShort && baseline !== "year" ? [periodBefore(after), yearBefore(after)] : [yearBefore(after)];
}

/** Returns the days of the earlier of two periods that compare with those of the later. Declines periods of different lengths. */
function earlierOf(
  given: DateRange & { readonly end: string },
  later: DateRange & { readonly isRunning: boolean; readonly end: string },
): DateRange {
  if (given.to >= later.from)
    refuse("The two periods overlap, so they can't be compared.", "Compare this year with last year");
  const isUneven = (one: number, other: number) =>
    Math.max(one, other) / Math.min(one, other) > MOST_DIFFERENCE;
  if (!isUneven(lengthOf(given), lengthOf(later))) return { from: given.from, to: given.to };
  const areSame = !isUneven(
    lengthOf({ from: given.from, to: given.end }),
    lengthOf({ from: later.from, to: later.end }),
  );
  const areSameStart = given.from.slice(5) === later.from.slice(5) && given.to > given.from;
  if (later.isRunning && (areSame || areSameStart)) {
    return isWholeMonths(later)
      ? firstMonths(given.from, monthsOf(later))
      : { from: given.from, to: addDays(new Date(given.from), lengthOf(later) - 1) };
  }
  refuse(
    `I compare periods of the same length: ${ofDays(given)} there are ${lengthOf(given)} days, and ${ofDays(later)} ${lengthOf(later)}. You can ask for each of them:`,
    ...[given, later].map((days) => {
      const asked = /^in /.test(ofDays(days)) ? ofDays(days) : `from ${days.from} to ${days.to}`;
      return `What ${lengthOf(days) < LEAST_DAYS ? "did we emit" : "is the monthly average"} ${asked}?`;
    }),
  );
}

/** Returns the longest run of months in which both periods have records; null if they share no month. */
function alignPair(before: Emissions, after: Emissions): Pair | null {
  if (before.recordCount === 0 || after.recordCount === 0) return null;
  const areAlike =
    isWholeMonths(before) && isWholeMonths(after) && before.months.length === after.months.length;
  const areBoth = after.months.map((month, index) => !month.isGap && !before.months[index]?.isGap);
  if (!areAlike || areBoth.every(Boolean) || after.records)
    return { before, after, notes: differences(before, after) };
  let [start, length] = [0, 0];
  for (let from = 0; from < areBoth.length; from += 1) {
    const gap = areBoth.indexOf(false, from);
    const run = (gap < 0 ? areBoth.length : gap) - from;
    if (run > length) [start, length] = [from, run];
  }
  if (length === 0) return null;
  const cut = (one: Emissions): Emissions => {
    const months = one.months.slice(start, start + length);
    const { tonnes: total, recordCount } = sumOf(months);
    return { ...one, ...firstMonths(addMonths(one.from, start), length), months, total, recordCount };
  };
  const pair = { before: cut(before), after: cut(after) };
  const note = `Only months with records in both periods are compared: ${counted(length, "month")} of ${areBoth.length}.`;
  return { ...pair, notes: [note, ...differences(pair.before, pair.after)] };
}

/** Says if the numbers of records differ, because the records of one side may be incomplete. */
const differences = (before: Emissions, after: Emissions): string[] =>
  before.recordCount === after.recordCount
    ? []
    : [
        `Mind that there are ${counted(after.recordCount, "record")} ${ofDays(after)} and ${counted(before.recordCount, "record")} ${ofDays(before)}.`,
      ];

const MOST_CONTRIBUTIONS = 5;

/** Answers with the parts whose emissions changed most between two periods. */
export async function explainChange(question: EmissionQuestion, asking: Asking): Promise<Reply> {
  const { filters, by, direction } = question;
  const pairs = await readPairs(question, asking);
  const isAsked = ({ before, after }: Pair) =>
    direction === null || after.total > before.total === (direction === "up");
  const asked = pairs.find(isAsked);
  const pair = asked ?? pairs[0];
  if (!pair) return nothingRecorded(filters, lastTwelveMonths(asking.now));
  const { before, after, notes } = pair;
  const isOfParts = by !== null && !isStep(by);
  const hasFacility = filters.some(({ kind }) => kind === "facility");
  const dimension = isOfParts ? by : hasFacility ? "category" : "facility";
  const wanted = isOfParts ? direction : null;
  const changes = changesOf(
    await readParts(before, filters, dimension, asking),
    await readParts(after, filters, dimension, asking),
  )
    .filter(({ name }) => !isOfParts || !isWithout(name))
    .filter(({ tonnes: change }) => change !== 0 && (wanted === null || change > 0 === (wanted === "up")))
    .slice(0, MOST_CONTRIBUTIONS);
  const opposite =
    asked || isOfParts
      ? ""
      : `${capital(describe(filters))} did not ${direction === "up" ? "rise" : "fall"}. `;
  const signed = ({ name, tonnes: change }: PartAmount) =>
    `${capital(name)} ${change > 0 ? "+" : "−"}${tonnes(Math.abs(change))}`;
  const nothing = `nothing ${wanted === "down" ? "fell" : wanted === "up" ? "rose" : "changed"}`;
  const line = `By ${dimension}: ${listed(changes.map(signed)) || nothing}.`;
  return reply(
    [`${opposite}${describeChange(filters, pair, true)}`, line, ...notes].join("\n"),
    [
      figure("Change", after.total - before.total, UNIT),
      ...changes.map(({ name, tonnes: change }) =>
        figure(`Change of ${name}`.replace("of without", "without"), change, UNIT),
      ),
    ],
    [
      ...(isOfParts || hasFacility ? [] : ["And which category changed the most?"]),
      "Were there any unusual months?",
      "Show the monthly trend",
    ],
  );
}

/** Returns the change of each part, the largest first. */
function changesOf(before: readonly PartAmount[], after: readonly PartAmount[]): PartAmount[] {
  const amountOf = (parts: readonly PartAmount[], name: string) =>
    parts.find((one) => one.name === name)?.tonnes ?? 0;
  const names = new Set([...after, ...before].map(({ name }) => name));
  return [...names]
    .map((name) => ({ name, tonnes: amountOf(after, name) - amountOf(before, name) }))
    .sort((one, other) => Math.abs(other.tonnes) - Math.abs(one.tonnes));
}
