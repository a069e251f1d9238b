import { type ConsoleMembersQuery, graphql } from "../../../../generated/console.js";

/** A page of members, with pending invitations for users who may manage them. */
export const READ_MEMBERS = graphql(`
  query ConsoleMembers($after: String, $mayManage: Boolean!) {
    members(first: 50, after: $after) {
      nodes { user { id name email } role createdAt hasSecondFactor }
      pageInfo { hasNextPage endCursor }
    }
    invitations(first: 100) @include(if: $mayManage) {
      nodes { id email role createdAt expiresAt }
    }
  }
`);

/** A member of the organization. */
export type Member = NonNullable<ConsoleMembersQuery["members"]>["nodes"][number];

/** A pending invitation. */
export type Invitation = NonNullable<ConsoleMembersQuery["invitations"]>["nodes"][number];
