import { type ReadPeriod, yearBefore } from "../../../domain/chat/periods.js";
import type { EmissionQuestion, EmissionSubject } from "../../../domain/chat/question.js";
import { listed } from "../../../domain/chat/reading/leftovers.js";
import { completeMonthsIn } from "../../../domain/foresight/series.js";
import {
  countPeriods,
  type DateRange,
  daysBetween,
  lastTwelveMonths,
  periodBefore,
} from "../../../domain/window.js";
import type { Ask } from "../ask.js";
import { counted, figure, ofDays, type Reply, saying, written } from "../reply.js";
import { describe, nothingRecorded, readTotal, UNIT } from "./emission-subject.js";

interface Side {
  readonly name: string;
  readonly days: DateRange;
  readonly total: number;
  readonly recordCount: number;
  /** Number of its months without records. */
  readonly gaps: number;
}

async function readSide(subject: EmissionSubject, name: string, ask: Ask): Promise<Side> {
  const { from, to, totalCo2eTonnes: total, recordCount, trend } = await readTotal(subject, ask);
  return { name, days: { from, to }, total, recordCount, gaps: trend.filter(({ isGap }) => isGap).length };
}

/** Compares a period with the same days of the year before. */
export const compareWithYearBefore = (question: EmissionQuestion, ask: Ask, now: Date): Promise<Reply> =>
  compareWithEarlier(question, yearBefore, ask, now);

/** Shorter periods are compared by days, unless they are whole calendar months. */
const LEAST_MONTHS = 3;

/**
 * Compares a period with an earlier one. A period that has not ended is compared by its complete months, because the
 * records of the current month may be incomplete.
 */
async function compareWithEarlier(
  question: EmissionQuestion,
  earlierThan: (days: DateRange) => DateRange,
  ask: Ask,
  now: Date,
): Promise<Reply> {
  const [period = { ...lastTwelveMonths(now), isRunning: true }] = question.periods;
  const isOfMonths = period.from.endsWith("-01") || countPeriods(period, "month") >= LEAST_MONTHS;
  const months = period.isRunning && isOfMonths ? completeMonthsIn(period, now) : null;
  const compared = months ? { ...question, periods: [ended(months)] } : question;
  const after = await readSide(compared, "", ask);
  const before = await readSide({ ...question, periods: [ended(earlierThan(after.days))] }, "", ask);
  const reply = changeBetween(question, before, after);
  if (!months || months.to >= period.to) return reply;
  return {
    ...reply,
    text: `${reply.text} The days after ${months.to} are left out: their month has not ended.`,
  };
}

const ended = (days: DateRange): ReadPeriod => ({ ...days, isRunning: false });

/** Compares two periods, a period with the one before it, or facilities, scopes or categories. */
export async function compare(question: EmissionQuestion, ask: Ask, now: Date): Promise<Reply> {
  const { periods, scopes, facilities, categories } = question;
  if (periods.length === 2) return comparePeriods(question, ask);
  const parts = [
    ...(facilities.length > 1 ? facilities.map((one) => [one.label, { facilities: [one] }] as const) : []),
    ...(scopes.length > 1
      ? scopes.map((one) => [capital(one.replace("_", " ")), { scopes: [one] }] as const)
      : []),
    ...(categories.length > 1 ? categories.map((one) => [`"${one}"`, { categories: [one] }] as const) : []),
  ];
  if (parts.length > 0) {
    const sides: Side[] = [];
    for (const [name, part] of parts) sides.push(await readSide({ ...question, ...part }, name, ask));
    const [first] = sides;
    if (!first) throw new Error("a comparison has no sides");
    const shown = sides.map(({ name, total, recordCount }) =>
      recordCount === 0 ? `${name} has no records` : `${name} ${written(total)} ${UNIT}`,
    );
    return {
      text: `${describe({ ...question, facilities: [], scopes: [], categories: [] })} ${ofDays(first.days)}${restOf(question)}: ${listed(shown)}.`,
      figures: sides
        .filter(({ recordCount }) => recordCount > 0)
        .map(({ name, total }) => figure(name, total, UNIT)),
      sources: [],
      followUps: ["And last year?", "And by month?"],
    };
  }
  return compareWithEarlier(question, periodBefore, ask, now);
}

/** Describes the other filters that restrict a comparison of parts. */
function restOf({ facilities, scopes, categories }: EmissionSubject): string {
  const rest = [
    ...(facilities.length === 1 ? [`at ${facilities[0]?.label}`] : []),
    ...(scopes.length === 1 ? [`of ${scopes[0]?.replace("_", " ")}`] : []),
    ...(categories.length === 1 ? [`in the category "${categories[0]}"`] : []),
  ];
  return rest.length > 0 ? `, ${rest.join(" ")}` : "";
}

/** Highest ratio of the lengths of two compared periods: January has 31 days and February 28. */
const MOST_DIFFERENCE = 1.12;

async function comparePeriods(question: EmissionQuestion, ask: Ask): Promise<Reply> {
  const [first, second] = [...question.periods].sort((one, other) => (one.from < other.from ? -1 : 1));
  if (!first || !second) throw new Error("a comparison needs two periods");
  const lengths = [first, second].map(({ from, to }) => daysBetween(from, to) + 1);
  const isUneven = Math.max(...lengths) / Math.min(...lengths) > MOST_DIFFERENCE;
  if (isUneven && !first.isRunning && !second.isRunning) {
    const [one, other] = [first, second].map(
      (period, index) => `${ofDays(period)} are ${lengths[index]} days`,
    );
    return saying(`The periods differ in length: ${one}, and ${other}. Name two periods of the same length.`);
  }
  const before = await readSide({ ...question, periods: [first] }, "", ask);
  const after = await readSide({ ...question, periods: [second] }, "", ask);
  const reply = changeBetween(question, before, after);
  if (!isUneven) return reply;
  const note = ` The later period has not ended: it has ${lengths[1]} days so far, and the other ${lengths[0]}.`;
  return { ...reply, text: reply.text + note };
}

function changeBetween(question: EmissionQuestion, before: Side, after: Side): Reply {
  if (after.recordCount === 0) return nothingRecorded(question, after.days);
  if (before.recordCount === 0) {
    const text = `${describe(question)} ${ofDays(after.days)}: ${written(after.total)} ${UNIT}. Nothing was recorded ${ofDays(before.days)}, so there is no change to tell.`;
    return { ...saying(text), figures: [figure("Total", after.total, UNIT)] };
  }
  const change = after.total - before.total;
  const percent = before.total === 0 ? null : (100 * change) / before.total;
  const direction =
    change === 0 ? "no change" : `${written(Math.abs(change))} ${UNIT} ${change > 0 ? "more" : "less"}`;
  const share =
    percent === null || change === 0 ? "" : ` (${percent > 0 ? "+" : "−"}${written(Math.abs(percent))} %)`;
  return {
    text: `${describe(question)} ${ofDays(after.days)}: ${written(after.total)} ${UNIT}; ${ofDays(before.days)}: ${written(before.total)} ${UNIT}. That is ${direction}${share}.${differenceOf(before, after)}`,
    figures: [
      figure("Total", after.total, UNIT),
      figure("Total before", before.total, UNIT),
      figure("Change", Number(change.toFixed(6)), UNIT),
      ...(percent === null ? [] : [figure("Change in percent", Number(percent.toFixed(6)), "%")]),
    ],
    sources: [],
    followUps: ["And scope 2?", "And by month?"],
  };
}

/** Describes how the sides differ: in months without records, or in the number of records. */
function differenceOf(before: Side, after: Side): string {
  if (before.gaps !== after.gaps) {
    const sides = [after, before].filter(({ gaps }) => gaps > 0);
    const months = sides.map(({ gaps, days }) => `${counted(gaps, "month")} ${ofDays(days)}`);
    const isOne = sides.length === 1 && sides[0]?.gaps === 1;
    return ` Mind that ${listed(months)} ${isOne ? "has" : "have"} no records.`;
  }
  if (before.recordCount === after.recordCount) return "";
  const records = [after, before].map(
    ({ recordCount, days }) => `${counted(recordCount, "record")} ${ofDays(days)}`,
  );
  return ` Mind that they are ${listed(records)}.`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
