import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyChain } from "../../src/data/audit/verify-chain.js";
import { openPostgres } from "../../src/data/database/server/postgres.js";
import { write } from "../../src/data/database/transaction.js";
import type { Database } from "../../src/data/database/types.js";
import { addOrganization, addUser, anyHash, readAuditTrail } from "../support/audit.js";
import { withClient } from "../support/pg-client.js";
import { useDatabase } from "../support/use.js";

/** A second pool of connections, like another process. */
let other: Database;
const database = useDatabase();
beforeAll(async () => {
  other = openPostgres(database.url ?? "", { statementTimeoutMs: 5_000, onError: () => undefined });
});
afterAll(() => other.close());

const ADD_KEY = `INSERT INTO api_keys (organization_id, name, hash, display, tier, scopes)
  VALUES ($1, 'n', $2, 'x', 'free', '{read:emissions}')`;

describe("concurrent writers", () => {
  it("create one chain without gaps, in 200 writes over every connection of two pools", async () => {
    const organization = await addOrganization(database);
    const user = await addUser(database);
    const add = (pool: Database, name: string) =>
      write(
        pool,
        { actor: { type: "user", id: user }, organizationId: organization, requestId: name },
        ({ execute }) => execute(ADD_KEY, [organization, anyHash()]),
      );
    const names = Array.from({ length: 199 }, (_, index) => `request ${index}`);
    const writer = async (pool: Database) => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) await add(pool, name);
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => writer(index % 2 === 0 ? database : other)));
    const entries = await readAuditTrail(database, organization);
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    expect(new Set(entries.slice(1).map(({ request_id }) => request_id)).size).toBe(199);
    expect(await verifyChain(database, organization)).toMatchObject({ ok: true, entries: 200 });
  });

  it("of many organizations read pending entries a few times, and not once per entry", async () => {
    const organizations = 300;
    await withClient(database.url ?? "", async (client) => {
      const countRead = async () => {
        await client.query("SELECT pg_stat_force_next_flush()");
        const { rows } = await client.query(
          "SELECT idx_tup_read AS count FROM pg_stat_user_indexes WHERE indexrelname = 'audit_pending_pkey'",
        );
        return Number(rows[0].count);
      };
      const before = await countRead();
      await client.query(`BEGIN;
        INSERT INTO organizations (slug, name) SELECT 'many-' || n, 'Many' FROM generate_series(1, ${organizations}) AS n;
        INSERT INTO facilities (organization_id, code, name, country)
          SELECT id, 'A', 'A', 'NL' FROM organizations WHERE slug LIKE 'many-%';
        COMMIT`);
      expect((await countRead()) - before).toBeLessThan(organizations * 20);
    });
  });

  it("of several organizations do not deadlock if each writes in another order", async () => {
    const [one, two] = [await addOrganization(database), await addOrganization(database)];
    const touch = (pool: Database, ...ids: string[]) =>
      pool.transaction(async ({ execute }) => {
        for (const id of ids) {
          await execute(ADD_KEY, [id, anyHash()]);
        }
      });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0 ? touch(database, one, two) : touch(other, two, one),
      ),
    );
    for (const id of [one, two])
      expect(await verifyChain(database, id)).toMatchObject({ ok: true, entries: 21 });
  });

  it.each(["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])(
    "cannot demote each other if they are the only two owners: %s",
    async (isolation) => {
      const organization = await addOrganization(database);
      const owners = [await addUser(database), await addUser(database)];
      for (const userId of owners) {
        await database.prisma.membership.create({
          data: { organizationId: organization, userId, role: "owner" },
        });
      }
      const demote = async (pool: Database, userId: string, ready: () => Promise<void>) =>
        pool.transaction(async ({ script, execute }) => {
          await script(`SET TRANSACTION ISOLATION LEVEL ${isolation}; SELECT 1 FROM memberships`);
          await ready();
          await execute(
            "UPDATE memberships SET role = 'viewer' WHERE organization_id = $1 AND user_id = $2",
            [organization, userId],
          );
        });
      let arrived = 0;
      let open: () => void;
      const both = new Promise<void>((resolve) => {
        open = resolve;
      });
      const ready = () => {
        arrived += 1;
        if (arrived === 2) open();
        return both;
      };
      const results = await Promise.allSettled([
        demote(database, owners[0] as string, ready),
        demote(other, owners[1] as string, ready),
      ]);
      expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      const members = await database.prisma.membership.findMany({ where: { organizationId: organization } });
      expect(members.map(({ role }) => role).toSorted()).toEqual(["owner", "viewer"]);
    },
  );
});

describe("a database role that may write the audited tables", () => {
  const role = `gateway_test_writer_${randomBytes(6).toString("hex")}`;
  const as = (...statements: string[]) => {
    const url = new URL(database.url ?? "");
    [url.username, url.password] = [role, ""];
    return withClient(url.href, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  };
  beforeAll(() =>
    withClient(database.url, (client) =>
      client.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA public TO ${role};
        GRANT SELECT, INSERT, UPDATE, DELETE, TRIGGER ON organizations, api_keys TO ${role};
        GRANT SELECT ON audit_entries TO ${role}`),
    ),
  );
  afterAll(() =>
    withClient(database.url, (client) => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)),
  );

  it("leaves entries with its name without having the right to write them", async () => {
    const organization = await addOrganization(database);
    await as(`UPDATE organizations SET name = 'By a role' WHERE id = '${organization}'`);
    const [, entry] = await readAuditTrail(database, organization);
    expect(entry).toMatchObject({ action: "organization.updated", database_user: role });
  });

  it.each([
    "INSERT INTO audit_entries SELECT * FROM audit_entries",
    "DELETE FROM audit_entries",
    "UPDATE audit_heads SET seq = 1",
    "INSERT INTO audit_pending (entry) VALUES ('{}')",
    "SELECT audit_append(NULL, ARRAY['{}'::jsonb])",
    "SELECT audit_attach('api_keys', '{}')",
    "ALTER TABLE audit_entries DISABLE TRIGGER ALL",
    "ALTER TABLE api_keys DISABLE TRIGGER ALL",
    "CREATE TRIGGER mine AFTER INSERT ON api_keys REFERENCING NEW TABLE AS added EXECUTE FUNCTION audit_record('{}')",
    // A temporary table, whose trigger would audit something that never happened.
    `CREATE TEMPORARY TABLE mine (id uuid); CREATE TRIGGER mine AFTER INSERT ON mine REFERENCING NEW TABLE AS added
       FOR EACH STATEMENT EXECUTE FUNCTION audit_record('{"noun": "organization", "organization": "id", "key": ["id"]}')`,
  ])("cannot write the trail: %s", async (statement) => {
    await expect(as(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  it("cannot hide a change behind a temporary table or by session_replication_role", async () => {
    const organization = await addOrganization(database);
    await as(
      "CREATE TEMPORARY TABLE audit_pending (transaction bigint, id bigint, organization_id uuid, entry jsonb)",
      "CREATE TEMPORARY TABLE audit_entries (LIKE public.audit_entries INCLUDING ALL)",
      `UPDATE organizations SET name = 'Hidden' WHERE id = '${organization}'`,
    );
    await expect(as("SET session_replication_role = replica")).rejects.toThrow("permission denied");
    expect(await readAuditTrail(database, organization)).toHaveLength(2);
  });
});
