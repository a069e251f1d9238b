import type pg from "pg";
import { describe, expect, it } from "vitest";
import { withClient } from "../support/pg-client.js";
import { useGateway } from "../support/use.js";
import {
  completeStep,
  DECISION,
  draft,
  prepareVerification,
  step,
  submitTo,
} from "../support/verification.js";

// biome-ignore lint/suspicious/noExplicitAny: what an endpoint answers is for its test to say
type Body = any;

const gateway = useGateway();

const PATIENCE = { timeout: 60_000, interval: 20 };
const connected = <T>(work: (client: pg.Client) => Promise<T>) => withClient(gateway.database.url, work);

/** Counts the connections that wait for a period's lock. */
async function countWaiting(): Promise<number> {
  const [row] = await gateway.database.select<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM pg_locks
     WHERE locktype = 'advisory' AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [],
  );
  return row?.waiting ?? 0;
}

async function prepare() {
  const prepared = await prepareVerification(gateway);
  const { path } = await draft(prepared.ada, prepared.vera);
  const { id } = prepared.owner.organization;
  const insert = `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes) VALUES ('${id}', '2025-06-06', 'scope_1', 50)`;
  return { ...prepared, path, insert };
}

describe("a submission", () => {
  it("waits for a record that is being written, and includes it in its snapshot", async () => {
    const { ada, path, insert } = await prepare();
    await connected(async (client) => {
      await client.query("BEGIN");
      await client.query(insert);
      const submitting = step(ada, path, "submit");
      await expect.poll(countWaiting, PATIENCE).toBe(1);
      await client.query("COMMIT");
      const { status, body } = await submitting;
      expect([status, (body.data as Body).snapshot.record_count]).toEqual([200, 4]);
      expect((body.data as Body).snapshot.total_co2e_tonnes).toBe(350.75);
    });
  });

  it("leaves out a record whose transaction is rolled back", async () => {
    const { ada, path, insert } = await prepare();
    await connected(async (client) => {
      await client.query("BEGIN");
      await client.query(insert);
      const submitting = step(ada, path, "submit");
      await expect.poll(countWaiting, PATIENCE).toBe(1);
      await client.query("ROLLBACK");
      expect(((await submitting).body.data as Body).snapshot.record_count).toBe(3);
    });
  });

  it("does not wait for a record of another organization, whatever their ids", async () => {
    const { ada, path, owner } = await prepare();
    await connected(async (client) => {
      // If organizations shared a few locks, some ids would collide: this finds an id of each of 1,024 kinds.
      const kind = (id: string) => `hashtext(${id}::text) & 1023`;
      const { rows } = await client.query<{ id: string }>(
        `INSERT INTO organizations (id, slug, name) SELECT id, 'same-' || id, 'Same'
         FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 50000)) AS ids
         WHERE (${kind("id")}) = (${kind("$1::uuid")}) LIMIT 1 RETURNING id`,
        [owner.organization.id],
      );
      await client.query("BEGIN");
      await client.query(
        `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes) VALUES ($1, '2025-06-06', 'scope_1', 50)`,
        [rows[0]?.id],
      );
      expect((await step(ada, path, "submit")).status).toBe(200);
      await client.query("ROLLBACK");
    });
  });

  it("makes a concurrent record wait, and refuses it", async () => {
    const { ada, path, insert, owner } = await prepare();
    const { request } = await draft(ada, { user: { ...ada.user, email: "other@example.org" } });
    await connected(async (client) => {
      await client.query("BEGIN");
      await client.query(
        `INSERT INTO period_locks SELECT organization_id, id, period_from, period_to, scopes FROM verification_requests WHERE id = $1`,
        [request.id],
      );
      const inserting = connected((other) => other.query(insert)).then(String, String);
      await expect.poll(countWaiting, PATIENCE).toBe(1);
      await client.query("COMMIT");
      expect(await inserting).toContain(`is locked by verification request ${request.number}`);
    });
    expect((await step(ada, path, "submit")).status).toBe(409);
    const count = await gateway.database.prisma.emissionRecord.count({
      where: { organizationId: owner.organization.id },
    });
    expect(count).toBe(4);
  });

  it("waits for a facility that is being renamed, and refuses a rename that comes after it", async () => {
    const { ada, path, owner } = await prepare();
    const { id } = owner.organization;
    const rename = (name: string) =>
      `UPDATE facilities SET name = '${name}' WHERE organization_id = '${id}' AND code = 'RACE'`;
    await connected(async (client) => {
      await client.query(
        "INSERT INTO facilities (organization_id, code, name) VALUES ($1, 'RACE', 'Before')",
        [id],
      );
      await client.query(
        `UPDATE emission_records AS r SET facility_id = f.id FROM facilities AS f
         WHERE f.organization_id = $1 AND f.code = 'RACE' AND r.organization_id = $1`,
        [id],
      );
      await client.query("BEGIN");
      await client.query(rename("During"));
      const submitting = step(ada, path, "submit");
      await expect.poll(countWaiting, PATIENCE).toBe(1);
      await client.query("COMMIT");
      expect((await submitting).status).toBe(200);
      await expect(client.query(rename("After"))).rejects.toThrow("keeps its code, name and country");
    });
  });

  it.each(["REPEATABLE READ", "SERIALIZABLE"])(
    "aborts a %s transaction that began earlier and cannot see it",
    async (isolation) => {
      const { ada, path, insert } = await prepare();
      await connected(async (client) => {
        await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
        await client.query("SELECT count(*) FROM emission_records");
        await completeStep(ada, path, "submit");
        await expect(client.query(insert)).rejects.toThrow("could not serialize access");
      });
    },
  );

  it("succeeds for only one of several concurrent ones with overlapping periods", async () => {
    const { ada, vera, path } = await prepare();
    const other = await draft(ada, vera, { level: "reasonable" });
    const answers = await Promise.all([step(ada, path, "submit"), step(ada, other.path, "submit")]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });
});

describe("concurrently decided certificates", () => {
  it("have consecutive numbers", async () => {
    const prepared = await Promise.all(Array.from({ length: 6 }, prepare));
    for (const { ada, vera, path } of prepared) {
      await submitTo(ada, vera, path);
      await completeStep(vera, path, "start");
    }
    const decision = { opinion: "unmodified", statement: "Fine." };
    const decided = await Promise.all(
      prepared.map(({ vera, path }) => completeStep(vera, path, "decide", decision)),
    );
    const numbers = decided
      .map(({ certificate_number }) => Number(certificate_number.split("-")[2]))
      .toSorted((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });
});

describe("a decision", () => {
  const prepareReview = async () => {
    const prepared = await prepare();
    await submitTo(prepared.ada, prepared.vera, prepared.path);
    await completeStep(prepared.vera, prepared.path, "start");
    return prepared;
  };

  it("does not delay another organization's while it waits for its own audit trail", async () => {
    const [held, other] = [await prepareReview(), await prepareReview()];
    await connected(async (client) => {
      const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
      await client.query("BEGIN");
      await client.query("SELECT FROM audit_heads WHERE chain = $1 FOR UPDATE", [held.owner.organization.id]);
      const deciding = step(held.vera, held.path, "decide", DECISION);
      const blocked = "SELECT 1 FROM pg_locks WHERE NOT granted AND $1::int = ANY(pg_blocking_pids(pid))";
      const isWaiting = async () => (await gateway.database.select(blocked, [rows[0].pid])).length > 0;
      await expect.poll(isWaiting, PATIENCE).toBe(true);
      expect((await step(other.vera, other.path, "decide", DECISION)).status).toBe(200);
      expect(await isWaiting()).toBe(true);
      await client.query("ROLLBACK");
      expect((await deciding).status).toBe(200);
    });
  });
});
