import { refuse } from "../../../domain/chat/leftovers.js";
import { EARLIEST } from "../../../domain/chat/periods.js";
import {
  type EmissionQuestion,
  isStep,
  MOST_FIGURES,
  PARTS,
  type Part,
  type Step,
} from "../../../domain/chat/question.js";
import { completeMonthsIn } from "../../../domain/foresight/series.js";
import { addMonths, isoDate } from "../../../domain/window.js";
import {
  capital,
  counted,
  figure,
  ofDays,
  percentOf,
  type Reply,
  reply,
  tonnes,
  UNIT,
  writeDay,
  writeMonth,
  written,
} from "../reply.js";
import { compare, explainChange } from "./answer-comparison.js";
import { answerForecast } from "./answer-forecast.js";
import {
  type Asking,
  argumentsOf,
  defaultRange,
  describe,
  type Emissions,
  groupMonths,
  isWithout,
  MOST_READ,
  nameScope,
  nameStep,
  nothingRecorded,
  readEmissions,
  readParts,
  sumOf,
} from "./emission-data.js";

const FOLLOW_UPS = ["And by facility?", "And by category?", "Compare this year with last year"];

/** Answers a question about emissions. */
export async function answerEmissions(question: EmissionQuestion, asking: Asking): Promise<Reply> {
  const { intent, filters, whole, by, periods } = question;
  const { ask, now } = asking;
  if (periods.length > 1 && intent !== "compare" && intent !== "why")
    refuse("I can answer this for one period at a time.");
  const hasText = filters.some(({ kind }) => kind === "text");
  if (hasText && ["unusual", "forecast", "ratio", "missing"].includes(intent))
    refuse("I can search for words only in amounts, such as totals and shares.");
  const several = PARTS.filter((kind) => filters.filter((one) => one.kind === kind).length > 1);
  const [part] = intent === "compare" ? several : [];
  if (part && (several.length > 1 || periods.length > 1))
    refuse("I compare two periods, or parts of one period, but not both at once.");
  if (intent === "compare" && !part) return compare(question, asking);
  if (intent === "why") return explainChange(question, asking);
  if (intent === "unusual") return listUnusual(question, asking);
  if (intent === "ratio") return answerRatios(question, asking);
  if (intent === "forecast") return forecastEmissions(question, asking);
  const days = daysOf(question, now);
  if (intent === "latest" && !hasText) {
    const { emissions } = await ask("getEmissionsSummary", { range: days, ...argumentsOf(filters) });
    return answerLatest(question, emissions.latestRecord, now);
  }
  const emissions = await readEmissions([...whole, ...filters], days, asking);
  const of = `${describe(filters)} ${ofDays(days)}`;
  const { recordCount, total } = emissions;
  if (intent === "count")
    return reply(
      `There ${recordCount === 1 ? "is" : "are"} ${counted(recordCount, "record")} of ${of}.`,
      [figure("Records", recordCount, "records")],
      FOLLOW_UPS,
    );
  if (intent === "missing") return listMissing(of, emissions, now);
  if (recordCount === 0) return nothingRecorded(filters, days);
  switch (intent) {
    case "latest":
      return answerLatest(question, emissions.records?.[0]?.recordedOn ?? null, now);
    case "share":
      return answerShare(question, emissions, asking);
    case "average":
      return isPart(by)
        ? answerPartAverage(of, await readParts(emissions, filters, by, asking), by)
        : answerStepAverage(question, emissions);
    case "compare":
    case "split":
      return isStep(by)
        ? answerSteps(question, emissions, by)
        : answerParts(question, emissions, part ?? (isPart(by) ? by : "scope"), asking);
    default:
      return reply(
        `${capital(of)}: ${tonnes(total)}, from ${counted(recordCount, "record")}.`,
        [figure("Total", total, UNIT)],
        FOLLOW_UPS,
      );
  }
}

const isPart = (by: Part | Step | null): by is Part => by !== null && !isStep(by);

/** Returns the days of a question about one period. Averages, and the highest and lowest steps, are of complete months. */
function daysOf({ intent, by, top, periods: [period] }: EmissionQuestion, now: Date) {
  const everything = { from: EARLIEST, to: isoDate(now) };
  const range =
    period ?? (intent === "latest" ? everything : defaultRange(now, isStep(by) ? by : "month", isStep(by)));
  const complete = isStep(by) && (top || intent === "average") ? completeMonthsIn(range, now) : null;
  return complete ?? { from: range.from, to: range.to };
}

function answerLatest(question: EmissionQuestion, day: string | null, now: Date): Reply {
  const { filters } = question;
  if (day === null) return nothingRecorded(filters, daysOf(question, now));
  return reply(
    `The latest record of ${describe(filters)} is of ${writeDay(day)}.`,
    [],
    ["Which months have no records?"],
  );
}

function forecastEmissions({ filters, ahead }: EmissionQuestion, { ask }: Asking): Promise<Reply> {
  return answerForecast(`Forecast of ${describe(filters)}`, ahead, async (horizon) => {
    const { countries, ...given } = argumentsOf(filters);
    if (countries) refuse("I can forecast emissions by scope, facility or category, not by country.");
    return (await ask("forecastEmissions", { ...given, horizon, method: "OLS" })).emissions.forecast;
  });
}

const PLURALS: Readonly<Record<Part, string>> = {
  scope: "scopes",
  facility: "facilities",
  category: "categories",
  country: "countries",
};
/** Maximum number of parts in an answer. */
const MOST_SHOWN = 10;
const leftOut = (by: Part, isSome: boolean) => (isSome ? ` Records without a ${by} are left out.` : "");

async function answerParts(
  { filters, top }: EmissionQuestion,
  emissions: Emissions,
  by: Part,
  asking: Asking,
): Promise<Reply> {
  const hasAll = by !== "scope" || filters.every(({ kind }) => kind !== "scope");
  const all = (await readParts(emissions, filters, by, asking)).filter(
    ({ name }) => hasAll || filters.some(({ label }) => label === name),
  );
  const ranked = top ? all.filter(({ name }) => !isWithout(name)) : all;
  if (ranked.length === 0) refuse(`I can't split these emissions by ${by}.`);
  const [plural, isCut] = [PLURALS[by], all.length === MOST_READ];
  if (top?.isLowest && isCut) refuse(`There are too many ${plural} to name the smallest.`);
  const direction = top?.isLowest ? 1 : -1;
  const sorted = top ? ranked.toSorted((one, other) => direction * (one.tonnes - other.tonnes)) : ranked;
  const shown = sorted.slice(0, top?.count ?? MOST_SHOWN);
  const figures = shown.map(({ name, tonnes: amount }) => figure(capital(name), amount, UNIT));
  const followUps = ["And last year?", "And by month?"];
  const of = `${describe(filters)} ${ofDays(emissions)}`;
  const amountOf = ({ tonnes: amount }: { tonnes: number }) =>
    `${tonnes(amount)}${percentOf(amount, emissions.total)}`;
  const left = leftOut(by, ranked.length < all.length);
  const [first] = shown;
  if (top?.count === 1 && first)
    return reply(
      `${capital(first.name)} has the ${top.isLowest ? "lowest" : "highest"} ${of}: ${amountOf(first)} of ${tonnes(emissions.total)}.${left}`,
      figures,
      followUps,
    );
  const count = isCut ? `${MOST_READ} or more` : String(ranked.length);
  const which =
    shown.length === ranked.length
      ? ""
      : `, the ${top?.isLowest ? "smallest" : "largest"} ${shown.length} of ${count} ${plural}`;
  const lines = shown.map((one) => `${capital(one.name)}: ${amountOf(one)}`);
  return reply(
    `${capital(of)} by ${by}${which}:\n${lines.join("\n")}\nTotal: ${tonnes(emissions.total)}${left && `.${left}`}`,
    figures,
    followUps,
  );
}

function answerSteps({ filters, top }: EmissionQuestion, emissions: Emissions, by: Step): Reply {
  const steps = groupMonths(emissions.months, by);
  const complete = steps.filter(({ isComplete }) => isComplete);
  const ordered = complete.toSorted((one, other) => other.tonnes - one.tonnes);
  const [highest, lowest] = [ordered[0], ordered.at(-1)];
  const followUps = ["What is our monthly average?", "What is the forecast for the next 3 months?"];
  const number = counted(complete.length, `complete ${by}`);
  if (top) {
    if (!highest)
      refuse(`There is no complete ${by} with records ${ofDays(emissions)}.`, `Show emissions by ${by}`);
    const shown = (top.isLowest ? ordered.toReversed() : ordered).slice(0, top.count);
    const lines = shown.map((one) => `${nameStep(one)} with ${tonnes(one.tonnes)}`);
    const isOne = shown.length === 1;
    const which = `The ${by}${isOne ? "" : "s"} with the ${top.isLowest ? "lowest" : "highest"} ${describe(filters)}`;
    const among = `of ${number} ${ofDays(emissions)}`;
    return reply(
      isOne ? `${which} was ${lines[0]}, ${among}.` : `${which}, ${among}:\n${lines.join("\n")}`,
      shown.map((one) => figure(nameStep(one), one.tonnes, UNIT)),
      followUps,
    );
  }
  const shown = steps.slice(-MOST_FIGURES);
  const lines = shown.map((one) => {
    const isPartial = !one.isGap && !one.isComplete && by !== "month";
    return `${nameStep(one)}: ${one.isGap ? "no records" : tonnes(one.tonnes)}${isPartial ? " (not all months)" : ""}`;
  });
  const average = sumOf(complete).tonnes / complete.length;
  const summary =
    highest && lowest && complete.length > 1
      ? `\nAverage of ${number}: ${tonnes(average)}. Highest: ${nameStep(highest)}. Lowest: ${nameStep(lowest)}.`
      : "";
  const cut = shown.length < steps.length ? `, the last ${shown.length}` : "";
  return reply(
    `${capital(describe(filters))} ${ofDays(emissions)} by ${by}${cut}:\n${lines.join("\n")}${summary}`,
    shown.filter(({ isGap }) => !isGap).map((one) => figure(nameStep(one), one.tonnes, UNIT)),
    followUps,
  );
}

/** Answers with the average of parts with records. */
function answerPartAverage(of: string, all: Awaited<ReturnType<typeof readParts>>, by: Part): Reply {
  if (all.length === MOST_READ) refuse(`There are too many ${PLURALS[by]} for an average.`);
  const named = all.filter(({ name }) => !isWithout(name));
  if (named.length === 0) refuse(`There is no ${by} with records.`);
  const total = named.reduce((sum, one) => sum + one.tonnes, 0);
  const average = total / named.length;
  const text = `${capital(of)} were ${tonnes(average)} per ${by} on average: ${tonnes(total)} in ${named.length} ${PLURALS[by]}.`;
  const figures = [figure("Average", average, UNIT), figure("Total", total, UNIT)];
  return reply(text + leftOut(by, named.length < all.length), figures, FOLLOW_UPS);
}

/** Answers with the average of complete steps. A step without records is not zero. */
function answerStepAverage({ filters, by }: EmissionQuestion, emissions: Emissions): Reply {
  const step = isStep(by) ? by : "month";
  const complete = groupMonths(emissions.months, step).filter(({ isComplete }) => isComplete);
  const [first, last] = [complete[0], complete.at(-1)];
  if (!first || !last || complete.length < 2)
    refuse(
      `An average needs at least two complete ${step}s with records; ${ofDays(emissions)} there ${complete.length === 1 ? "is one" : "is none"}.`,
      `Show emissions by ${step}`,
    );
  const { tonnes: sum } = sumOf(complete);
  const average = sum / complete.length;
  const days = ofDays({ from: first.from, to: last.to });
  return reply(
    `${capital(describe(filters))} are ${tonnes(average)} a ${step} on average: ${tonnes(sum)} in ${counted(complete.length, `complete ${step}`)} ${days}.`,
    [figure("Average", average, UNIT), figure("Total", sum, UNIT)],
    ["Show the monthly trend", ...FOLLOW_UPS.slice(2)],
  );
}

async function answerShare(
  { filters, whole }: EmissionQuestion,
  part: Emissions,
  asking: Asking,
): Promise<Reply> {
  const { total } = await readEmissions(whole, part, asking);
  if (total === 0) return nothingRecorded(whole, part);
  const percent = (100 * part.total) / total;
  const all = whole.length > 0 ? `the ${describe(whole)}` : "all your emissions";
  return reply(
    `${capital(describe(filters))} were ${written(percent)} % of ${all} ${ofDays(part)}: ${written(part.total)} of ${tonnes(total)}.`,
    [figure("Share", percent, "%"), figure("Part", part.total, UNIT), figure("Total", total, UNIT)],
    ["Show the share of each category", "Show the share of each facility"],
  );
}

function listMissing(of: string, { months }: Emissions, now: Date): Reply {
  const missing = months.filter(({ isGap, to }) => isGap && to < isoDate(now));
  if (missing.length === 0)
    return reply(`Every month that is over has records of ${of}.`, [], ["When was the latest record?"]);
  return reply(`Months without records of ${of}: ${missing.map(nameStep).join(", ")}.`, [
    figure("Months without records", missing.length, "months"),
  ]);
}

const MOST_UNUSUAL = 5;

/** Answers with the anomalies of complete months, those with the highest severity first. */
async function listUnusual(
  { periods: [period], filters, direction }: EmissionQuestion,
  { ask, now }: Asking,
): Promise<Reply> {
  const { scopes, facilityCodes, ...others } = argumentsOf(filters);
  if (Object.keys(others).length > 0)
    refuse("I can name unusual months by facility and scope.", "Were there any unusual months?");
  const range = completeMonthsIn(period ?? { from: addMonths(isoDate(now), -24), to: isoDate(now) }, now);
  if (!range) refuse("Only complete months are checked.", "Were there any unusual months last month?");
  const [from, to] = [range.from.slice(0, 7), range.to.slice(0, 7)];
  const { nodes, pageInfo } = (await ask("findAnomalies", { from, to, first: 100 })).emissions.anomalies
    .items;
  if (pageInfo.hasNextPage)
    refuse(
      "There are more than 100 unusual findings in these months. You can ask for a shorter period:",
      "Were there any unusual months last quarter?",
    );
  const all = nodes.filter(
    ({ series: { facility, scope }, value, expected }) =>
      (!facilityCodes || facilityCodes.includes(facility ?? "")) &&
      (!scopes || (scope !== null && scopes.includes(scope as "SCOPE_1"))) &&
      (!direction || (direction === "up") === (value ?? 0) > (expected ?? 0)),
  );
  const of = `in the ${describe(filters)} ${ofDays(range)}`;
  const followUps = ["Show the monthly trend"];
  if (all.length === 0) return reply(`I found nothing unusual ${of}.`, [], followUps);
  const shown = all.slice(0, MOST_UNUSUAL);
  const lines = shown.map(({ month, series, explanation }) => {
    const name = [series.facility, series.scope && nameScope(series.scope)].filter(Boolean).join(", ");
    return `${writeMonth(month)}${name && `, ${name}`}: ${explanation}`;
  });
  const cut = all.length > shown.length ? `, of which these ${shown.length} come first` : "";
  return reply(
    `${counted(all.length, "unusual finding")} ${of}${cut}:\n${lines.join("\n")}`,
    [figure("Unusual findings", all.length, "findings")],
    followUps,
  );
}

/** Answers with the figures next to the total: intensities, market-based scope 2 and coverage. */
async function answerRatios({ periods, filters }: EmissionQuestion, { ask }: Asking): Promise<Reply> {
  if (periods.length > 0 || filters.some(({ kind }) => kind !== "scope"))
    refuse(
      "I know intensities, market-based emissions and coverage only for the last 12 months in total.",
      "What is our carbon intensity?",
    );
  const { emissionKpis } = await ask("getEmissionKpis", {});
  const { marketBasedScope2Tonnes: marketBased, coveragePercent: coverage, intensities } = emissionKpis;
  const known = intensities.flatMap(({ metric, unit, tonnesPerUnit: value }) =>
    value === null ? [] : [{ metric, unit, value }],
  );
  const lines = [
    ...known.map(({ metric, unit, value }) => `Per ${unit} of ${metric}: ${written(value)} ${UNIT}`),
    ...(known.length === 0
      ? ["No intensity: there is no business metric, such as employees or revenue, to divide by."]
      : []),
    marketBased === null
      ? "No record has a market-based amount."
      : `Market-based scope 2: ${tonnes(marketBased)}`,
    ...(coverage === null ? [] : [`Coverage: ${written(coverage)} % of the expected periods have records`]),
  ];
  const figures = [
    ...known.map(({ metric, unit, value }) => figure(`Intensity by ${metric}`, value, `${UNIT}/${unit}`)),
    ...(marketBased === null ? [] : [figure("Market-based scope 2", marketBased, UNIT)]),
    ...(coverage === null ? [] : [figure("Coverage", coverage, "%")]),
  ];
  return reply(`In the last 12 months:\n${lines.join("\n")}`, figures, FOLLOW_UPS);
}
