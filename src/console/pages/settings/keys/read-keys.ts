import { type ConsoleApiKeysQuery, graphql } from "../../../../generated/console.js";

/** A page of keys, filtered by status, with their usage in the last 7 days. */
export const READ_KEYS = graphql(`
  query ConsoleApiKeys($statuses: [ApiKeyStatus!], $after: String) {
    apiKeys(statuses: $statuses, first: 25, after: $after) {
      nodes {
        id
        name
        display
        scopes
        tier
        status
        createdAt
        createdBy { name }
        expiresAt
        lastUsedAt
        version
        budget { used limit }
        usage(days: 7) { requests refused errors }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** An API key in the list. */
export type ApiKey = NonNullable<ConsoleApiKeysQuery["apiKeys"]>["nodes"][number];
