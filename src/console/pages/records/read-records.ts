import { countOf } from "../../../domain/texts/count-of.js";
import {
  type ConsoleRecordQuery,
  type ConsoleRecordsQueryVariables,
  graphql,
} from "../../../generated/console.js";
import { writeDay } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { writeDecimal, writeSum } from "../../parts/numbers.js";
import { nameOfFactor } from "./factors/factor.js";

graphql(`
  fragment ConsoleRecordParts on EmissionRecord {
    id reference recordedOn scope co2eTonnes co2eTonnesExact marketBasedTonnesExact
    energyKwhExact biogenicCo2TonnesExact facility { code name country }
    category source note version createdAt updatedAt
    activity { amountExact unit factorId gas gwp fossil }
    calculation {
      co2eKgExact co2eTonnesExact formula reason notices
      factor { id activity otherName detail region scope category gas factorExact unit source sourceUrl sourceYear isOwn }
    }
  }
`);

/** A page of records, their total unless searched, and filter options. A search without a range covers all dates. */
export const READ_RECORDS = graphql(`
  query ConsoleRecords(
    $range: DateRangeInput, $filter: EmissionRecordFilter, $search: String, $isSearch: Boolean!
    $orderBy: EmissionRecordOrder!, $order: OrderDirection!, $first: Int!, $after: String
  ) {
    emissions(range: $range) {
      from
      to
      byFacility(first: 100) { facility { code name } }
      byCategory(first: 100) { category }
    }
    listed: emissions(range: $range, filter: $filter) @skip(if: $isSearch) {
      totalCo2eTonnes
      recordCount
      records(orderBy: $orderBy, order: $order, first: $first, after: $after) {
        nodes { ...ConsoleRecordParts }
        pageInfo { hasNextPage endCursor }
      }
    }
    found: emissionRecords(
      range: $range, filter: $filter, search: $search, orderBy: $orderBy, order: $order, first: $first, after: $after
    ) @include(if: $isSearch) {
      nodes { ...ConsoleRecordParts }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** Variables of the list, without paging. */
export type RecordsQuery = Omit<ConsoleRecordsQueryVariables, "first" | "after">;

/** Number of records that a search finds. Counting reads them all, so the list does not wait for it. */
export const COUNT_FOUND = graphql(`
  query ConsoleFoundRecords($range: DateRangeInput, $filter: EmissionRecordFilter, $search: String) {
    emissionRecords(range: $range, filter: $filter, search: $search) { totalCount }
  }
`);

export const READ_RECORD = graphql(`
  query ConsoleRecord($id: UUID!) {
    emissionRecord(id: $id) { ...ConsoleRecordParts }
  }
`);

/** One emission record. */
export type EmissionRecord = NonNullable<ConsoleRecordQuery["emissionRecord"]>;

interface NamedRecord extends Pick<EmissionRecord, "co2eTonnes" | "recordedOn"> {
  readonly facility: { readonly name: string } | null;
}

/** Names a record: "67.5 tCO₂e of Pune, 31 Aug 2026". */
export const nameOfRecord = ({ co2eTonnes, facility, recordedOn }: NamedRecord): string =>
  `${writeSum(co2eTonnes)} tCO₂e of ${[facility?.name, writeDay(recordedOn)].filter(Boolean).join(", ")}`;

/** Returns the number and total of records: "2 records, 59.6 tCO₂e". */
export const describeRecords = (records: readonly EmissionRecord[]): string =>
  `${countOf(records.length, "record")}, ${writeSum(records.reduce((sum, { co2eTonnes }) => sum + co2eTonnes, 0))} tCO₂e`;

/** Returns the link that opens a record. */
export const linkToRecord = (id: string) => `/console/records?${new URLSearchParams({ record: id })}`;

/**
 * Describes the activity of a record: "1,200 kWh" of "Electricity". Returns null if the emissions were entered
 * directly.
 */
export function describeActivity({ activity, calculation }: EmissionRecord) {
  if (activity === null) return null;
  const of = calculation?.factor ? nameOfFactor(calculation.factor) : (activity.gas ?? "");
  return { amount: `${writeDecimal(activity.amountExact)} ${activity.unit}`, of };
}

interface RecordText {
  readonly label: string;
  readonly hint?: string;
  /** Name of the import field; omitted if a file cannot provide the text. */
  readonly file?: string;
}

/** Text fields of a record besides its category and reference. Forms and details show each of them. */
export const RECORD_TEXTS = {
  source: {
    label: "Source",
    hint: "For example, an invoice or a meter",
    file: "source",
  },
  note: { label: "Note" },
} as const satisfies Readonly<Record<string, RecordText>>;

export type RecordTextName = keyof typeof RECORD_TEXTS;

export const TEXTS = Object.entries(RECORD_TEXTS) as [RecordTextName, RecordText][];

export const TEXT_NAMES = TEXTS.map(([name]) => name);

/** Returns the values of a record that users can edit, by label. */
export const describeRecord = (record: EmissionRecord) => {
  const {
    recordedOn,
    co2eTonnesExact,
    marketBasedTonnesExact: marketBased,
    energyKwhExact: energy,
    biogenicCo2TonnesExact: biogenic,
    scope,
    facility,
    category,
  } = record;
  const { amount, of } = describeActivity(record) ?? {};
  return {
    Date: writeDay(recordedOn),
    Emissions: `${writeDecimal(co2eTonnesExact)} tCO₂e`,
    ...(marketBased !== null && { "Market-based": `${writeDecimal(marketBased)} tCO₂e` }),
    ...(energy !== null && { Energy: `${writeDecimal(energy)} kWh` }),
    ...(biogenic !== null && { "Biogenic CO₂": `${writeDecimal(biogenic)} t` }),
    Scope: nameOf(scope),
    Facility:
      facility && `${facility.name} (${[facility.code, facility.country].filter(Boolean).join(", ")})`,
    Category: category && nameOf(category),
    ...(amount && { Activity: [amount, of].filter(Boolean).join(", ") }),
    ...Object.fromEntries(TEXTS.map(([name, { label }]) => [label, record[name]])),
  };
};
