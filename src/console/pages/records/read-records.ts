import { type ConsoleRecordsQuery, graphql } from "../../../generated/console.js";

/** A page of the records of a range, and what they can be filtered by. */
export const READ_RECORDS = graphql(`
  query ConsoleRecords($range: DateRangeInput, $filter: EmissionRecordFilter, $after: String) {
    emissions(range: $range) {
      from
      to
      byFacility(first: 100) { facility { code name } }
      byCategory(first: 100) { category }
      records(filter: $filter, first: 25, after: $after) {
        nodes {
          id
          reference
          recordedOn
          scope
          co2eTonnes
          co2eTonnesExact
          facility { code name country }
          category
          source
        }
        pageInfo { hasNextPage endCursor }
        totalCount
      }
    }
  }
`);

/** The emissions of a range as the page of records shows them. */
export type Emissions = NonNullable<ConsoleRecordsQuery["emissions"]>;

/** One emission record of the list. */
export type EmissionRecord = Emissions["records"]["nodes"][number];
