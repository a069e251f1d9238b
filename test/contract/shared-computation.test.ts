import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addRecord } from "../support/fixtures.js";
import { openPostgres } from "../support/served.js";
import { type Client, type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";
import { recordStatements, type Statement } from "../support/statements.js";

const CALLERS = 20;
const QUERY = "{ emissions { recordCount } }";
const PATIENCE = { timeout: 60_000, interval: 5 };
const isOnServer = inject("template").kind === "postgres";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** A key of a new organization with one record. */
async function newKey() {
  const slug = await makeOrganization(gateway.database);
  await addRecord(gateway.database, slug);
  return { slug, ...(await makeKey(gateway.database, slug)) };
}

/** Creates a key that is cached, so that only its answers are not. */
async function usedKey() {
  const made = await newKey();
  await gateway.rest("/market", made.key);
  const { apiKey } = gateway.database.prisma;
  const lastUse = async () => (await apiKey.findUniqueOrThrow({ where: { id: made.id } })).lastUsedAt;
  await expect.poll(lastUse).not.toBeNull();
  return made;
}

type Ask = (client: Client, key: string, signal?: AbortSignal) => Promise<number | string>;
const surfaces: readonly (readonly [surface: string, ask: Ask])[] = [
  [
    "REST",
    async (client, key, signal) => {
      const { body } = await client.rest("/emissions", key, signal ? { signal } : {});
      return body.error?.code ?? (body.data as { record_count: number }).record_count;
    },
  ],
  [
    "GraphQL",
    async (client, key, signal) => {
      const { body } = await client.call<{
        data: { emissions: { recordCount: number } };
        errors?: [{ extensions: { code: string } }];
      }>("/graphql", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-API-Key": key },
        body: JSON.stringify({ query: QUERY }),
        ...(signal && { signal }),
      });
      return body.errors?.[0].extensions.code ?? body.data.emissions.recordCount;
    },
  ],
];

const times = <Item>(count: number, make: () => Item) => Array.from({ length: count }, make);
const naming = (statements: readonly Statement[], table: string) =>
  statements.filter(({ text }) => text.includes(table));

/** Blocks all statements on emissions until the returned function is called. */
async function holdEmissions(): Promise<() => Promise<void>> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held: () => void = () => undefined;
  const holds = new Promise<void>((resolve) => {
    held = resolve;
  });
  const holding = gateway.database.transaction(async ({ script }) => {
    await script("LOCK TABLE emission_days IN ACCESS EXCLUSIVE MODE");
    held();
    await released;
  });
  await holds;
  return async () => {
    release();
    await holding;
  };
}

describe.each(surfaces)("many concurrent callers, over %s", (_surface, ask) => {
  it("cause one computation, and one lookup of an uncached key", async () => {
    const { key } = await newKey();
    const { answer, statements } = await recordStatements(() =>
      Promise.all(times(CALLERS, () => ask(gateway, key))),
    );
    expect(answer).toEqual(times(CALLERS, () => 1));
    expect(naming(statements, "emission_days")).toHaveLength(1);
    expect(naming(statements, "k.hash = ANY")).toHaveLength(1);
  });

  it("are all answered, whichever of them disconnects, even the first", async () => {
    const { key } = await usedKey();
    const release = await holdEmissions();
    const leaving = new AbortController();
    const { answer, statements } = await recordStatements(async () => {
      const first = ask(gateway, key, leaving.signal);
      first.catch(() => undefined);
      // By the time this request is answered, the ones before it have most likely arrived. The test passes either way.
      await gateway.call("/health/live");
      const others = times(CALLERS, () => ask(gateway, key));
      const alsoLeaving = times(3, () => ask(gateway, key, leaving.signal));
      for (const one of alsoLeaving) one.catch(() => undefined);
      await gateway.call("/health/live");
      leaving.abort();
      await expect(first).rejects.toThrow();
      await release();
      return Promise.all(others);
    });
    expect(answer).toEqual(times(CALLERS, () => 1));
    expect(naming(statements, "FROM emission_days")).toHaveLength(1);
    expect((await recordStatements(() => ask(gateway, key))).statements).toEqual([]);
  });

  it("get an error that is not cached if the computation fails", async () => {
    const { key } = await usedKey();
    const rename = (from: string, to: string) =>
      gateway.database.transaction(({ script }) => script(`ALTER TABLE ${from} RENAME TO ${to}`));
    await rename("emission_days", "away");
    try {
      const failed = await Promise.all(times(CALLERS, () => ask(gateway, key)));
      expect(failed).toEqual(times(CALLERS, () => "INTERNAL_ERROR"));
    } finally {
      await rename("away", "emission_days");
    }
    expect(await Promise.all(times(CALLERS, () => ask(gateway, key)))).toEqual(times(CALLERS, () => 1));
    expect((await recordStatements(() => ask(gateway, key))).statements).toEqual([]);
  });

  it.runIf(isOnServer)("recover if the computation fails for the first caller", async () => {
    const { key } = await usedKey();
    const { url, waitForAnnouncements } = gateway.database;
    const options = { statementTimeoutMs: 1_500, onError: () => undefined };
    const database = { ...openPostgres(url ?? "", options), url, waitForAnnouncements };
    const impatient = await startGateway({ database });
    try {
      await impatient.rest("/market", key);
      const release = await holdEmissions();
      const { statements } = await recordStatements(async () => {
        const first = ask(impatient, key);
        await expect.poll(waiting, PATIENCE).toBe(1);
        const others = times(CALLERS, () => ask(impatient, key));
        expect(await first).toBe("INTERNAL_ERROR");
        await release();
        expect(await Promise.all(others)).toEqual(times(CALLERS, () => 1));
      });
      expect(naming(statements, "FROM emission_days").length).toBeLessThanOrEqual(1 + CALLERS);
      expect(await ask(impatient, key)).toBe(1);
    } finally {
      await impatient.stop();
      await database.close();
    }
  });
});

/** Counts the statements that wait for a lock. */
async function waiting(): Promise<number> {
  const rows = await gateway.database.transaction(({ query }) =>
    query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"),
  );
  return rows.length;
}
