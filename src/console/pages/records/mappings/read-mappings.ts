import { type ConsoleMappingsQuery, graphql } from "../../../../generated/console.js";

/** A page of the mappings, sorted by text. */
export const READ_MAPPINGS = graphql(`
  query ConsoleMappings($after: String) {
    activityMappings(first: 25, after: $after) {
      nodes {
        id text unit unitAs region fixedYear version updatedAt recordCount
        factor { id activity otherName detail region scope category gas factorExact unit source sourceYear isOwn }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export type Mapping = NonNullable<ConsoleMappingsQuery["activityMappings"]>["nodes"][number];
