import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyIntegrity } from "../../src/actions/verify-integrity.js";
import { verifyChain } from "../../src/data/audit/verify-chain.js";
import { migrate } from "../../src/data/database/schema/migrations.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import { signUp, type TestPerson } from "../support/people.js";
import { createPostgresServer, createReplica, type PostgresServer } from "../support/postgres-server.js";
import { openPostgres } from "../support/served.js";
import { type Gateway, startGateway } from "../support/server.js";
import { use } from "../support/use.js";

const PATIENCE = { timeout: 60_000, interval: 100 };
const STANDBY = "standby";

describe("a gateway on a primary whose synchronous standby hangs", () => {
  let standby: PostgresServer;
  let gateway: Gateway;

  const primary = use(() => createPostgresServer({ synchronous_standby_names: STANDBY }));
  beforeAll(async () => {
    await primary.start();
    standby = await createReplica(primary, { cluster_name: STANDBY });
    await standby.start();
    const database = openPostgres(primary.url, { statementTimeoutMs: 2_500, onError: () => undefined });
    await migrate(database, MIGRATIONS_FOLDER);
    gateway = await startGateway({
      database: { ...database, url: primary.url, waitForAnnouncements: async () => undefined },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await gateway?.database.close();
    await standby?.remove();
  });

  const add = async ({ call }: TestPerson, reference: string, headers = {}) => {
    const json = { recorded_on: "2026-11-01", scope: "scope_1", co2e_tonnes: 1, reference };
    const answer = await call("/v1/emissions/records", { json, headers });
    return { ...answer, code: answer.body.error?.code };
  };
  const references = async ({ call }: TestPerson) => {
    const { body } = await call<{ data: { items: { reference: string }[] } }>("/v1/emissions/records");
    return body.data.items.map(({ reference }) => reference).toSorted();
  };

  it("does not confirm a change that the standby lacks, and makes it once if it is repeated", async () => {
    const people = [await signUp(gateway), await signUp(gateway)] as const;
    const [byReference, byKey] = people;
    const withKey = { "Idempotency-Key": "k" };
    for (const person of people) expect((await add(person, "before")).status).toBe(201);

    standby.hang();
    const [unknown, running] = await Promise.all([add(byReference, "r"), add(byKey, "k", withKey)]);
    expect(unknown.status).toBe(503);
    expect(unknown.code).toBe("INTERNAL_ERROR");
    expect(unknown.headers.get("retry-after")).toBe("2");
    expect(unknown.body.error?.message).toContain("may or may not have been made");
    expect([running.status, running.code]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"]);
    expect((await add(byReference, "r")).code).toBe("CONFLICT");
    for (const person of people) expect(await references(person)).toEqual(["before"]);

    standby.resume();
    const repeated = async () => (await add(byReference, "r")).status;
    await expect.poll(repeated, PATIENCE).toBe(200);
    const outcome = async () => (await add(byKey, "k", withKey)).code;
    await expect.poll(outcome, { ...PATIENCE, timeout: 30_000 }).toBe("IDEMPOTENCY_ANSWER_LOST");
    expect(await references(byReference)).toEqual(["before", "r"]);
    expect(await references(byKey)).toEqual(["before", "k"]);
    expect(await verifyIntegrity(gateway.database, false)).toMatchObject({
      differences: 0,
      changes: { differences: 0 },
    });
    for (const { organization } of people)
      expect(await verifyChain(gateway.database, organization.id)).toMatchObject({ ok: true });
  });
});
