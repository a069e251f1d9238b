import { refuse } from "../../../domain/chat/leftovers.js";
import { EARLIEST } from "../../../domain/chat/periods.js";
import {
  type EmissionQuestion,
  type Filter,
  MOST_FIGURES,
  PARTS,
  type Part,
  STEPS,
  type Step,
} from "../../../domain/chat/question.js";
import { completeMonthsIn } from "../../../domain/foresight/series.js";
import { addMonths, type DateRange, isoDate } from "../../../domain/window.js";
import { type Ask, required } from "../ask.js";
import {
  capital,
  counted,
  figure,
  ofDays,
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
  countSteps,
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
  type StepAmount,
  scopesOf,
} from "./emission-data.js";

const FOLLOW_UPS = ["And by facility?", "And by category?", "Compare this year with last year"];
const isStep = (by: Part | Step | null): by is Step => (STEPS as readonly (string | null)[]).includes(by);

/** Answers a question about emissions. */
export async function answerEmissions(question: EmissionQuestion, ask: Ask, now: Date): Promise<Reply> {
  const { intent, filters, by } = question;
  if (question.periods.length > 1 && intent !== "compare" && intent !== "why")
    refuse("I can answer this for one period at a time.");
  if (
    filters.some(({ kind }) => kind === "text") &&
    ["unusual", "forecast", "ratio", "missing"].includes(intent)
  )
    refuse("I can search for words only in amounts, such as totals and shares.");
  const parts = PARTS.filter((kind) => filters.filter((one) => one.kind === kind).length > 1);
  const [part] = intent === "compare" ? parts : [];
  if (part && (parts.length > 1 || question.periods.length > 1))
    refuse("I compare two periods, or parts of one period, but not both at once.");
  if (intent === "compare" && !part) return compare(question, ask, now);
  if (intent === "why") return explainChange(question, ask, now);
  if (intent === "unusual") return listUnusual(question, ask, now);
  if (intent === "forecast")
    return answerForecast(`Forecast of ${describe(filters)}`, question.ahead, async (horizon) => {
      if (filters.some(({ kind }) => kind === "country"))
        refuse("I can forecast emissions by scope, facility or category, not by country.");
      const [facilityCodes, categories] = (["facility", "category"] as const).map((kind) =>
        filters.filter((one) => one.kind === kind).map(({ value }) => value),
      );
      const given = {
        scopes: scopesOf(filters),
        ...(facilityCodes?.length && { facilityCodes }),
        ...(categories?.length && { categories }),
      };
      return (await ask("getEmissionForecast", { ...given, horizon, levels: [95] })).emissions?.forecast;
    });
  if (intent === "ratio") return answerRatios(question, ask);
  const step = isStep(by) ? by : "month";
  const [period] = question.periods;
  const everything = { from: EARLIEST, to: isoDate(now) };
  const range: DateRange = period ?? (intent === "latest" ? everything : defaultRange(now, step, isStep(by)));
  const days = (isStep(by) && (question.top || intent === "average") && completeMonthsIn(range, now)) || {
    from: range.from,
    to: range.to,
  };
  const emissions = await readEmissions(filters, days, ask, now);
  if (emissions.recordCount === 0 && intent !== "count" && intent !== "missing")
    return nothingRecorded(filters, days);
  switch (intent) {
    case "latest": {
      const text = `The latest record of ${describe(filters)} is of ${writeDay(emissions.latest ?? days.to)}.`;
      return reply(text, [], ["Which months have no records?"]);
    }
    case "count": {
      const { recordCount } = emissions;
      const text = `There ${recordCount === 1 ? "is" : "are"} ${counted(recordCount, "record")} of ${describe(filters)} ${ofDays(days)}.`;
      return reply(text, [figure("Records", recordCount, "records")], FOLLOW_UPS);
    }
    case "missing":
      return listMissing(filters, emissions, now);
    case "average":
      return answerAverage(filters, emissions, by);
    case "share":
      return answerShare(question, emissions, ask, now);
    case "compare":
    case "split":
      return isStep(by)
        ? answerSteps(question, emissions, by)
        : answerParts(question, emissions, part ?? by ?? "scope");
    default:
      return reply(
        `${capital(describe(filters))} ${ofDays(days)}: ${tonnes(emissions.total)}, from ${counted(emissions.recordCount, "record")}.`,
        [figure("Total", emissions.total, UNIT)],
        FOLLOW_UPS,
      );
  }
}

const PLURALS: Readonly<Record<Part, string>> = {
  scope: "scopes",
  facility: "facilities",
  category: "categories",
  country: "countries",
};
/** Maximum number of parts in an answer. */
const MOST_SHOWN = 10;
const percentOf = (part: number, whole: number) =>
  whole === 0 ? "" : ` (${written((100 * part) / whole)} %)`;

function answerParts({ filters, top }: EmissionQuestion, emissions: Emissions, by: Part): Reply {
  const hasAll = by !== "scope" || filters.every(({ kind }) => kind !== "scope");
  const all = emissions.parts[by].filter(({ name }) => hasAll || filters.some(({ label }) => label === name));
  const ranked = top ? all.filter(({ name }) => !isWithout(name)) : all;
  if (ranked.length === 0) refuse(`I can't split these emissions by ${by}.`);
  if (top?.isLowest && all.length === MOST_READ)
    refuse(`There are too many ${PLURALS[by]} to name the smallest.`);
  const sorted = !top
    ? ranked
    : ranked.toSorted((one, other) => (top.isLowest ? one.tonnes - other.tonnes : other.tonnes - one.tonnes));
  const shown = sorted.slice(0, top?.count ?? MOST_SHOWN);
  const figures = shown.map(({ name, tonnes: amount }) => figure(capital(name), amount, UNIT));
  const followUps = ["And last year?", "And by month?"];
  const [first] = shown;
  const of = `${describe(filters)} ${ofDays(emissions)}`;
  const share = (amount: number) => percentOf(amount, emissions.total);
  const left = ranked.length < all.length ? ` Records without a ${by} are left out.` : "";
  if (top?.count === 1 && first) {
    const text = `${capital(first.name)} has the ${top.isLowest ? "lowest" : "highest"} ${of}: ${tonnes(first.tonnes)}${share(first.tonnes)} of ${tonnes(emissions.total)}.${left}`;
    return reply(text, figures, followUps);
  }
  const count = all.length === MOST_READ ? `${MOST_READ} or more` : String(ranked.length);
  const which =
    shown.length === ranked.length
      ? ""
      : `, the ${top?.isLowest ? "smallest" : "largest"} ${shown.length} of ${count} ${PLURALS[by]}`;
  const lines = shown.map((part) => `${capital(part.name)}: ${tonnes(part.tonnes)}${share(part.tonnes)}`);
  return reply(
    `${capital(of)} by ${by}${which}:\n${lines.join("\n")}\nTotal: ${tonnes(emissions.total)}${left && `.${left}`}`,
    figures,
    followUps,
  );
}

const averageOf = (steps: readonly StepAmount[]) =>
  steps.reduce((sum, one) => sum + one.tonnes, 0) / steps.length;

function answerSteps({ filters, top }: EmissionQuestion, emissions: Emissions, by: Step): Reply {
  const steps = groupMonths(emissions.months, by);
  const complete = steps.filter(({ isComplete }) => isComplete);
  const ordered = complete.toSorted((one, other) => other.tonnes - one.tonnes);
  const [highest, lowest] = [ordered[0], ordered.at(-1)];
  const followUps = ["What is our monthly average?", "What is the forecast for the next 3 months?"];
  if (top) {
    if (!highest)
      refuse(`There is no complete ${by} with records ${ofDays(emissions)}.`, `Show emissions by ${by}`);
    const shown = (top.isLowest ? ordered.toReversed() : ordered).slice(0, top.count);
    const lines = shown.map((one) => `${nameStep(one)} with ${tonnes(one.tonnes)}`);
    const which = `The ${by}${shown.length === 1 ? "" : "s"} with the ${top.isLowest ? "lowest" : "highest"} ${describe(filters)}`;
    const among = `of ${countSteps(complete.length, by)} ${ofDays(emissions)}`;
    return reply(
      shown.length === 1 ? `${which} was ${lines[0]}, ${among}.` : `${which}, ${among}:\n${lines.join("\n")}`,
      shown.map((one) => figure(nameStep(one), one.tonnes, UNIT)),
      followUps,
    );
  }
  const shown = steps.slice(-MOST_FIGURES);
  const lines = shown.map((one) => {
    const isPartial = !one.isGap && !one.isComplete && by !== "month";
    return `${nameStep(one)}: ${one.isGap ? "no records" : tonnes(one.tonnes)}${isPartial ? " (not all months)" : ""}`;
  });
  const summary =
    highest && lowest && complete.length > 1
      ? `\nAverage of ${countSteps(complete.length, by)}: ${tonnes(averageOf(complete))}. Highest: ${nameStep(highest)}. Lowest: ${nameStep(lowest)}.`
      : "";
  const cut = shown.length < steps.length ? `, the last ${shown.length}` : "";
  return reply(
    `${capital(describe(filters))} ${ofDays(emissions)} by ${by}${cut}:\n${lines.join("\n")}${summary}`,
    shown.filter(({ isGap }) => !isGap).map((one) => figure(nameStep(one), one.tonnes, UNIT)),
    followUps,
  );
}

/** Answers with the average of complete steps, or of parts with records. A step without records is not zero. */
function answerAverage(filters: readonly Filter[], emissions: Emissions, by: Part | Step | null): Reply {
  if (!isStep(by) && by !== null) {
    const all = emissions.parts[by];
    if (all.length === MOST_READ) refuse(`There are too many ${PLURALS[by]} for an average.`);
    const named = all.filter(({ name }) => !isWithout(name));
    if (named.length === 0) refuse(`There is no ${by} with records ${ofDays(emissions)}.`);
    const total = named.reduce((sum, one) => sum + one.tonnes, 0);
    const average = total / named.length;
    const left = named.length < all.length ? ` Records without a ${by} are left out.` : "";
    const text = `${capital(describe(filters))} ${ofDays(emissions)} were ${tonnes(average)} per ${by} on average: ${tonnes(total)} in ${named.length} ${PLURALS[by]}.${left}`;
    return reply(text, [figure("Average", average, UNIT), figure("Total", total, UNIT)], FOLLOW_UPS);
  }
  const step = by ?? "month";
  const complete = groupMonths(emissions.months, step).filter(({ isComplete }) => isComplete);
  const [first, last] = [complete[0], complete.at(-1)];
  if (!first || !last || complete.length < 2)
    refuse(
      `An average needs at least two complete ${step}s with records; ${ofDays(emissions)} there ${complete.length === 1 ? "is one" : "is none"}.`,
      `Show emissions by ${step}`,
    );
  const average = averageOf(complete);
  const sum = average * complete.length;
  const text = `${capital(describe(filters))} are ${tonnes(average)} a ${step} on average: ${tonnes(sum)} in ${countSteps(complete.length, step)} ${ofDays({ from: first.from, to: last.to })}.`;
  return reply(
    text,
    [figure("Average", average, UNIT), figure("Total", sum, UNIT)],
    ["Show the monthly trend", ...FOLLOW_UPS.slice(2)],
  );
}

async function answerShare(
  { filters, whole }: EmissionQuestion,
  part: Emissions,
  ask: Ask,
  now: Date,
): Promise<Reply> {
  const all = [...whole, ...filters];
  const exact = whole.length > 0 ? await readEmissions(all, part, ask, now) : part;
  const total = await readEmissions(whole, part, ask, now);
  if (total.total === 0) return nothingRecorded(whole, part);
  const percent = (100 * exact.total) / total.total;
  const text = `${capital(describe(filters))} were ${written(percent)} % of ${whole.length > 0 ? `the ${describe(whole)}` : "all your emissions"} ${ofDays(part)}: ${written(exact.total)} of ${tonnes(total.total)}.`;
  return reply(
    text,
    [figure("Share", percent, "%"), figure("Part", exact.total, UNIT), figure("Total", total.total, UNIT)],
    ["Show the share of each category", "Show the share of each facility"],
  );
}

function listMissing(filters: readonly Filter[], emissions: Emissions, now: Date): Reply {
  const today = isoDate(now);
  const missing = emissions.months.filter(({ isGap, to }) => isGap && to < today);
  const of = `of ${describe(filters)} ${ofDays(emissions)}`;
  if (missing.length === 0)
    return reply(`Every month that is over has records ${of}.`, [], ["When was the latest record?"]);
  return reply(`Months without records ${of}: ${missing.map(nameStep).join(", ")}.`, [
    figure("Months without records", missing.length, "months"),
  ]);
}

const MOST_UNUSUAL = 5;

/** Answers with the anomalies of complete months, those with the highest severity first. */
async function listUnusual(
  { periods: [period], filters, direction }: EmissionQuestion,
  ask: Ask,
  now: Date,
): Promise<Reply> {
  if (filters.some(({ kind }) => kind !== "facility" && kind !== "scope"))
    refuse("I can name unusual months by facility and scope.", "Were there any unusual months?");
  const range = completeMonthsIn(period ?? { from: addMonths(isoDate(now), -24), to: isoDate(now) }, now);
  if (!range) refuse("Only complete months are checked.", "Were there any unusual months last month?");
  const [from, to] = [range.from.slice(0, 7), range.to.slice(0, 7)];
  const found = required((await ask("listEmissionAnomalies", { from, to, first: 100 })).emissions).anomalies;
  if (found.items.pageInfo.hasNextPage)
    refuse(
      "There are more than 100 unusual findings in these months. You can ask for a shorter period:",
      "Were there any unusual months last quarter?",
    );
  const severities = ["HIGH", "MEDIUM", "LOW"];
  const fits = (kind: string, value?: string | null) => {
    const wanted = filters.filter((one) => one.kind === kind);
    return (
      wanted.length === 0 || wanted.some((one) => one.value === value?.toLowerCase() || one.value === value)
    );
  };
  const all = found.items.nodes
    .filter(
      ({ series, value, expected }) =>
        fits("facility", series.facility) &&
        fits("scope", series.scope) &&
        (!direction || (direction === "up") === (value ?? 0) > (expected ?? 0)),
    )
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
  const days = ofDays(range);
  if (all.length === 0)
    return reply(
      `I found nothing unusual in the ${describe(filters)} ${days}.`,
      [],
      ["Show the monthly trend"],
    );
  const shown = all.slice(0, MOST_UNUSUAL);
  const lines = shown.map(({ month, series, explanation }) => {
    const name = [series.facility, series.scope && nameScope(series.scope)].filter(Boolean).join(", ");
    return `${writeMonth(month)}${name && `, ${name}`}: ${explanation}`;
  });
  const cut = all.length > shown.length ? `, of which these ${shown.length} come first` : "";
  const text = `${counted(all.length, "unusual finding")} in the ${describe(filters)} ${days}${cut}:\n${lines.join("\n")}`;
  return reply(text, [figure("Unusual findings", all.length, "findings")], ["Show the monthly trend"]);
}

/** Answers with the figures next to the total: intensities, market-based scope 2 and coverage. */
async function answerRatios({ periods, filters }: EmissionQuestion, ask: Ask): Promise<Reply> {
  if (periods.length > 0 || filters.some(({ kind }) => kind !== "scope"))
    refuse(
      "I know intensities, market-based emissions and coverage only for the last 12 months in total.",
      "What is our carbon intensity?",
    );
  const kpis = required((await ask("getEmissionKpis", {})).emissionKpis);
  const { marketBasedScope2Tonnes: marketBased, coveragePercent: coverage, intensities } = kpis;
  const known = intensities.filter(({ tonnesPerUnit }) => tonnesPerUnit !== null);
  const figures = [
    ...known.map(({ metric, unit, tonnesPerUnit }) =>
      figure(`Intensity by ${metric}`, tonnesPerUnit ?? 0, `${UNIT}/${unit}`),
    ),
    ...(marketBased === null ? [] : [figure("Market-based scope 2", marketBased, UNIT)]),
    ...(coverage === null ? [] : [figure("Coverage", coverage, "%")]),
  ];
  const lines = [
    ...known.map(
      ({ metric, unit, tonnesPerUnit }) => `Per ${unit} of ${metric}: ${written(tonnesPerUnit ?? 0)} ${UNIT}`,
    ),
    ...(known.length === 0
      ? ["No intensity: there is no business metric, such as employees or revenue, to divide by."]
      : []),
    marketBased === null
      ? "No record has a market-based amount."
      : `Market-based scope 2: ${tonnes(marketBased)}`,
    ...(coverage === null ? [] : [`Coverage: ${written(coverage)} % of the expected periods have records`]),
  ];
  return reply(`In the last 12 months:\n${lines.join("\n")}`, figures, FOLLOW_UPS);
}
