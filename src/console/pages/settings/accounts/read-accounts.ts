import { type ConsoleServiceAccountsQuery, graphql } from "../../../../generated/console.js";

/** A page of service accounts, filtered by status, with their valid tokens. */
export const READ_ACCOUNTS = graphql(`
  query ConsoleServiceAccounts($statuses: [ServiceAccountStatus!], $after: String) {
    serviceAccounts(statuses: $statuses, first: 25, after: $after) {
      nodes {
        id
        name
        role
        scopes
        status
        tokens { id display createdAt expiresAt lastUsedAt }
        createdAt
        createdBy { name }
        version
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** A service account in the list. */
export type Account = NonNullable<ConsoleServiceAccountsQuery["serviceAccounts"]>["nodes"][number];
