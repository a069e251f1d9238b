import { type ConsoleMembersQuery, graphql } from "../../../../generated/console.js";

/** A page of the members of the organization, and for those who may manage them the open invitations. */
export const READ_MEMBERS = graphql(`
  query ConsoleMembers($after: String, $mayManage: Boolean!) {
    members(first: 50, after: $after) {
      nodes { user { id name email } role createdAt }
      pageInfo { hasNextPage endCursor }
    }
    invitations(first: 100) @include(if: $mayManage) {
      nodes { id email role createdAt expiresAt }
    }
  }
`);

/** A member of the organization. */
export type Member = NonNullable<ConsoleMembersQuery["members"]>["nodes"][number];

/** An invitation that nobody has accepted yet. */
export type Invitation = NonNullable<ConsoleMembersQuery["invitations"]>["nodes"][number];
