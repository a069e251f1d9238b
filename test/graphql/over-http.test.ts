import { serverAudits } from "graphql-http";
import { describe, expect, it } from "vitest";
import { makeKey, makeOrganization } from "../support/server.js";
import { use, useGateway } from "../support/use.js";

const gateway = useGateway();
const credential = use(async () => makeKey(gateway.database, await makeOrganization(gateway.database)));

/** The gateway answers a refused document and refused variables with 400 to whoever accepts JSON, as Apollo Server does. */
const WARNED = /^SHOULD use .*200.* failure when accepting application\/json$/;

describe("https://graphql.github.io/graphql-over-http/draft/", () => {
  const audits = serverAudits({
    url: () => `${gateway.url}/graphql`,
    fetchFn: (url: string, init?: RequestInit) => {
      const headers = new Headers(init?.headers);
      headers.set("X-API-Key", credential.key);
      return fetch(url, { ...init, headers });
    },
  });

  it.each(audits)("$name", async ({ name, fn }) => {
    const result = await fn();
    const reason = "reason" in result ? result.reason : undefined;
    expect([result.status, reason]).toEqual(
      WARNED.test(name) ? ["warn", "Response status code is not 200"] : ["ok", undefined],
    );
  });
});
