import { cannotAnswerAbout, joinWords, refuse, requireThat } from "../../../domain/chat/open-question.js";
import { EARLIEST } from "../../../domain/chat/periods.js";
import type { Filter, Part, Step } from "../../../domain/chat/question.js";
import { wordsOf } from "../../../domain/chat/text.js";
import type { Vocabulary } from "../../../domain/chat/vocabulary.js";
import { groupBy } from "../../../domain/group-by.js";
import { formatDay } from "../../../domain/insights/insight.js";
import { type DateRange, isoDate, isWholeMonths, listPeriods } from "../../../domain/window.js";
import { nameOfCountry } from "../../../regions/countries.js";
import { describeDays, formatMonth, nameDays, type Reply, reply } from "../reply.js";
import { type Ask, readPages } from "../tools.js";

/** Context of an answer. */
export interface AnswerContext {
  readonly ask: Ask;
  readonly now: Date;
  readonly vocabulary: Vocabulary;
}

interface Amount {
  readonly co2eTonnes: number;
  readonly recordCount: number;
}

/** Emissions of a range of days. */
export interface Emissions extends DateRange {
  readonly totalCo2eTonnes: number;
  readonly recordCount: number;
  readonly latestRecord: string | null;
  readonly byScope: readonly { readonly scope: string; readonly co2eTonnes: number }[];
  /** Months of the range; the first and last may be partial. */
  readonly trend: readonly (Amount & DateRange)[];
  /** The records found by a search for words; null without one. */
  readonly records: readonly FoundRecord[] | null;
}

/** One part or step of emissions. */
export interface Item {
  readonly name: string;
  readonly co2eTonnes: number;
  /** True for days without records. */
  readonly isGap: boolean;
  /** True if it can be compared with the others: a named part, or a finished step with records in every month. */
  readonly isRanked: boolean;
}

/** Maximum number of parts, or of entries of a list, to read. */
export const MAX_READ = 100;

export const nameScope = (scope: string): string => scope.toLowerCase().replace("_", " ");

const ARGUMENTS = {
  scopes: "scope",
  facilityCodes: "facility",
  categories: "category",
  countries: "country",
} as const;
type Arguments = Partial<Record<Exclude<keyof typeof ARGUMENTS, "scopes">, string[]>> & {
  scopes?: "SCOPE_1"[];
};

/** Converts filters to tool arguments. */
export function argumentsOf(filters: readonly Filter[]): Arguments {
  const valuesOf = (wanted: Filter["kind"]) =>
    filters
      .filter(({ kind }) => kind === wanted)
      .map(({ value }) => (wanted === "scope" ? value.toUpperCase() : value));
  const given = Object.entries(ARGUMENTS).map(([name, kind]) => [name, valuesOf(kind)] as const);
  return Object.fromEntries(given.filter(([, values]) => values.length > 0));
}

export const sumOf = (some: readonly { readonly co2eTonnes: number }[]): number =>
  some.reduce((sum, { co2eTonnes }) => sum + co2eTonnes, 0);

/** Reads the emissions of a range that match the filters. */
export async function readEmissions(
  filters: readonly Filter[],
  { from, to }: DateRange,
  context: AnswerContext,
): Promise<Emissions> {
  const range = { from, to };
  const text = filters.find(({ kind }) => kind === "text");
  if (!text) {
    const given = { range, ...argumentsOf(filters), step: "MONTH" } as const;
    return { ...(await context.ask("getEmissionsTrend", given)).emissions, records: null };
  }
  const records = await findRecords(filters, text, range, context);
  return {
    ...range,
    records,
    totalCo2eTonnes: sumOf(records),
    recordCount: records.length,
    latestRecord: records[0]?.recordedOn ?? null,
    byScope: Array.from(
      groupBy(records, ({ scope }) => scope),
      ([scope, some]) => ({ scope, co2eTonnes: sumOf(some) }),
    ),
    trend: listPeriods(range, "month").map(({ from, to }) => {
      const own = records.filter(({ recordedOn }) => from <= recordedOn && recordedOn <= to);
      return { from, to, co2eTonnes: sumOf(own), recordCount: own.length };
    }),
  };
}

/** Reads the parts of emissions: scopes in order, others largest first. */
export async function readParts(
  { from, to, records, byScope }: Emissions,
  filters: readonly Filter[],
  by: Part,
  { ask, vocabulary }: AnswerContext,
): Promise<readonly Item[]> {
  const itemOf = (value: string | null, co2eTonnes: number) => {
    const facility = by === "facility" && vocabulary.facilities.find(({ code }) => code === value);
    const known = by === "country" ? nameOfCountry : by === "scope" ? nameScope : spaced;
    const name = facility ? `${facility.name} (${value})` : value === null ? null : known(value);
    return { name: name ?? `without a ${by}`, co2eTonnes, isGap: false, isRanked: value !== null };
  };
  if (by === "scope") {
    const asked = filters.filter(({ kind }) => kind === "scope").map(({ value }) => value);
    return byScope
      .filter(({ scope }) => asked.length === 0 || asked.includes(scope.toLowerCase()))
      .map(({ scope, co2eTonnes }) => itemOf(scope, co2eTonnes));
  }
  if (records) {
    requireThat(by !== "country", "I can't split these emissions by country.");
    const partOf = ({ facility, category }: FoundRecord) =>
      by === "facility" ? (facility?.code ?? null) : category;
    const parts = Array.from(groupBy(records, partOf), ([part, some]) => itemOf(part, sumOf(some)));
    return parts.toSorted((one, other) => other.co2eTonnes - one.co2eTonnes);
  }
  const { largestParts } = (
    await ask("rankEmissionSources", {
      by: by.toUpperCase() as Uppercase<typeof by>,
      range: { from, to },
      ...argumentsOf(filters),
      first: MAX_READ,
    })
  ).emissions;
  return largestParts.map(({ part, co2eTonnes }) => itemOf(part, co2eTonnes));
}

const spaced = (name: string) => name.replaceAll("_", " ");

/** Groups the months of emissions by month, quarter or year. */
export function stepsOf({ from, to, trend }: Emissions, by: Step, now: Date): readonly Item[] {
  const length = { month: 1, quarter: 3, year: 12 }[by];
  return listPeriods({ from, to }, by).map((step) => {
    const months = trend.filter((month) => step.from <= month.from && month.from <= step.to);
    const known = months.filter(({ recordCount }) => recordCount > 0);
    const isOver = step.to < isoDate(now) && isWholeMonths(step);
    return {
      name: nameStep(step),
      co2eTonnes: sumOf(known),
      isGap: known.length === 0,
      isRanked: isOver && known.length === length,
    };
  });
}

/** Names a step: `October 2026`, `Q3 2026`, `November 2026 (so far)`, or its days if it is partial. */
function nameStep(step: DateRange): string {
  const isMonth = step.from.endsWith("-01") && step.from.slice(0, 7) === step.to.slice(0, 7);
  return nameDays(step) ?? (isMonth ? `${formatMonth(step.from)} (so far)` : daysOf(step));
}
const daysOf = ({ from, to }: DateRange) => `${formatDay(from)} to ${formatDay(to)}`;

/** Maximum number of pages of 100 records to add up. */
const MAX_PAGES = 2;

type FoundRecord = Awaited<ReturnType<typeof searchRecords>>["items"][number];

const searchRecords = (max: number, ask: Ask, given: Arguments & { range: DateRange; search: string }) =>
  readPages(max, async (after) => {
    const page = { orderBy: "RECORDED_ON", order: "DESC", first: 100, after } as const;
    return (await ask("searchEmissionRecords", { ...given, ...page })).emissionRecords;
  });

/** Finds the records whose reference, category, source or note contains the filter's words, in singular or plural. */
async function findRecords(
  filters: readonly Filter[],
  { value, label }: Filter,
  range: DateRange,
  { ask, now }: AnswerContext,
): Promise<readonly FoundRecord[]> {
  const { countries, ...given } = argumentsOf(filters);
  requireThat(
    !countries,
    `I can search for "${label}" in all countries together or at one facility, but not by country.`,
  );
  const words = wordsOf(value);
  const [search = ""] = words.toSorted((one, other) => other.length - one.length);
  const mentions = new RegExp(` ${words.join("(?:s|es)? ")}(?:s|es)? `, "u");
  const isFound = ({ reference, category, source, note }: FoundRecord) =>
    [reference, category, source, note].some((one) => mentions.test(` ${wordsOf(one ?? "").join(" ")} `));
  const { items, isWhole } = await searchRecords(MAX_PAGES, ask, { ...given, range, search });
  requireThat(
    isWhole,
    `Too many records mention "${label}" ${describeDays(range)} to add them up. Ask about a shorter period.`,
  );
  const records = items.filter(isFound);
  if (records.length > 0) return records;
  const always = { from: EARLIEST, to: isoDate(now) };
  const other = (await searchRecords(1, ask, { ...given, range: always, search })).items.find(isFound);
  requireThat(
    other,
    `${cannotAnswerAbout(label)} None of your facilities, categories or records has this name.`,
  );
  const latest = `The latest one that does is from ${formatDay(other.recordedOn)}.`;
  return refuse(`No record ${describeDays(range)} mentions "${label}". ${latest}`);
}

const PREPOSITIONS: readonly (readonly [kind: Filter["kind"], before: string])[] = [
  ["scope", "of"],
  ["category", "from"],
  ["text", "of records that mention"],
  ["facility", "at"],
  ["country", "in"],
];

/** Describes filtered emissions, such as `emissions of scope 2 at Pune works (PUNE)`. */
export const describe = (filters: readonly Filter[]): string =>
  PREPOSITIONS.reduce((text, [wanted, before]) => {
    const labels = filters
      .filter(({ kind }) => kind === wanted)
      .map(({ label }) => (wanted === "text" ? `"${label}"` : label.replace(/^(?=United )/, "the ")));
    const together = labels.length > 1 ? " together" : "";
    return labels.length > 0 ? `${text} ${before} ${joinWords(labels)}${together}` : text;
  }, "emissions");

/** Creates the reply for days without records, whose amount is unknown rather than zero. */
export const replyWithoutRecords = (filters: readonly Filter[], days: DateRange): Reply =>
  reply(
    `There are no records of ${describe(filters)} ${describeDays(days)}, so I have no figure.`,
    [],
    ["When was the latest record?", "What was our footprint over the last 12 months?"],
  );
