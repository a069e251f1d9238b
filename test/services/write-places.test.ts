import { describe, expect, it, onTestFinished } from "vitest";
import { write } from "../../src/data/database/transaction.js";
import { addOrganization } from "../support/audit.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { withClient } from "../support/pg-client.js";
import { openPostgres } from "../support/served.js";
import { useGateway } from "../support/use.js";

const gateway = useGateway();

const PATIENCE = { timeout: 60_000, interval: 20 };
const used = () => gateway.database.connections()?.used;
const inTurn = { status: 409, code: "CONFLICT" };

/** Runs `work` while all writes of an organization wait for its audit trail's head; `free` ends that. */
function withHeldTrail<T>(
  { organization }: TestPerson,
  work: (free: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  return withClient(gateway.database.url, async (client) => {
    await client.query("BEGIN");
    await client.query("SELECT FROM audit_heads WHERE chain = $1 FOR UPDATE", [organization.id]);
    return work(() => client.query("ROLLBACK"));
  });
}

let months = 0;
/** Writes a new record. */
const record = async (person: TestPerson) => {
  months += 1;
  const month = `${2000 + Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, "0")}`;
  const json = { name: "revenue", unit: "EUR", month, value: 1 };
  const { status, headers, body } = await person.call("/v1/emissions/metrics", { json });
  return { status, code: body.error?.code, retryAfter: headers.get("retry-after") };
};
const recordMany = (person: TestPerson, count: number) =>
  Promise.all(Array.from({ length: count }, () => record(person)));

describe("an organization with many concurrent writes", () => {
  it("uses three connections while others write and sign in, and completes all its writes", async () => {
    const [busy, other] = [
      await signUp(gateway),
      await signUp(gateway, { password: "a long enough passphrase" }),
    ];
    await Promise.all([record(busy), record(other)]);
    const answers = await withHeldTrail(busy, async (free) => {
      const writing = recordMany(busy, 24);
      await expect.poll(used, PATIENCE).toBe(3);
      expect((await record(other)).status).toBe(201);
      const json = { email: other.user.email, password: "a long enough passphrase" };
      expect(
        (
          await gateway.call("/v1/auth/login", {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify(json),
          })
        ).status,
      ).toBe(200);
      expect(used()).toBe(3);
      await free();
      return writing;
    });
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  });

  it("makes another organization wait for at most a few of them", async () => {
    const { database } = gateway;
    const [busy, other] = [await addOrganization(database), await addOrganization(database)];
    const done: string[] = [];
    const writeAs = (organizationId: string) =>
      write(database, { actor: null, organizationId, requestId: "" }, async (sql) => {
        await sql.query("SELECT pg_sleep(0.02)");
        done.push(organizationId);
      });
    await Promise.all([...Array.from({ length: 24 }, () => writeAs(busy)), writeAs(other)]);
    expect(done).toHaveLength(25);
    expect(done.indexOf(other)).toBeLessThan(6);
  });

  it("is refused with a time to retry if a lock is not free in time, or if too many wait", async () => {
    const busy = await signUp(gateway);
    await record(busy);
    const answers = await withHeldTrail(busy, () => recordMany(busy, 60));
    const kinds = new Set(answers.map((answer) => JSON.stringify(answer)));
    expect(kinds).toEqual(
      new Set([
        JSON.stringify({ ...inTurn, retryAfter: "1" }),
        JSON.stringify({ status: 429, code: "RATE_LIMIT_EXCEEDED", retryAfter: "1" }),
      ]),
    );
    expect((await record(busy)).status).toBe(201);
  });
});

describe("a write waiting for another one", () => {
  const whileHeld = (person: TestPerson, change: string) =>
    withClient(gateway.database.url, async (client) => {
      const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
      await client.query("BEGIN");
      await client.query("SELECT FROM organizations WHERE id = $1 FOR UPDATE", [person.organization.id]);
      const recorded = record(person);
      const isWaiting = async () =>
        (
          await gateway.database.select("SELECT 1 FROM pg_locks WHERE $1::int = ANY(pg_blocking_pids(pid))", [
            rows[0].pid,
          ])
        ).length > 0;
      await expect.poll(isWaiting, PATIENCE).toBe(true);
      await client.query(`SELECT pg_sleep(1.1); ${change}; COMMIT`);
      return recorded;
    });

  it.each([
    ["is removed", 401, "UNAUTHENTICATED", "DELETE FROM memberships WHERE user_id = "],
    ["becomes a viewer", 403, "FORBIDDEN", "UPDATE memberships SET role = 'viewer' WHERE user_id = "],
  ])("is refused if its user %s in the meantime", async (_what, status, code, change) => {
    const { organization } = await signUp(gateway);
    const person = await addMember(gateway, organization.slug, "editor");
    expect(await whileHeld(person, `${change}'${person.user.id}'`)).toMatchObject({ status, code });
  });

  it("is done if its user keeps the rights", async () => {
    expect((await whileHeld(await signUp(gateway), "SELECT 1")).status).toBe(201);
  });
});

describe("a write that may be slow", () => {
  it("waits for its COMMIT, however long deferred triggers take", async () => {
    const { url } = gateway.database;
    const database = openPostgres(url ?? "", { statementTimeoutMs: 200, onError: () => undefined });
    onTestFinished(() => database.close());
    await withClient(url, (client) =>
      client.query(`CREATE TABLE slow (id int);
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()`),
    );
    const insert = write(database, "import", (sql) => sql.execute("INSERT INTO slow VALUES (1)"), undefined, {
      mayTakeLong: true,
    });
    expect(await insert).toBe(1);
  });
});
