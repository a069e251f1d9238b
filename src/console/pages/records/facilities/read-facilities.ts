import { type ConsoleFacilitiesQuery, graphql } from "../../../../generated/console.js";

/** A page of the organization's facilities. */
export const READ_FACILITIES = graphql(`
  query ConsoleFacilities($search: String, $includeArchived: Boolean!, $after: String) {
    facilities(search: $search, includeArchived: $includeArchived, first: 25, after: $after) {
      nodes { id code name country entity electricityMarket archivedAt version }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** A facility in the list. */
export type Facility = NonNullable<ConsoleFacilitiesQuery["facilities"]>["nodes"][number];
