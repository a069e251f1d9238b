import { listed, notYet, refuse } from "../../../domain/chat/leftovers.js";
import type { Vocabulary } from "../../../domain/chat/names.js";
import { EARLIEST } from "../../../domain/chat/periods.js";
import type { Filter, Part, Step } from "../../../domain/chat/question.js";
import { wordsOf } from "../../../domain/chat/text.js";
import {
  addMonths,
  type DateRange,
  daysBetween,
  isoDate,
  lastTwelveMonths,
  listPeriods,
} from "../../../domain/window.js";
import { nameDays, ofDays, type Reply, reply, writeDay, writeMonth } from "../reply.js";
import { type Ask, readPages } from "../tools.js";

/** Sources that answers are made from. */
export interface Asking {
  readonly ask: Ask;
  readonly now: Date;
  readonly vocabulary: Vocabulary;
}

export interface PartAmount {
  readonly name: string;
  readonly tonnes: number;
}

export interface StepAmount extends DateRange {
  readonly tonnes: number;
  readonly recordCount: number;
  readonly isGap: boolean;
  /** False if a month of it is missing, lies outside of the range, or is not over. */
  readonly isComplete: boolean;
}

/** Emissions from one day to another. */
export interface Emissions extends DateRange {
  readonly total: number;
  readonly recordCount: number;
  readonly months: readonly StepAmount[];
  readonly scopes: readonly PartAmount[];
  /** The records, where words were searched for; otherwise null. */
  readonly records: readonly Found[] | null;
}

/** Name of the records without a facility, category or country. They are no part to rank. */
const without = (by: Part) => `without a ${by}`;
export const isWithout = (name: string): boolean => name.startsWith("without a ");

const REGIONS = new Intl.DisplayNames("en", { type: "region" });
export const nameScope = (scope: string): string => scope.toLowerCase().replace("_", " ");

function namePart(by: Part, value: string | null, { facilities }: Vocabulary): string {
  if (value === null) return without(by);
  if (by === "country") return REGIONS.of(value) ?? value;
  if (by !== "facility") return value.replaceAll("_", " ");
  const facility = facilities.find(({ code }) => code === value);
  return facility ? `${facility.name} (${value})` : value;
}

/** Returns the arguments of the tools for filters. */
export function argumentsOf(filters: readonly Filter[]) {
  const valuesOf = (kind: Filter["kind"]) =>
    filters.flatMap((one) =>
      one.kind === kind ? [kind === "scope" ? one.value.toUpperCase() : one.value] : [],
    );
  const given = {
    scopes: valuesOf("scope") as "SCOPE_1"[],
    facilityCodes: valuesOf("facility"),
    categories: valuesOf("category"),
    countries: valuesOf("country"),
  };
  return Object.fromEntries(Object.entries(given).filter(([, values]) => values.length > 0)) as Partial<
    typeof given
  >;
}

/** Maximum number of parts that are read. */
export const MOST_READ = 100;

/** Adds up amounts by name, the largest first. */
function sumBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  amountOf: (item: Item) => number,
) {
  const sums = new Map<string, number>();
  for (const item of items) sums.set(nameOf(item), (sums.get(nameOf(item)) ?? 0) + amountOf(item));
  return Array.from(sums, ([name, tonnes]) => ({ name, tonnes }));
}

/** Reads the emissions of a range that match filters. */
export async function readEmissions(
  filters: readonly Filter[],
  { from, to }: DateRange,
  asking: Asking,
): Promise<Emissions> {
  const text = filters.find(({ kind }) => kind === "text");
  if (text) return readRecords(filters, text, { from, to }, asking);
  const { emissions } = await asking.ask("getEmissionsTrend", {
    range: { from, to },
    ...argumentsOf(filters),
    step: "MONTH",
  });
  const byScope = emissions.trend.flatMap((month) => month.byScope);
  return {
    from,
    to,
    total: emissions.totalCo2eTonnes,
    recordCount: emissions.recordCount,
    records: null,
    scopes: sumBy(
      byScope,
      ({ scope }) => nameScope(scope),
      ({ co2eTonnes }) => co2eTonnes,
    ),
    months: emissions.trend.map(({ co2eTonnes: tonnes, from, to, recordCount, isGap }) =>
      withCompleteness({ from, to, tonnes, recordCount, isGap }, asking.now),
    ),
  };
}

/** Reads the parts of emissions, the largest first. */
export async function readParts(
  emissions: Emissions,
  filters: readonly Filter[],
  by: Part,
  { ask, vocabulary }: Asking,
): Promise<readonly PartAmount[]> {
  const { from, to, records, scopes } = emissions;
  if (by === "scope") return scopes;
  if (records) {
    const partOf = ({ facility, category }: Found) =>
      by === "facility" ? (facility?.code ?? null) : category;
    const parts = sumBy(
      records,
      (one) => namePart(by, partOf(one), vocabulary),
      ({ co2eTonnes }) => co2eTonnes,
    );
    return by === "country" ? [] : parts.toSorted((one, other) => other.tonnes - one.tonnes);
  }
  const { emissions: ranked } = await ask("rankEmissionSources", {
    by: by.toUpperCase() as Uppercase<typeof by>,
    range: { from, to },
    ...argumentsOf(filters),
    first: MOST_READ,
  });
  return ranked.largestParts.map(({ part, co2eTonnes: tonnes }) => ({
    name: namePart(by, part, vocabulary),
    tonnes,
  }));
}

const withCompleteness = (month: Omit<StepAmount, "isComplete">, now: Date): StepAmount => ({
  ...month,
  isComplete: nameDays(month) !== null && !month.isGap && month.to < isoDate(now),
});

/** Maximum number of pages of 100 records that are added up. */
const MOST_PAGES = 2;

type Found = Awaited<ReturnType<typeof searchRecords>>["items"][number];

const searchRecords = (
  most: number,
  ask: Ask,
  variables: ReturnType<typeof argumentsOf> & { readonly range: DateRange; readonly search: string },
) =>
  readPages(
    most,
    async (after) =>
      (
        await ask("searchEmissionRecords", {
          ...variables,
          orderBy: "RECORDED_ON",
          order: "DESC",
          first: 100,
          after,
        })
      ).emissionRecords,
  );

/** Adds up the records whose reference, category, source or note contains the words of a text, one or several. */
async function readRecords(
  filters: readonly Filter[],
  text: Filter,
  range: DateRange,
  { ask, now }: Asking,
): Promise<Emissions> {
  const { countries, ...given } = argumentsOf(filters);
  if (countries) refuse(`I can search for "${text.label}" in all countries together, or at one facility.`);
  const words = wordsOf(text.value);
  const [search = ""] = words.toSorted((one, other) => other.length - one.length);
  const mentions = new RegExp(` ${words.join("(?:s|es)? ")}(?:s|es)? `, "u");
  const isFound = ({ reference, category, source, note }: Found) =>
    [reference, category, source, note].some((one) => mentions.test(` ${wordsOf(one ?? "").join(" ")} `));
  const { items, isWhole } = await searchRecords(MOST_PAGES, ask, { ...given, range, search });
  if (!isWhole)
    refuse(
      `Too many records mention "${text.label}" ${ofDays(range)} to add them up. Ask for a shorter period.`,
      `${text.label} emissions last month`,
    );
  const records = items.filter(isFound);
  if (records.length === 0) {
    const always = { from: EARLIEST, to: isoDate(now) };
    const other = (await searchRecords(1, ask, { ...given, range: always, search })).items.find(isFound);
    if (!other) refuse(`${notYet(text.label)} No facility, category or record of yours has this name.`);
    refuse(
      `No record ${ofDays(range)} mentions "${text.label}". The latest that does is of ${writeDay(other.recordedOn)}.`,
    );
  }
  const sum = (some: readonly Found[]) => some.reduce((total, { co2eTonnes }) => total + co2eTonnes, 0);
  return {
    ...range,
    records,
    total: sum(records),
    recordCount: records.length,
    scopes: sumBy(
      records,
      ({ scope }) => nameScope(scope),
      ({ co2eTonnes }) => co2eTonnes,
    ),
    months: listPeriods(range, "month").map(({ from, to }) => {
      const own = records.filter(({ recordedOn }) => from <= recordedOn && recordedOn <= to);
      const month = { from, to, tonnes: sum(own), recordCount: own.length, isGap: own.length === 0 };
      return withCompleteness(month, now);
    }),
  };
}

/** Describes emissions, such as `emissions of scope 2 at Pune works (PUNE)`. */
export function describe(filters: readonly Filter[]): string {
  const of = (kind: Filter["kind"], before: string, write = (label: string) => label) => {
    const labels = filters.filter((one) => one.kind === kind).map(({ label }) => write(label));
    return labels.length > 0 ? [`${before} ${listed(labels)}${labels.length > 1 ? " together" : ""}`] : [];
  };
  return [
    "emissions",
    ...of("scope", "of"),
    ...of("category", "from"),
    ...of("text", "of records that mention", (label) => `"${label}"`),
    ...of("facility", "at"),
    ...of("country", "in", (label) => label.replace(/^(?=United )/, "the ")),
  ].join(" ");
}

/** Creates the reply for days without records, which do not have an amount of zero. */
export const nothingRecorded = (filters: readonly Filter[], days: DateRange): Reply =>
  reply(
    `There are no records of ${describe(filters)} ${ofDays(days)}, so I have no figure.`,
    [],
    ["When was the latest record?", "What is our footprint of the last 12 months?"],
  );

/** The last 12 months, or those with the steps that a question splits them into. */
export function defaultRange(now: Date, step: Step, isByStep: boolean): DateRange {
  const { from, to } = lastTwelveMonths(now);
  const month = `${from.slice(0, 7)}-01`;
  if (step === "year") return { from: `${now.getUTCFullYear() - 4}-01-01`, to };
  if (step === "quarter") return { from: addMonths(month, -((Number(from.slice(5, 7)) - 1) % 3)), to };
  return { from: isByStep ? month : from, to };
}

/** Groups months by quarter or year. */
export function groupMonths(months: readonly StepAmount[], step: Step): readonly StepAmount[] {
  const length = { month: 1, quarter: 3, year: 12 }[step];
  const groupOf = ({ from }: DateRange) =>
    from.slice(0, 4) + Math.floor((Number(from.slice(5, 7)) - 1) / length);
  const groups = [...new Set(months.map(groupOf))];
  const stepsOf = (group: string) => months.filter((month) => groupOf(month) === group);
  return groups.map(stepsOf).map((all) => ({
    from: all[0]?.from ?? "",
    to: all.at(-1)?.to ?? "",
    ...sumOf(all),
    isGap: all.every(({ isGap }) => isGap),
    isComplete: all.length === length && all.every(({ isComplete }) => isComplete),
  }));
}

/** Adds up the amounts of steps. */
export const sumOf = (steps: readonly StepAmount[]) => ({
  tonnes: steps.reduce((sum, { tonnes }) => sum + tonnes, 0),
  recordCount: steps.reduce((sum, { recordCount }) => sum + recordCount, 0),
});

/** Names a step: `October 2026`, `Q3 2026`, or its days if it is cut. */
export const nameStep = (step: DateRange): string =>
  nameDays(step) ??
  (step.from.endsWith("-01") && daysBetween(step.from, step.to) < 31
    ? `${writeMonth(step.from)} (so far)`
    : `${writeDay(step.from)} to ${writeDay(step.to)}`);
