import { expect } from "vitest";
import { type Gateway, makeKey, makeOrganization } from "../support/server.js";

/** Creates an organization with a key, and functions that query with the key. */
export async function newTenant(
  gateway: Gateway,
  overrides: Parameters<typeof makeKey>[2] = {},
  organizationName = "Acme",
) {
  const slug = await makeOrganization(gateway.database, organizationName);
  const { id, key } = await makeKey(gateway.database, slug, overrides);
  const ask = (query: string, variables?: object) => gateway.graphql(query, key, variables);
  const dataOf = async (query: string, variables?: object) => {
    const { status, body } = await ask(query, variables);
    expect([status, body.errors]).toEqual([200, undefined]);
    return body.data;
  };
  return { slug, keyId: id, key, ask, dataOf };
}
