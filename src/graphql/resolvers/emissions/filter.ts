import type { Access } from "../../../access/context.js";
import type { RecordFilter, RecordSearch } from "../../../data/emissions/records.js";
import { type DateRange, EARLIEST_DAY, LATEST_DAY } from "../../../domain/window.js";
import type { EmissionRecordFilter } from "../../../generated/resolvers.js";
import { readList, refuseArgument, requireNoNul, requireRange } from "../../paging/arguments.js";

/** More years than the supported range has, so no range is refused for its length. */
const ANY_YEARS = 2_000;

interface RecordSearchArguments {
  readonly range?: DateRange | null | undefined;
  readonly filter?: EmissionRecordFilter | null | undefined;
  readonly search?: string | null | undefined;
}

/**
 * Reads a filter of records; `argument` is its path. Throws like `readList`, and BAD_USER_INPUT for a facility that
 * does not belong to the organization, with the same message whether or not another organization has it.
 */
export async function readRecordFilter(
  argument: string,
  filter: EmissionRecordFilter | null | undefined,
  { loaders }: Access,
): Promise<RecordFilter> {
  const ids = readIds(`${argument}.facilityIds`, filter?.facilityIds);
  const codes = readList(`${argument}.facilityCodes`, filter?.facilityCodes);
  const [byId, byCode] = await Promise.all([
    requireEach(`${argument}.facilityIds`, "id", ids, loaders.facility),
    requireEach(`${argument}.facilityCodes`, "code", codes, loaders.facilityByCode),
  ]);
  return {
    scopes: readList(`${argument}.scopes`, filter?.scopes),
    facilityIds: intersect(byId, byCode),
    countries: readList(`${argument}.countries`, filter?.countries),
    categories: readList(`${argument}.categories`, filter?.categories),
    references: readList(`${argument}.references`, filter?.references),
    recordIds: readIds(`${argument}.recordIds`, filter?.recordIds),
  };
}

/** Reads a list of UUIDs. Clients may write them in either case; the database stores lower case. */
const readIds = (argument: string, ids: readonly string[] | null | undefined) =>
  readList(
    argument,
    ids?.map((id) => id.toLowerCase()),
  );

/**
 * Reads the arguments of a search for records. Throws like `readRecordFilter`, and BAD_USER_INPUT for an invalid range
 * or a search text with a NUL.
 */
export async function readRecordSearch(
  { range, filter, search = null }: RecordSearchArguments,
  access: Access,
): Promise<RecordSearch> {
  requireNoNul("search", search);
  return {
    range: range && !isEveryDay(range) ? requireRange("range", range, ANY_YEARS) : null,
    filter: await readRecordFilter("filter", filter, access),
    search,
  };
}

/** Returns true if a range covers all days. As an SQL condition it would only mislead the planner. */
const isEveryDay = ({ from, to }: DateRange) => from === EARLIEST_DAY && to === LATEST_DAY;

/**
 * Finds the facility for each value, and returns the sorted ids. Throws BAD_USER_INPUT for a value without a facility.
 */
async function requireEach(
  argument: string,
  kind: "id" | "code",
  values: readonly string[] | null,
  find: (value: string) => Promise<{ readonly id: string } | null>,
): Promise<readonly string[] | null> {
  if (values === null) return null;
  const found = await Promise.all(values.map(find));
  return found
    .map((facility, index) => {
      if (facility !== null) return facility.id;
      const got = JSON.stringify(values[index]?.slice(0, 60));
      throw refuseArgument(argument, `expected the ${kind} of a facility, got ${got}`);
    })
    .sort();
}

/** Returns a filter for the records that both filters match. */
export function intersectFilters(one: RecordFilter, other: RecordFilter): RecordFilter {
  return {
    scopes: intersect(one.scopes, other.scopes),
    facilityIds: intersect(one.facilityIds, other.facilityIds),
    countries: intersect(one.countries, other.countries),
    categories: intersect(one.categories, other.categories),
    references: intersect(one.references, other.references),
    recordIds: intersect(one.recordIds, other.recordIds),
  };
}

/** Returns the values in both lists. Null and undefined mean all values. */
function intersect<Value>(
  one: readonly Value[] | null | undefined,
  other: readonly Value[] | null | undefined,
): readonly Value[] | null {
  if (!one || !other) return one ?? other ?? null;
  return one.filter((value) => other.includes(value));
}
