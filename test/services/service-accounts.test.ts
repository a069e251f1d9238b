import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { signUp } from "../support/people.js";
import { type RunningProcess, startInProduction } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import { learnKeys } from "../support/secrets.js";
import { createClient } from "../support/server.js";
import { addServiceAccount } from "../support/service-accounts.js";
import { useGateway } from "../support/use.js";

const PATIENCE = { timeout: 60_000, interval: 20 };

/** A second gateway on the same database. */
let other: RunningProcess;
const gateway = useGateway();
beforeAll(async () => {
  const settings = { DATABASE_URL: gateway.database.url ?? "", REDIS_URL: redisUrl ?? "" };
  other = await startInProduction({ ...settings, LOG_LEVEL: "warn" });
});
afterAll(() => other.stop("SIGKILL"));

describe("a revoked service account", () => {
  it("is refused by another process that has it cached, and so are its bearer tokens", async () => {
    const ada = await signUp(gateway);
    const { id, token } = await addServiceAccount(gateway, ada);
    const client = createClient(other.url);
    const { body } = await client.call<{ access_token: string }>("/oauth/token", {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: id,
        client_secret: token,
      }),
    });
    learnKeys(body.access_token);
    const statuses = () =>
      Promise.all(
        [token, body.access_token].map(async (bearer) => {
          const headers = { Authorization: `Bearer ${bearer}` };
          return (await client.call("/v1/auth/me", { headers })).status;
        }),
      );
    expect(await statuses()).toEqual([200, 200]);
    await ada.call(`/v1/service-accounts/${id}`, { method: "DELETE" });
    await vi.waitFor(async () => expect(await statuses()).toEqual([401, 401]), PATIENCE);
  });
});
