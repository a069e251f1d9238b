import { listed, notYet, refuse } from "../../../domain/chat/leftovers.js";
import { EARLIEST } from "../../../domain/chat/periods.js";
import type { Filter, Part, Step } from "../../../domain/chat/question.js";
import {
  addMonths,
  type DateRange,
  daysBetween,
  endOfMonth,
  isoDate,
  lastTwelveMonths,
  listPeriods,
} from "../../../domain/window.js";
import { type Ask, required } from "../ask.js";
import { counted, nameDays, ofDays, type Reply, reply, writeDay, writeMonth } from "../reply.js";

export interface PartAmount {
  readonly name: string;
  readonly tonnes: number;
}

export interface StepAmount extends DateRange {
  readonly tonnes: number;
  /** False if a month of it is missing, lies outside of the range, or is not over. */
  readonly isComplete: boolean;
  readonly isGap: boolean;
}

/** Emissions from one day to another. */
export interface Emissions extends DateRange {
  readonly total: number;
  readonly recordCount: number;
  readonly latest: string | null;
  readonly parts: Readonly<Record<Part, readonly PartAmount[]>>;
  readonly months: readonly StepAmount[];
}

const WITHOUT = {
  facility: "without a facility",
  category: "without a category",
  country: "without a country",
} as const;
/** Returns true for the name of the records without a facility, category or country. They are no part to rank. */
export const isWithout = (name: string): boolean => (Object.values(WITHOUT) as string[]).includes(name);

export const readable = (category: string | null): string =>
  category?.replaceAll("_", " ") ?? WITHOUT.category;
const REGIONS = new Intl.DisplayNames("en", { type: "region" });
const nameCountry = (code: string | null): string =>
  code === null ? WITHOUT.country : (REGIONS.of(code) ?? code);
const nameFacility = (facility: { name: string; code: string } | null): string =>
  facility ? `${facility.name} (${facility.code})` : WITHOUT.facility;
export const nameScope = (scope: string): string => scope.toLowerCase().replace("_", " ");

const valuesOf = (filters: readonly Filter[], kind: Filter["kind"]) => {
  const values = filters.filter((one) => one.kind === kind).map(({ value }) => value);
  return values.length > 0 ? values : undefined;
};
export const scopesOf = (filters: readonly Filter[]) =>
  valuesOf(filters, "scope")?.map((scope) => scope.toUpperCase() as "SCOPE_1");

function variablesOf(filters: readonly Filter[]) {
  const given = {
    scopes: scopesOf(filters),
    facilityCodes: valuesOf(filters, "facility"),
    categories: valuesOf(filters, "category"),
    countries: valuesOf(filters, "country"),
  };
  return Object.fromEntries(Object.entries(given).filter(([, values]) => values)) as typeof given;
}

/** Maximum number of parts that are read. */
export const MOST_READ = 100;

/** Reads the emissions of a range that match the filters. */
export async function readEmissions(
  filters: readonly Filter[],
  range: DateRange,
  ask: Ask,
  now: Date,
): Promise<Emissions> {
  const text = filters.find(({ kind }) => kind === "text");
  const today = isoDate(now);
  const isComplete = (month: DateRange) =>
    month.from.endsWith("-01") && endOfMonth(new Date(month.from), 0) === month.to && month.to < today;
  if (text) return readRecords(filters, text, range, ask, now, isComplete);
  const { from, to } = range;
  const found = required(
    (await ask("getEmissionSummary", { from, to, ...variablesOf(filters), step: "MONTH", most: MOST_READ }))
      .emissions,
  );
  return {
    from,
    to,
    total: found.totalCo2eTonnes,
    recordCount: found.recordCount,
    latest: found.latestRecord,
    parts: {
      scope: found.byScope.map(({ scope, co2eTonnes }) => ({ name: nameScope(scope), tonnes: co2eTonnes })),
      facility: found.byFacility.map(({ facility, co2eTonnes }) => ({
        name: nameFacility(facility),
        tonnes: co2eTonnes,
      })),
      category: found.byCategory.map(({ category, co2eTonnes }) => ({
        name: readable(category),
        tonnes: co2eTonnes,
      })),
      country: found.byCountry.map(({ country, co2eTonnes }) => ({
        name: nameCountry(country),
        tonnes: co2eTonnes,
      })),
    },
    months: found.trend.map((month) => ({
      from: month.from,
      to: month.to,
      tonnes: month.co2eTonnes,
      isGap: month.isGap,
      isComplete: isComplete(month) && !month.isGap,
    })),
  };
}

/** Maximum number of pages of 100 records that are added up. */
const MOST_PAGES = 2;
const plainWords = (text: string) =>
  ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;

/** Adds up the records whose reference, category, source or note contains the words of a text, one or several. */
async function readRecords(
  filters: readonly Filter[],
  text: Filter,
  range: DateRange,
  ask: Ask,
  now: Date,
  isComplete: (month: DateRange) => boolean,
): Promise<Emissions> {
  const { countries, ...variables } = variablesOf(filters);
  if (countries) refuse(`I can search for "${text.label}" in all countries together, or at one facility.`);
  const wanted = plainWords(text.value).trimEnd();
  const [search = ""] = wanted
    .trim()
    .split(" ")
    .toSorted((one, other) => other.length - one.length);
  const pageOf = async (days: DateRange, after: string | null) =>
    required(
      (await ask("listEmissionRecords", { ...days, ...variables, search, first: 100, after }))
        .emissionRecords,
    );
  type Row = Awaited<ReturnType<typeof pageOf>>["nodes"][number];
  const mentions = new RegExp(` ${wanted.trim().split(" ").join("(?:s|es)? ")}(?:s|es)? `, "u");
  const isFound = ({ reference, category, source, note }: Row) =>
    [reference, category, source, note].some((one) => mentions.test(plainWords(one ?? "")));
  const rows: Row[] = [];
  let after: string | null = null;
  for (let count = 0; ; count += 1) {
    if (count === MOST_PAGES)
      refuse(
        `Too many records mention "${text.label}" ${ofDays(range)} to add them up. Ask for a shorter period.`,
        `${text.label} emissions last month`,
      );
    const { nodes, pageInfo }: Awaited<ReturnType<typeof pageOf>> = await pageOf(range, after);
    rows.push(...nodes.filter(isFound));
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor ?? null;
  }
  if (rows.length === 0) {
    const { nodes } = await pageOf({ from: EARLIEST, to: isoDate(now) }, null);
    const other = nodes.find(isFound);
    if (!other) refuse(`${notYet(text.label)} No facility, category or record of yours has this name.`);
    refuse(
      `No record ${ofDays(range)} mentions "${text.label}". The latest that does is of ${writeDay(other.recordedOn)}.`,
    );
  }
  const groupBy = (nameOf: (row: Row) => string) => {
    const sums = new Map<string, number>();
    for (const row of rows) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + row.co2eTonnes);
    return Array.from(sums, ([name, tonnes]) => ({ name, tonnes })).sort(
      (one, other) => other.tonnes - one.tonnes,
    );
  };
  const byMonth = new Map(
    groupBy(({ recordedOn }) => recordedOn.slice(0, 7)).map(({ name, tonnes }) => [name, tonnes]),
  );
  return {
    ...range,
    total: rows.reduce((sum, { co2eTonnes }) => sum + co2eTonnes, 0),
    recordCount: rows.length,
    latest:
      rows
        .map(({ recordedOn }) => recordedOn)
        .sort()
        .at(-1) ?? null,
    parts: {
      scope: groupBy(({ scope }) => nameScope(scope)),
      facility: groupBy(({ facility }) => nameFacility(facility)),
      category: groupBy(({ category }) => readable(category)),
      country: [],
    },
    months: listPeriods(range, "month").map(({ from, to }) => {
      const amount = byMonth.get(from.slice(0, 7));
      return {
        from,
        to,
        tonnes: amount ?? 0,
        isGap: amount === undefined,
        isComplete: amount !== undefined && isComplete({ from, to }),
      };
    }),
  };
}

/** Describes emissions, such as `emissions of scope 2 at Pune works (PUNE)`. */
export function describe(filters: readonly Filter[], noun = "emissions"): string {
  const of = (kind: Filter["kind"], before: string, write = (label: string) => label) => {
    const labels = filters.filter((one) => one.kind === kind).map(({ label }) => write(label));
    return labels.length > 0 ? [`${before} ${listed(labels)}${labels.length > 1 ? " together" : ""}`] : [];
  };
  return [
    noun,
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
  const last = lastTwelveMonths(now);
  const range = isByStep ? { ...last, from: `${last.from.slice(0, 7)}-01` } : last;
  if (step === "year") return { ...range, from: `${now.getUTCFullYear() - 4}-01-01` };
  if (step === "quarter") {
    const start = addMonths(`${range.from.slice(0, 7)}-01`, -((Number(range.from.slice(5, 7)) - 1) % 3));
    return { ...range, from: start };
  }
  return range;
}

/** Groups months by quarter or year. */
export function groupMonths(months: readonly StepAmount[], step: Step): readonly StepAmount[] {
  if (step === "month") return months;
  const groups = new Map<string, StepAmount[]>();
  for (const month of months) {
    const key =
      step === "year"
        ? month.from.slice(0, 4)
        : `${month.from.slice(0, 4)}-${Math.floor((Number(month.from.slice(5, 7)) - 1) / 3)}`;
    groups.set(key, [...(groups.get(key) ?? []), month]);
  }
  const length = step === "year" ? 12 : 3;
  return Array.from(groups.values(), (all) => ({
    from: all[0]?.from ?? "",
    to: all.at(-1)?.to ?? "",
    tonnes: all.reduce((sum, { tonnes }) => sum + tonnes, 0),
    isGap: all.every(({ isGap }) => isGap),
    isComplete: all.length === length && all.every(({ isComplete }) => isComplete),
  }));
}

/** Names a step: `October 2026`, `Q3 2026`, or its days if it is cut. */
export const nameStep = (step: DateRange): string =>
  nameDays(step) ??
  (step.from.endsWith("-01") && daysBetween(step.from, step.to) < 31
    ? `${writeMonth(step.from)} (so far)`
    : `${writeDay(step.from)} to ${writeDay(step.to)}`);

/** Describes a number of steps, such as `12 complete months`. */
export const countSteps = (count: number, step: Step): string => counted(count, `complete ${step}`);
