import { type ConsoleMembersQuery, graphql } from "../../../../generated/console.js";

/** A page of the members of the organization. */
export const READ_MEMBERS = graphql(`
  query ConsoleMembers($after: String) {
    members(first: 50, after: $after) {
      nodes { user { id name email } role createdAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** A member of the organization. */
export type Member = NonNullable<ConsoleMembersQuery["members"]>["nodes"][number];
