import { type ConsoleEmissionsQuery, graphql } from "../../../generated/console.js";

/** Emissions of a range, one record if the organization has any, and the latest import of sample data. */
export const READ_EMISSIONS = graphql(`
  query ConsoleEmissions($range: DateRangeInput) {
    emissions(range: $range) {
      from
      to
      totalCo2eTonnes
      recordCount
      latestRecord
      byScope { scope co2eTonnes }
      trend { from to byScope { scope co2eTonnes } }
      byFacility(first: 10) { facility { code name } co2eTonnes }
      byCategory(first: 10) { category co2eTonnes }
    }
    emissionRecords(first: 1) { nodes { id } }
    imports(first: 1, isSample: true) { nodes { id undoneAt } }
  }
`);

/** Emissions in a range. */
export type Emissions = NonNullable<ConsoleEmissionsQuery["emissions"]>;
