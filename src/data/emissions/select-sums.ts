import { type DateRange, splitByMonths } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { isOneOf, whereAll } from "../tenant/keyset.js";
import { own } from "../tenant/sources.js";
import { type RecordFilter, recordConditions, selectsSingleRecords } from "./records.js";

export type Breakdown = "facility" | "category" | "country";

/** Level of detail of sums: a breakdown, or each facility's categories. */
export type SumDetail = Breakdown | "facility_and_category";

/** The records to sum. */
export interface RecordsToSum {
  readonly range: DateRange;
  readonly filter: RecordFilter;
}

/**
 * HAVING clause that drops sums without records. A sum may consist of several rows, which add up to zero once its
 * records are deleted.
 */
export const HAS_RECORDS = Prisma.sql`HAVING sum(record_count) > 0`;

/** Dimensions that a query needs. */
interface Detail {
  readonly facility: boolean;
  readonly category: boolean;
}

function detailOf({ facilityIds, countries, categories }: RecordFilter, by?: SumDetail): Detail {
  const isByBoth = by === "facility_and_category";
  return {
    facility: isByBoth || by === "facility" || by === "country" || facilityIds != null || countries != null,
    category: isByBoth || by === "category" || categories != null,
  };
}

/** Returns the columns of emission_days that hold the facility and the category at a level of detail. */
function columnsOf({ facility, category }: Detail) {
  const none = Prisma.sql`''`;
  const part = Prisma.sql`part`;
  return {
    facility: facility ? part : none,
    category: category ? (facility ? Prisma.sql`subpart` : part) : none,
  };
}

/** Returns a SELECT of the stored sums whose day, or first day of the month, meets the condition `when`. */
function selectStoredSums(grain: string, when: Prisma.Sql, filter: RecordFilter, detail: Detail): Prisma.Sql {
  const { facility, category } = columnsOf(detail);
  const conditions = [
    Prisma.sql`grain = ${Prisma.raw(`'${grain}'`)} AND recorded_on ${when}`,
    ...isOneOf("scope", "emission_scope", filter.scopes),
    ...isOneOf(facility, "text", filter.facilityIds),
    // An empty string means records without a category, which no filter can request.
    ...isOneOf(
      category,
      "text",
      filter.categories?.filter((name) => name !== ""),
    ),
    ...(filter.countries
      ? [
          Prisma.sql`${facility} IN (SELECT id::text FROM ${own.facilities} ${whereAll(isOneOf("country", "text", filter.countries))})`,
        ]
      : []),
  ];
  return Prisma.sql`SELECT recorded_on, ${facility} AS facility, ${category} AS category, scope, co2e_tonnes, record_count
    FROM ${own.emission_days} ${whereAll(conditions)}`;
}

/**
 * Returns a SELECT of daily sums whose day meets the condition `when`. Sums by both facility and category are stored by
 * month only, so their days come from the records, as do filters on individual records.
 */
export function selectDays(when: Prisma.Sql, filter: RecordFilter, detail = detailOf(filter)): Prisma.Sql {
  if (selectsSingleRecords(filter) || (detail.facility && detail.category)) {
    return Prisma.sql`SELECT recorded_on, coalesce(facility_id::text, '') AS facility, coalesce(category, '') AS category,
        scope, co2e_tonnes, 1 AS record_count
      FROM ${own.emission_records} ${whereAll([Prisma.sql`recorded_on ${when}`, ...recordConditions(filter)])}`;
  }
  const grain = detail.facility ? "facility" : detail.category ? "category" : "day";
  return selectStoredSums(grain, when, filter, detail);
}

const stepsOf = (range: DateRange | null, step: "1 day" | "1 month") =>
  Prisma.sql`SELECT generate_series(${range?.from ?? null}::date::timestamp, ${range?.to ?? null}::date::timestamp,
    ${Prisma.raw(`'${step}'`)}::interval)::date`;

/** Returns conditions for the first days of a range's whole months, and for the days of its partial months. */
function splitRange(range: DateRange) {
  const { before, months, after } = splitByMonths(range);
  return {
    ofMonths: Prisma.sql`= ANY(ARRAY(${stepsOf(months, "1 month")}))`,
    ofDays: Prisma.sql`= ANY(ARRAY(${stepsOf(before, "1 day")} UNION ALL ${stepsOf(after, "1 day")}))`,
  };
}

/**
 * Returns a SELECT of a range's sums: recorded_on (a day, or the first day of a whole month), facility, category,
 * scope, co2e_tonnes and record_count. It lists every day and month, so that each is one index lookup, unless the
 * filter selects single records.
 */
export function selectSums({ range, filter }: RecordsToSum, by?: SumDetail): Prisma.Sql {
  const detail = detailOf(filter, by);
  if (selectsSingleRecords(filter)) {
    return selectDays(Prisma.sql`BETWEEN ${range.from}::date AND ${range.to}::date`, filter, detail);
  }
  const { ofMonths, ofDays } = splitRange(range);
  const month = ["month", ...(detail.facility && detail.category ? ["cell"] : [])];
  if (detail.facility !== detail.category) month.push(detail.facility ? "facility" : "category");
  return Prisma.sql`${selectStoredSums(month.join("_"), ofMonths, filter, detail)}
    UNION ALL ${selectDays(ofDays, filter, detail)}`;
}

/** Returns a FROM item for sums. */
export const fromSums = (summed: RecordsToSum): Prisma.Sql => Prisma.sql`(${selectSums(summed)}) AS sums`;

/** SQL for the part of a sum. A facility id may be empty, but has no colon. */
const PARTS: Readonly<Record<SumDetail, Prisma.Sql>> = {
  facility: Prisma.sql`facility`,
  category: Prisma.sql`category`,
  country: Prisma.sql`coalesce(country::text, '')`,
  facility_and_category: Prisma.sql`facility || ':' || category`,
};

/** Returns a FROM item for sums by part, limited to `parts` if given. */
export function fromParts(summed: RecordsToSum, by: SumDetail, parts?: readonly string[]): Prisma.Sql {
  const part = PARTS[by];
  const countries =
    by === "country" ? Prisma.sql`LEFT JOIN ${own.facilities} AS f ON f.id::text = facility` : Prisma.empty;
  return Prisma.sql`(
    SELECT ${part} AS part, recorded_on, scope, co2e_tonnes, record_count
    FROM (${selectSums(summed, by)}) AS sums ${countries} ${whereAll(isOneOf(part, "text", parts))}
  ) AS parts`;
}

/** Returns a FROM item for a range's market-based sums of scope 2. */
export function fromMarketBasedSums(range: DateRange): Prisma.Sql {
  const { ofMonths, ofDays } = splitRange(range);
  const filter: RecordFilter = { scopes: ["scope_2"] };
  const detail: Detail = { facility: false, category: false };
  return Prisma.sql`(
    ${selectStoredSums("market_month", ofMonths, filter, detail)} UNION ALL ${selectStoredSums("market_day", ofDays, filter, detail)}
  ) AS sums`;
}
