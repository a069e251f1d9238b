import { type ConsoleRecordQuery, type ConsoleRecordsQuery, graphql } from "../../../generated/console.js";

/** A page of the records of a range with their total, and the options of their filters. */
export const READ_RECORDS = graphql(`
  query ConsoleRecords($range: DateRangeInput, $filter: EmissionRecordFilter, $after: String) {
    emissions(range: $range) {
      byFacility(first: 100) { facility { code name } }
      byCategory(first: 100) { category }
    }
    listed: emissions(range: $range, filter: $filter) {
      from
      to
      totalCo2eTonnes
      recordCount
      records(first: 25, after: $after) {
        nodes { id reference recordedOn scope co2eTonnes facility { name } category version }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

/** The emissions of a range, limited to the records that match a filter. */
export type ListedEmissions = NonNullable<ConsoleRecordsQuery["listed"]>;

/** One emission record of the list. */
export type ListedRecord = ListedEmissions["records"]["nodes"][number];

/** All data of one record. */
export const READ_RECORD = graphql(`
  query ConsoleRecord($id: UUID!) {
    emissionRecord(id: $id) {
      id
      reference
      recordedOn
      scope
      co2eTonnesExact
      marketBasedTonnesExact
      facility { code name country }
      category
      source
      note
      activity { amountExact unit factorId gas gwp fossil }
      calculation {
        co2eKgExact
        co2eTonnesExact
        formula
        reason
        notices
        factor {
          id activity otherName detail region scope category gas factorExact unit source sourceUrl sourceYear isOwn
        }
      }
      version
      createdAt
      updatedAt
    }
  }
`);

/** One emission record. */
export type EmissionRecord = NonNullable<ConsoleRecordQuery["emissionRecord"]>;

interface RecordText {
  readonly label: string;
  readonly hint?: string;
  /** The field of a CSV file. */
  readonly file?: string;
}

/** Text fields of a record besides its category, with their labels. Forms, details and imports show each of them. */
export const RECORD_TEXTS = {
  source: {
    label: "Source",
    hint: "Such as an invoice or a meter",
    file: "source",
  },
  note: { label: "Note" },
} as const satisfies Readonly<Record<string, RecordText>>;

/** The name of a record's text field. */
export type RecordTextName = keyof typeof RECORD_TEXTS;

/** The text fields with their names. */
export const TEXTS = Object.entries(RECORD_TEXTS) as [RecordTextName, RecordText][];

/** The names of the text fields. */
export const TEXT_NAMES = TEXTS.map(([name]) => name);
