import { refuse, requireThat } from "../../../domain/chat/open-question.js";
import { EARLIEST } from "../../../domain/chat/periods.js";
import {
  type EmissionQuestion,
  isStep,
  MAX_FIGURES,
  PARTS,
  type Part,
  type Step,
} from "../../../domain/chat/question.js";
import { ONLY_LAST_YEAR } from "../../../domain/chat/read-emissions.js";
import { completeMonthsIn } from "../../../domain/foresight/monthly-series.js";
import { formatDay } from "../../../domain/insights/insight.js";
import { capitalize } from "../../../domain/texts/capitalize.js";
import { pluralOf } from "../../../domain/texts/count-of.js";
import { addMonths, type DateRange, isoDate, lastTwelveMonths, listPeriods } from "../../../domain/window.js";
import * as replies from "../reply.js";
import { describeDays, figure, formatCount, formatTonnes, list, type Reply, reply, UNIT } from "../reply.js";
import { compare } from "./answer-comparison.js";
import { answerForecast } from "./answer-forecast.js";
import {
  type AnswerContext,
  argumentsOf,
  describe,
  type Emissions,
  type Item,
  MAX_READ,
  nameScope,
  readEmissions,
  readParts,
  replyWithoutRecords,
  stepsOf,
  sumOf,
} from "./emission-data.js";

const FOLLOW_UPS = ["And by facility?", "And by category?", "Compare this year with last year"];

export async function answerEmissions(question: EmissionQuestion, context: AnswerContext): Promise<Reply> {
  const { intent, filters, whole, by, periods } = question;
  const isComparing = intent === "compare" || intent === "why";
  requireThat(periods.length < 2 || isComparing, "I can answer this for only one period at a time.");
  requireThat(
    !filters.some(({ kind }) => kind === "text") ||
      !["unusual", "forecast", "ratio", "missing"].includes(intent),
    "I can search for words only when you ask for amounts, such as totals and shares.",
  );
  const several = PARTS.filter((kind) => filters.filter((one) => one.kind === kind).length > 1);
  const [part] = intent === "compare" ? several : [];
  requireThat(
    !part || (several.length === 1 && periods.length < 2),
    "I can compare two periods or the parts of one period, but not both at once.",
  );
  if (isComparing && !part) return compare(question, context);
  if (intent === "unusual") return listUnusual(question, context);
  if (intent === "ratio") return answerRatios(question, context);
  if (intent === "forecast") return forecastEmissions(question, context);
  const days = daysOf(question, context.now);
  const emissions = await readEmissions([...whole, ...filters], days, context);
  const { recordCount, totalCo2eTonnes: total, latestRecord } = emissions;
  const of = capitalize(`${describe(filters)} ${describeDays(days)}`);
  const records = formatCount(recordCount, "record");
  if (intent === "count")
    return reply(`${of}: ${records}.`, [figure("Records", recordCount, "records")], FOLLOW_UPS);
  if (intent === "missing") return listMissing(of, emissions, context.now);
  if (latestRecord === null) return replyWithoutRecords(filters, days);
  switch (intent) {
    case "latest":
      return reply(`The latest record of ${describe(filters)} is from ${formatDay(latestRecord)}.`);
    case "share":
      return answerShare(question, emissions, context);
    case "average":
      return answerAverage(of, await readItems(question, emissions, by ?? "month", context), by ?? "month");
    case "compare":
    case "split":
      return answerSplit(question, emissions, part ?? by ?? "scope", context);
    default:
      return reply(
        `${of}: ${formatTonnes(total)}, from ${records}.`,
        [figure("Total", total, UNIT)],
        FOLLOW_UPS,
      );
  }
}

/**
 * Returns the days of a question about one period. Only complete months count for gaps, averages, and the highest and
 * lowest steps.
 */
function daysOf({ intent, by, top, periods: [period] }: EmissionQuestion, now: Date): DateRange {
  const range = period ?? (intent === "latest" ? { from: EARLIEST, to: isoDate(now) } : defaultDays(by, now));
  const isComplete = intent === "missing" || (isStep(by) && (top || intent === "average"));
  const complete = isComplete ? completeMonthsIn(range, now) : null;
  return complete ?? { from: range.from, to: range.to };
}

/** Returns the last 12 months, extended to whole months or quarters, or the last 5 years. */
function defaultDays(by: Part | Step | null, now: Date): DateRange {
  const { from, to } = lastTwelveMonths(now);
  if (by === "year") return { from: `${now.getUTCFullYear() - 4}-01-01`, to };
  const [first] = isStep(by) ? listPeriods({ from, to }, by) : [];
  return { from: first?.start ?? from, to };
}

function forecastEmissions({ filters, ahead }: EmissionQuestion, { ask }: AnswerContext): Promise<Reply> {
  const { countries, ...given } = argumentsOf(filters);
  requireThat(!countries, "I can forecast emissions by scope, facility or category, not by country.");
  return answerForecast(
    `Forecast of ${describe(filters)}`,
    ahead,
    async (asked) => (await ask("forecastEmissions", { ...given, ...asked })).emissions.forecast,
  );
}

const readItems = async (
  { filters }: EmissionQuestion,
  emissions: Emissions,
  by: Part | Step,
  context: AnswerContext,
): Promise<readonly Item[]> =>
  isStep(by) ? stepsOf(emissions, by, context.now) : readParts(emissions, filters, by, context);

/** Names the items that the ranking leaves out. */
const leftOut = (by: Part | Step, all: readonly Item[], ranked: readonly Item[]): string =>
  ranked.length === all.length
    ? ""
    : ` ${isStep(by) ? "Incomplete" : "Records without a"} ${isStep(by) ? pluralOf(by) : by} are left out.`;

/** Answers with the parts or steps of emissions, or only the highest or lowest. */
async function answerSplit(
  question: EmissionQuestion,
  emissions: Emissions,
  by: Part | Step,
  context: AnswerContext,
): Promise<Reply> {
  const { filters, top } = question;
  const { totalCo2eTonnes: total } = emissions;
  const all = await readItems(question, emissions, by, context);
  const ranked = top ? all.filter(({ isRanked }) => isRanked) : all;
  const plural = pluralOf(by);
  const isCut = all.length === MAX_READ && !isStep(by);
  requireThat(ranked.length > 0, `There are no complete ${plural} to rank.`, `Show emissions by ${by}`);
  requireThat(!(isCut && top?.isLowest), `There are too many ${plural} to find the smallest.`);
  const direction = top?.isLowest ? 1 : -1;
  const sorted = ranked.toSorted((one, other) => direction * (one.co2eTonnes - other.co2eTonnes));
  const rows = (top ? sorted : ranked).map(({ name, co2eTonnes, isGap, isRanked }) => {
    const partial = isRanked || by === "month" ? "" : " (not all months)";
    const share = isStep(by) && !top ? partial : replies.formatShare(co2eTonnes, total);
    const note = isGap ? "no records" : share;
    return { name, value: isGap ? null : co2eTonnes, unit: UNIT, note };
  });
  const of = `${describe(filters)} ${describeDays(emissions)}`;
  const left = leftOut(by, all, ranked);
  const followUps = ["And last year?", isStep(by) ? "And by category?" : "And by month?"];
  const [first] = rows;
  if (top?.count === 1 && first) {
    const { name, value, note } = first;
    const which = `${capitalize(name)} has the ${top.isLowest ? "lowest" : "highest"} ${of}`;
    const text = `${which}: ${formatTonnes(value ?? 0)}${note} of ${formatTonnes(total)}.${left}`;
    return reply(text, [figure(capitalize(name), value ?? 0, UNIT)], followUps);
  }
  const max = top?.count ?? (isStep(by) ? MAX_FIGURES : 10);
  const order = top ? `, ${top.isLowest ? "lowest" : "highest"} first` : "";
  return list(`${capitalize(of)} by ${by}${order}`, isStep(by) && !top ? rows.slice(-max) : rows, {
    max,
    all: isCut ? `${MAX_READ} or more` : undefined,
    foot: `Total: ${formatTonnes(total)}${left && `.${left}`}`,
    followUps,
  });
}

/** Answers with the average of named parts or of at least two complete steps. */
function answerAverage(of: string, all: readonly Item[], by: Part | Step): Reply {
  const items = all.filter(({ isRanked }) => isRanked);
  const plural = pluralOf(by);
  if (isStep(by)) {
    const reason = `An average needs at least two complete ${plural} with records. I found ${items.length === 1 ? "one" : "none"}.`;
    requireThat(items.length > 1, reason, `Show emissions by ${by}`);
  } else
    requireThat(items.length > 0 && all.length < MAX_READ, `I found no ${plural} to average, or too many.`);
  const total = sumOf(items);
  const average = total / items.length;
  const complete = isStep(by) ? "complete " : "";
  return reply(
    `${of}: ${formatTonnes(average)} per ${by} on average, ${formatTonnes(total)} in ${formatCount(items.length, complete + by)}.${leftOut(by, all, items)}`,
    [figure("Average", average, UNIT), figure("Total", total, UNIT)],
    ["Show the monthly trend", "Compare this year with last year"],
  );
}

async function answerShare(
  { filters, whole }: EmissionQuestion,
  part: Emissions,
  context: AnswerContext,
): Promise<Reply> {
  const { totalCo2eTonnes: total } = await readEmissions(whole, part, context);
  if (total === 0) return replyWithoutRecords(whole, part);
  const percent = (100 * part.totalCo2eTonnes) / total;
  const share = `${replies.formatNumber(percent)} % of ${whole.length > 0 ? `the ${describe(whole)}` : "all your emissions"}`;
  return reply(
    `${capitalize(describe(filters))} ${describeDays(part)}: ${share}, ${formatTonnes(part.totalCo2eTonnes)} of ${formatTonnes(total)}.`,
    [figure("Share", percent, "%"), figure("Part", part.totalCo2eTonnes, UNIT), figure("Total", total, UNIT)],
    ["Show the share of each category", "Show the share of each facility"],
  );
}

function listMissing(of: string, emissions: Emissions, now: Date): Reply {
  const months = stepsOf(emissions, "month", now).filter(({ isGap }) => isGap);
  const names = months.map(({ name }) => name).join(", ");
  return reply(
    `${of}: ${names ? `no records for ${names}` : "every month has records"}.`,
    [figure("Months without records", months.length, "months")],
    ["When was the latest record?"],
  );
}

/** Answers with the anomalies of complete months, most severe first. */
async function listUnusual(
  { periods: [period], filters, direction }: EmissionQuestion,
  { ask, now }: AnswerContext,
): Promise<Reply> {
  const { scopes, facilityCodes, ...others } = argumentsOf(filters);
  requireThat(Object.keys(others).length === 0, "I can find unusual months only by facility and scope.");
  const range = completeMonthsIn(period ?? { from: addMonths(isoDate(now), -24), to: isoDate(now) }, now);
  if (!range) refuse("I check only complete months.", "Were there any unusual months last month?");
  const [from, to] = [range.from.slice(0, 7), range.to.slice(0, 7)];
  const { items } = (await ask("findAnomalies", { from, to, first: 100 })).emissions.anomalies;
  requireThat(
    !items.pageInfo.hasNextPage,
    "There are more than 100 anomalies in these months. You can ask about a shorter period:",
    "Were there any unusual months last quarter?",
  );
  const all = items.nodes.filter(
    ({ series: { facility, scope }, value, expected }) =>
      (!facilityCodes || facilityCodes.includes(facility ?? "")) &&
      (!scopes || (scope !== null && scopes.includes(scope as "SCOPE_1"))) &&
      (!direction || (direction === "up") === (value ?? 0) > (expected ?? 0)),
  );
  const of = `in the ${describe(filters)} ${describeDays(range)}`;
  if (all.length === 0) return reply(`I found nothing unusual ${of}.`, [], ["Show the monthly trend"]);
  const rows = all.map(({ month, series: { facility, scope }, explanation: note }) => {
    const name = [replies.formatMonth(month), facility, scope && nameScope(scope)].filter(Boolean).join(", ");
    return { name, value: null, unit: "", note };
  });
  return {
    ...list(`${formatCount(all.length, "anomaly")} ${of}`, rows),
    figures: [figure("Anomalies", all.length, "anomalies")],
  };
}

/** Answers with intensities, market-based scope 2 and coverage. */
async function answerRatios({ periods, filters }: EmissionQuestion, { ask }: AnswerContext): Promise<Reply> {
  requireThat(
    periods.length === 0 && filters.every(({ kind }) => kind === "scope"),
    ONLY_LAST_YEAR,
    "What is our carbon intensity?",
  );
  const { emissionKpis } = await ask("getEmissionKpis", {});
  const { marketBasedScope2Tonnes, coveragePercent, intensities } = emissionKpis;
  const rows = [
    ...intensities.map(({ metric, unit, tonnesPerUnit }) => ({
      name: `Intensity by ${metric}`,
      value: tonnesPerUnit,
      unit: `${UNIT}/${unit}`,
    })),
    { name: "Market-based scope 2", value: marketBasedScope2Tonnes, unit: UNIT },
    { name: "Share of the expected periods with records", value: coveragePercent, unit: "%" },
  ].map((row) => ({ ...row, note: row.value === null ? "unknown" : "" }));
  const none = "No intensity yet. Add a business metric, such as employees or revenue.";
  return list("In the last 12 months", rows, {
    foot: intensities.length === 0 ? none : "",
    followUps: FOLLOW_UPS,
  });
}
