import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { generateKey, hashKey } from "../../src/access/secrets/api-key.js";
import { changeKey } from "../../src/actions/keys/change-key.js";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import { addRecord } from "../support/fixtures.js";
import { runSql } from "../support/graph-fixtures.js";
import {
  type Client,
  createClient,
  type Gateway,
  makeKey,
  makeOrganization,
  NOW,
  startGateway,
} from "../support/server.js";
import { recordStatements } from "../support/statements.js";

const QUERY = "{ organization { slug name } emissions { recordCount } }";

let gateway: Gateway;
/** A client of the gateway that does not wait for the announcements of the test's writes. */
let cachingClient: Client;

beforeAll(async () => {
  gateway = await startGateway();
  cachingClient = createClient(gateway.url);
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.setNow(NOW));

const run = (text: string, ...parameters: unknown[]) => runSql(gateway.database, text, ...parameters);
const context = () => ({ database: gateway.database, pepper: undefined, now: NOW });

/** Returns the answers of both surfaces to a key: status, budget, and data or error. */
async function askBoth(key: string, { rest, graphql }: Pick<Client, "rest" | "graphql"> = cachingClient) {
  const [byRest, byGraph] = await Promise.all([rest("/emissions", key), graphql(QUERY, key)]);
  const { data, error } = byRest.body;
  return {
    statuses: [byRest.status, byGraph.status],
    limits: [byRest, byGraph].map(({ headers }) => headers.get("x-ratelimit-limit")),
    rest: error ? error.message : (data as { record_count: number }).record_count,
    graphql: byGraph.body.errors?.[0]?.message ?? byGraph.body.data.emissions.recordCount,
    organization: byGraph.body.data?.organization,
  };
}

/** Creates a key that both surfaces have cached, of an organization with one record; returns it with their answers. */
async function cachedKey(overrides: Parameters<typeof makeKey>[2] = {}) {
  const slug = await makeOrganization(gateway.database);
  await addRecord(gateway.database, slug);
  const { id, key } = await makeKey(gateway.database, slug, overrides);
  const lastUse = async () =>
    (await gateway.database.prisma.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt;
  const answered = await askBoth(key, gateway);
  expect(answered).toMatchObject({
    statuses: [200, 200],
    rest: 1,
    graphql: 1,
    organization: { slug, name: "Acme" },
  });
  await expect.poll(lastUse).not.toBeNull();
  await expect.poll(async () => (await recordStatements(() => askBoth(key))).statements).toEqual([]);
  return { slug, id, key, answered };
}

const refused = (message: string) => ({ statuses: [401, 401], rest: message, graphql: message });

describe("a cached key, on both surfaces", () => {
  it.each([
    ["revoke", (id: string) => revokeKeyById(context(), id), "revoked"],
    [
      "a statement that revokes it",
      (id: string) => run("UPDATE api_keys SET revoked_at = now() WHERE id = $1::uuid", id),
      "revoked",
    ],
    [
      "a statement that ends it",
      (id: string) => run(`UPDATE api_keys SET expires_at = '${NOW.toISOString()}' WHERE id = $1::uuid`, id),
      "expired",
    ],
    ["its removal", (id: string) => run("DELETE FROM api_keys WHERE id = $1::uuid", id), "unknown"],
    [
      "the removal of its organization",
      (id: string) =>
        run(
          "DELETE FROM organizations WHERE id = (SELECT organization_id FROM api_keys WHERE id = $1::uuid)",
          id,
        ),
      "unknown",
    ],
    [
      "another hash in its place",
      (id: string) =>
        run("UPDATE api_keys SET hash = $2::text WHERE id = $1::uuid", id, hashKey(generateKey(), undefined)),
      "unknown",
    ],
    ["the removal of all keys", () => run("DELETE FROM api_keys"), "unknown"],
    ["the removal of all organizations", () => run("DELETE FROM organizations"), "unknown"],
  ] as const)("is refused after %s", async (_what, change, reason) => {
    const { id, key } = await cachedKey();
    await change(id);
    await expect.poll(() => askBoth(key)).toMatchObject(refused(`Invalid API key: ${reason}.`));
  });

  it("is refused from the moment it expires, without any change", async () => {
    const { key } = await cachedKey({ expiresAt: new Date(NOW.getTime() + 1_000) });
    gateway.setNow(new Date(NOW.getTime() + 999));
    expect((await askBoth(key)).statuses).toEqual([200, 200]);
    gateway.setNow(new Date(NOW.getTime() + 1_000));
    expect(await askBoth(key)).toMatchObject(refused("Invalid API key: expired."));
  });

  it("is accepted again when its expiry is extended", async () => {
    const { id, key } = await cachedKey({ expiresAt: new Date(NOW.getTime() + 1_000) });
    gateway.setNow(new Date(NOW.getTime() + 2_000));
    expect((await askBoth(key)).statuses).toEqual([401, 401]);
    await run("UPDATE api_keys SET expires_at = NULL WHERE id = $1::uuid", id);
    await expect.poll(async () => (await askBoth(key)).statuses).toEqual([200, 200]);
  });

  it("has the budget of its new tier", async () => {
    const { id, key, answered } = await cachedKey();
    expect(answered.limits).toEqual(["10000", "10000"]);
    await changeKey(context(), id, { tier: "free" });
    await expect.poll(async () => (await askBoth(key)).limits).toEqual(["100", "100"]);
  });

  it("is refused a cached operation that costs too much for its new tier", async () => {
    const { id, key } = await cachedKey();
    const costly = "{ credits { batches(first: 100) { nodes { sales(first: 40) { id } } } } }";
    const ask = async () => (await cachingClient.graphql(costly, key)).status;
    expect([await ask(), await ask()]).toEqual([200, 200]);
    await run("UPDATE api_keys SET tier = 'free' WHERE id = $1::uuid", id);
    await expect.poll(ask).toBe(400);
  });

  it("loses and gains scopes", async () => {
    const { id, key } = await cachedKey();
    await changeKey(context(), id, { scopes: ["read:market"] });
    const without = { statuses: [401, 200], rest: "The API key lacks the scope read:emissions." };
    await expect.poll(() => askBoth(key)).toMatchObject(without);
    expect((await askBoth(key)).graphql).toContain("read:emissions");

    await run("UPDATE api_keys SET scopes = scopes || 'read:emissions'::text WHERE id = $1::uuid", id);
    await expect.poll(() => askBoth(key)).toMatchObject({ statuses: [200, 200], rest: 1, graphql: 1 });
  });

  it("shows the new name and slug of its organization", async () => {
    const { slug, key } = await cachedKey();
    await run("UPDATE organizations SET name = 'Renamed', slug = slug || '-renamed' WHERE slug = $1", slug);
    await expect
      .poll(async () => (await askBoth(key)).organization)
      .toEqual({ slug: `${slug}-renamed`, name: "Renamed" });
  });

  it("shows another organization's data after it was moved there", async () => {
    const [{ id, key }, other] = [await cachedKey(), await cachedKey()];
    await addRecord(gateway.database, other.slug);
    await run(
      "UPDATE api_keys SET organization_id = (SELECT id FROM organizations WHERE slug = $2) WHERE id = $1::uuid",
      id,
      other.slug,
    );
    await expect
      .poll(() => askBoth(key))
      .toMatchObject({ rest: 2, graphql: 2, organization: { slug: other.slug } });
  });

  it("stays cached when another key of its organization is used, changed or revoked", async () => {
    const { slug, key, answered } = await cachedKey();
    const other = await makeKey(gateway.database, slug);
    await revokeKeyById(context(), other.id);
    // A revoked key costs its organization's keys one lookup each.
    expect(await askBoth(key, gateway)).toEqual(answered);
    expect((await recordStatements(() => askBoth(key, gateway))).statements).toEqual([]);
  });
});

describe("an answer cached for one key", () => {
  it("is never given to a key of the same organization without the scope", async () => {
    const { slug } = await cachedKey();
    const { key } = await makeKey(gateway.database, slug, { scopes: ["read:market", "read:credits"] });
    for (let times = 0; times < 2; times += 1) {
      const answered = await askBoth(key, gateway);
      expect(answered).toMatchObject({
        statuses: [401, 200],
        rest: "The API key lacks the scope read:emissions.",
      });
      expect(answered.graphql).toContain("read:emissions");
    }
  });

  it("is given to another key of the same organization and scopes, which pays for it", async () => {
    const { slug, answered } = await cachedKey();
    const { id, key } = await makeKey(gateway.database, slug, { tier: "free" });
    const { answer, statements } = await recordStatements(() => askBoth(key, gateway));
    expect(answer).toEqual({ ...answered, limits: ["100", "100"] });
    expect(statements.filter(({ text }) => text.includes("emission_days"))).toEqual([]);
    const { headers } = await gateway.rest("/emissions", key);
    expect(headers.get("x-ratelimit-remaining")).toBe("97");
    await expect
      .poll(
        async () => (await gateway.database.prisma.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt,
      )
      .toEqual(NOW);
  });

  it("is never given to a key of another organization", async () => {
    const [one, other] = [await cachedKey(), await cachedKey()];
    await addRecord(gateway.database, other.slug);
    expect(await askBoth(other.key, gateway)).toMatchObject({
      rest: 2,
      graphql: 2,
      organization: { slug: other.slug },
    });
    expect(await askBoth(one.key, gateway)).toEqual(one.answered);
  });

  it("is not the refusal of a key that is created a moment later", async () => {
    const slug = await makeOrganization(gateway.database);
    const text = generateKey();
    expect((await askBoth(text)).statuses).toEqual([401, 401]);
    const { id } = await makeKey(gateway.database, slug);
    await run("UPDATE api_keys SET hash = $2::text WHERE id = $1::uuid", id, hashKey(text, undefined));
    expect((await askBoth(text)).statuses).toEqual([200, 200]);
  });
});

describe("the cache entry of a key", () => {
  it("is sized with its names, in any script", async () => {
    const sizeWith = async (organizationName: string, name: string) => {
      const slug = await makeOrganization(gateway.database, organizationName);
      const { key } = await makeKey(gateway.database, slug, { name });
      const bytes = async () => {
        const { body } = await gateway.call<string>("/metrics");
        return Number(/^gateway_memory_size_bytes\{memory="keys"\} (\d+)$/m.exec(body)?.[1]);
      };
      const before = await bytes();
      await gateway.rest("/emissions", key);
      // A key's first use is recorded in the database, and then the key is read again.
      await expect.poll(bytes).toBeGreaterThan(before);
      return (await bytes()) - before;
    };
    const short = await sizeWith("A", "a");
    const long = await sizeWith("é".repeat(200), "鍵".repeat(200));
    expect(long - short).toBeGreaterThanOrEqual(199 + 399);
    expect(long - short).toBeLessThan(650);
  });
});
