import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { POLICED_TABLES } from "../../src/data/database/schema/grants.js";
import { readWritingRole, restoreWritingRole } from "../../src/data/database/schema/writing-role.js";
import { write } from "../../src/data/database/transaction.js";
import { addOrganization, addUser, anyHash, readAuditTrail } from "../support/audit.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addTenantData } from "../support/fixtures.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const currentRole = async () =>
  (await database.transaction(({ query }) => query<{ role: string }>("SELECT current_user AS role")))[0]
    ?.role;

/** Runs a statement as a user's request for an organization. */
const asPerson = <Row>(organizationId: string | null, sql: string, userId: string | null = randomUUID()) =>
  write(
    database,
    {
      actor: userId === null ? null : { type: "user", id: userId },
      organizationId,
      requestId: randomUUID(),
    },
    ({ query }) => query<Row>(sql),
  );

/** Adds a user, a key, an invitation and a session to an organization; returns the ids. */
async function makeRows(to: TestDatabase = database, organizationId?: string) {
  const organization = organizationId ?? (await addOrganization(to));
  const user = await addUser(to);
  await to.transaction(({ script }) =>
    script(`
      INSERT INTO memberships (organization_id, user_id, role) VALUES ('${organization}', '${user}', 'owner');
      INSERT INTO directory_users (organization_id, user_id, user_name, created_at, updated_at)
        VALUES ('${organization}', '${user}', '${user}', now(), now());
      WITH added AS (INSERT INTO directory_groups (organization_id, display_name, created_at, updated_at)
        VALUES ('${organization}', '${user}', now(), now()) RETURNING organization_id, id)
      INSERT INTO directory_members (organization_id, group_id, user_id) SELECT organization_id, id, '${user}' FROM added;
      SELECT set_config('gateway.action', 'sso.linked', true);
      INSERT INTO sso_events (organization_id, target_id, created_at) VALUES ('${organization}', '${user}', now());
      SELECT set_config('gateway.action', '', true);
      INSERT INTO notification_preferences (user_id) VALUES ('${user}');
      INSERT INTO notifications (user_id, organization_id, key, category, severity, title, body, in_app, created_at)
        VALUES ('${user}', '${organization}', 'x', 'deadline', 'low', 'Due', '', true, now());
      INSERT INTO mail_jobs (kind, email, user_id, organization_id, created_at)
        VALUES ('verifier', 'someone@example.org', '${user}', '${organization}', now());
      INSERT INTO inventory_issues (organization_id, year, issue, basis, statement, digest, issued_at)
        VALUES ('${organization}', 2025, 1, 'reported', '{}', repeat('0', 64), now());
      INSERT INTO idempotency_keys (organization_id, caller, key_hash, fingerprint)
        VALUES ('${organization}', 'user:${user}', sha256(''), sha256(''));
      WITH added AS (INSERT INTO conversations (organization_id, user_id, module, created_at, last_message_at)
        VALUES ('${organization}', '${user}', 'emissions', now(), now()) RETURNING organization_id, user_id, id)
      INSERT INTO chat_messages (organization_id, user_id, conversation_id, position, role, said, sent_at)
        SELECT organization_id, user_id, id, 0, 'user', 'Total?', now() FROM added;
      INSERT INTO api_keys (organization_id, name, hash, display, tier, scopes)
        VALUES ('${organization}', 'ERP', '${anyHash()}', 'x', 'free', '{read:emissions}');
      INSERT INTO invitations (organization_id, email, role, token_hash, expires_at)
        VALUES ('${organization}', 'someone@example.org', 'viewer', '${anyHash()}', now());
      INSERT INTO sessions (user_id, organization_id, kind, token_hash, token_expires_at, authenticated_at, last_used_at, expires_at)
        VALUES ('${user}', '${organization}', 'browser', '${anyHash()}', now(), now(), now(), now())`),
  );
  return { organization, user };
}

describe("the writing role", () => {
  it("has the grants and policies listed in grants.ts", async () => {
    expect(await readWritingRole(database)).toEqual({
      role: await currentRole(),
      exists: true,
      isForCommands: false,
      canAct: true,
      inherits: false,
      missing: [],
      excess: [],
      unpoliced: [],
    });
    const policed = await database.select<{ table: string }>(
      "SELECT relname::text AS table FROM pg_class WHERE relrowsecurity",
      [],
    );
    expect(policed.map(({ table }) => table).toSorted()).toEqual(POLICED_TABLES.toSorted());
  });

  it("gets its rights and policies back as they were after a restore has lost them", async () => {
    const own = await openTestDatabase();
    try {
      const readAll = () =>
        own.select(
          `SELECT tablename, policyname, permissive, roles::text, cmd, qual, with_check FROM pg_policies
           UNION ALL SELECT table_name, column_name, privilege_type, NULL, NULL, NULL, NULL FROM information_schema.column_privileges
             WHERE grantee = 'gateway_writer'
           UNION ALL SELECT proname, proacl::text, NULL, NULL, NULL, NULL, NULL FROM pg_proc WHERE prosecdef ORDER BY 1, 2, 3`,
          [],
        );
      const before = await readAll();
      await own.transaction(({ script }) =>
        script(`
          DO $$ DECLARE p record; BEGIN
            FOR p IN SELECT * FROM pg_policies WHERE policyname <> 'everybody' OR tablename = 'sessions' LOOP
              EXECUTE format('DROP POLICY %I ON %I', p.policyname, p.tablename);
            END LOOP;
          END $$;
          ALTER TABLE sessions DISABLE ROW LEVEL SECURITY;
          REVOKE ALL ON SCHEMA public FROM gateway_writer;
          REVOKE ALL ON ALL TABLES IN SCHEMA public FROM gateway_writer;
          GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO PUBLIC;
          GRANT UPDATE (is_super_admin) ON users TO gateway_writer`),
      );
      const { missing, excess, unpoliced } = await own.transaction(restoreWritingRole);
      expect(missing.length).toBeGreaterThan(500);
      expect([excess, unpoliced]).toEqual([["UPDATE (is_super_admin) ON users"], POLICED_TABLES]);
      expect(await readAll()).toEqual(before);
      expect(await own.transaction(restoreWritingRole)).toEqual({ missing: [], excess: [], unpoliced: [] });
    } finally {
      await own.close();
    }
  });

  it("acts for a user in one transaction only, whether or not it succeeds", async () => {
    const own = await currentRole();
    const { organization, user } = await makeRows();
    const who = "SELECT current_user AS role, session_user AS session";
    expect(await asPerson(organization, who)).toEqual([{ role: "gateway_writer", session: own }]);
    expect(await currentRole()).toBe(own);
    await expect(asPerson(organization, "SELECT 1 / 0")).rejects.toThrow("division by zero");
    expect(await currentRole()).toBe(own);
    await expect(
      asPerson(organization, `UPDATE memberships SET role = 'viewer' WHERE user_id = '${user}'`),
    ).rejects.toThrow("must have an owner");
    expect(await currentRole()).toBe(own);
    const byCommand = await write(database, "import", ({ query }) => query(who));
    expect(byCommand).toEqual([{ role: own, session: own }]);
  });

  it("leaves an entry that names the user and the request, or a visitor", async () => {
    const [user, organizationId, requestId] = [await addUser(database), randomUUID(), randomUUID()];
    await write(database, { actor: null, organizationId, requestId }, async ({ execute }) => {
      await execute("INSERT INTO organizations (id, slug, name) VALUES ($1, $2, 'New')", [
        organizationId,
        `new-${organizationId.slice(0, 8)}`,
      ]);
      await execute("INSERT INTO memberships (organization_id, user_id, role) VALUES ($1, $2, 'owner')", [
        organizationId,
        user,
      ]);
    });
    await asPerson(organizationId, "UPDATE organizations SET name = 'Newer'", user);
    const visitor = { actor: { id: null, type: "visitor" }, request_id: requestId };
    expect(await readAuditTrail(database, organizationId)).toMatchObject([
      { ...visitor, action: "organization.created" },
      { ...visitor, action: "member.created" },
      {
        actor: { id: user, type: "user" },
        action: "organization.updated",
        changes: { name: { from: "New" } },
      },
    ]);
  });

  it.each([
    "UPDATE users SET is_super_admin = true",
    "UPDATE users SET disabled_at = NULL",
    "UPDATE users SET email = 'x@example.org'",
    "INSERT INTO users (email, name, is_super_admin) VALUES ('x@example.org', 'X', true)",
    "DELETE FROM users",
    "DELETE FROM organizations",
    "UPDATE organizations SET slug = 'x'",
    "UPDATE memberships SET organization_id = gen_random_uuid()",
    "UPDATE api_keys SET hash = 'x'",
    "UPDATE invitations SET role = 'owner'",
    "INSERT INTO sign_in_links (user_id, token_hash, expires_at) SELECT id, 'x', now() FROM users",
    "DELETE FROM sessions",
    "INSERT INTO facilities (organization_id, code, name, version) VALUES (gen_random_uuid(), 'x', 'X', 7)",
    "UPDATE emission_records SET reference = 'x'",
    "UPDATE emission_days SET co2e_tonnes = 0",
    "UPDATE credit_batches SET retired = 0",
    "UPDATE credit_retirements SET quantity = 1",
    "DELETE FROM credit_retirements",
    "UPDATE energy_instruments SET claimed_mwh = 0",
    "UPDATE energy_claims SET mwh = 1",
    "UPDATE inventory_issues SET note = 'x'",
    "INSERT INTO audit_entries SELECT * FROM audit_entries",
    "DELETE FROM audit_entries",
    "UPDATE audit_heads SET seq = 1",
    "INSERT INTO audit_pending (entry) VALUES ('{}')",
    "SELECT * FROM audit_pending",
    "SELECT audit_append(NULL, ARRAY['{}'::jsonb])",
    "UPDATE key_events SET kind = 'x'",
    "UPDATE certificate_numbers SET last = 999999999",
    "INSERT INTO certificate_numbers (year, last) VALUES (2027, 999999999)",
    "UPDATE signing_keys SET used_until = NULL",
    "UPDATE signing_keys SET used_from = '2020-01-01'",
    "INSERT INTO signing_keys (kid, public_key, used_from) VALUES ('x', 'x', '2020-01-01')",
    "TRUNCATE memberships",
    "CREATE TABLE mine (id int)",
    "DROP TABLE memberships",
    "ALTER TABLE organizations DISABLE ROW LEVEL SECURITY",
    "DROP POLICY own_update ON organizations",
    "SELECT policy_attach('users', 'id')",
    "SET LOCAL session_replication_role = replica",
  ])("may not: %s", async (statement) => {
    const { organization } = await makeRows();
    await expect(asPerson(organization, statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  it("moves the last use of a session only forward, and not beyond now", async () => {
    const { organization, user } = await makeRows();
    const use = async (time: string) => {
      const [session] = await asPerson<{ isNow: boolean; isLater: boolean }>(
        organization,
        `UPDATE sessions SET last_used_at = ${time} WHERE user_id = '${user}'
         RETURNING last_used_at = now()::timestamptz(3) AS "isNow", last_used_at > created_at AS "isLater"`,
      );
      return session;
    };
    expect(await use("'9999-12-31'")).toEqual({ isNow: true, isLater: true });
    expect(await use("created_at - interval '1 day'")).toEqual({ isNow: false, isLater: true });
    expect(await use("now()")).toEqual({ isNow: true, isLater: true });
  });

  it("writes the user's own session in any organization, and nobody else's", async () => {
    const [{ user, organization }, other] = [await makeRows(), await makeRows()];
    const end = "UPDATE sessions SET revoked_at = now() RETURNING user_id AS user";
    expect(await asPerson(other.organization, end, user)).toEqual(
      expect.arrayContaining([{ user }, { user: other.user }]),
    );
    const move = `UPDATE sessions SET organization_id = '${other.organization}' WHERE user_id = '${user}' RETURNING user_id AS user`;
    expect(await asPerson(null, move)).toEqual([]);
    await expect(asPerson(organization, move)).rejects.toThrow("row-level security");
    expect(await asPerson(organization, move, user)).toEqual([{ user }]);
  });
});

describe("notifications", () => {
  it("are read only by their user, and settings are changed only by their user", async () => {
    const [{ user, organization }, other] = [await makeRows(), await makeRows()];
    const settle =
      "UPDATE notification_preferences SET webhook_url = 'https://x.example' RETURNING user_id AS user";
    expect(await asPerson(other.organization, settle, user)).toEqual([{ user }]);
    expect(await asPerson(organization, settle)).toEqual([]);
    const read = `UPDATE notifications SET read_at = now() WHERE user_id = '${user}' RETURNING user_id AS user`;
    expect(await asPerson(other.organization, read)).toEqual([]);
    expect(await asPerson(other.organization, read, user)).toEqual([{ user }]);
  });
});

describe("certificates", () => {
  /** Adds an organization with a certificate; returns statements that add more. */
  async function certify() {
    const name = `CERT-${randomUUID().slice(0, 8)}`;
    await addTenantData(database, { name, digits: 1, framework: "CDP" });
    const { id, certificates } = await database.prisma.organization.findUniqueOrThrow({
      where: { slug: name.toLowerCase() },
      include: { certificates: true },
    });
    const number = certificates[0]?.number ?? "";
    const insert = (given: string) =>
      asPerson(
        id,
        `INSERT INTO certificates (organization_id, number, request_id, opinion, statement, digest, signature, kid, issued_at)
         SELECT organization_id, '${given}', request_id, opinion, statement, digest, signature, kid, issued_at
         FROM certificates WHERE number = '${number}'`,
      );
    const update = (of: string, values: string) =>
      asPerson(id, `UPDATE certificates SET ${values} WHERE number = '${of}'`);
    return { number, insert, update };
  }

  it("each advance the counter of their year by one, so that it cannot be exhausted", async () => {
    const { insert } = await certify();
    await expect(insert("CGW-2031-999999999-AAAAAAAA")).rejects.toThrow("the next one of its year is 1");
    await insert("CGW-2031-000001-AAAAAAAA");
    await expect(insert("CGW-2031-000003-AAAAAAAA")).rejects.toThrow("the next one of its year is 2");
    await insert("CGW-2031-000001-BBBBBBBB");
    await insert("CGW-2031-000002-AAAAAAAA");
    await expect(insert("CGW-2031-000002-AAAAAAAI")).rejects.toThrow("certificates_number_form");
    expect(await database.prisma.certificateNumber.findUnique({ where: { year: 2031 } })).toEqual({
      year: 2031,
      last: 2,
    });
  });

  it("are never revived or given another successor", async () => {
    const { number, insert, update } = await certify();
    const [next, last] = [number.replace(/.$/, "X"), number.replace(/.$/, "Y")];
    await insert(next);
    await expect(update(next, `superseded_by = '${last}'`)).rejects.toThrow("is valid");
    await update(next, "status = 'superseded'");
    await expect(update(next, "status = 'valid'")).rejects.toThrow("is superseded");
    await update(next, `superseded_by = '${last}'`);
    for (const value of [`'${number}'`, "NULL"]) {
      await expect(update(next, `superseded_by = ${value}`)).rejects.toThrow("is superseded");
    }
    await update(next, "status = 'revoked'");
    for (const status of ["valid", "superseded"]) {
      await expect(update(next, `status = '${status}'`)).rejects.toThrow(`${next} is revoked`);
    }
  });

  it("are signed by keys whose validity the database sets", async () => {
    const [before = { now: new Date() }] = await database.select<{ now: Date }>("SELECT now()", []);
    const take = (kid: string) =>
      asPerson(
        null,
        `INSERT INTO signing_keys (kid, public_key) VALUES ('${kid.repeat(16)}', repeat('${kid}', 43)) ON CONFLICT (kid) DO NOTHING`,
      );
    for (const kid of ["a", "b", "a"]) await take(kid);
    const [a, b] = await database.prisma.signingKey.findMany({ orderBy: { kid: "asc" } });
    expect([a?.usedUntil, b?.usedUntil]).toEqual([null, expect.any(Date)]);
    const times = [before.now, a?.usedFrom, b?.usedFrom, b?.usedUntil].map(Number);
    // Keys' times are rounded to milliseconds.
    expect(times.toSorted((one, other) => one - other)).toEqual(times);
  });
});

describe("the policies, with every right for the writing role", () => {
  let rows: TestDatabase;
  const ids: string[] = [];
  beforeAll(async () => {
    rows = await openTestDatabase();
    for (const name of ["ALPHA", "BETA"]) {
      await addTenantData(rows, { name, digits: 1, framework: "CDP" });
      const slug = name.toLowerCase();
      const { id } = await rows.prisma.organization.findUniqueOrThrow({ where: { slug } });
      await makeRows(rows, id);
      ids.push(id);
    }
    await rows.transaction(({ script }) =>
      // Facilities with records or claims, and periods with surrendered certificates, cannot be deleted.
      script(`UPDATE emission_records SET facility_id = NULL;
              UPDATE credit_retirements SET ccts_period_id = NULL;
              DO $$
              DECLARE
                  kept record;
              BEGIN
                  FOR kept IN SELECT tgrelid::regclass AS name, tgname FROM pg_trigger WHERE tgfoid = 'keep_row'::regproc LOOP
                      EXECUTE format('ALTER TABLE %s DISABLE TRIGGER %I', kept.name, kept.tgname);
                  END LOOP;
              END $$;
              -- What happened in a verification is kept by triggers, from everybody.
              ALTER TABLE verification_status_changes DISABLE TRIGGER verification_status_changes_keep;
              ALTER TABLE verification_snapshots DISABLE TRIGGER verification_snapshots_keep;
              ALTER TABLE verification_findings DISABLE TRIGGER verification_findings_keep;
              ALTER TABLE certificates DISABLE TRIGGER certificates_keep;
              ALTER TABLE inventory_issues DISABLE TRIGGER inventory_issues_keep;
              ALTER TABLE energy_claims DROP CONSTRAINT energy_claims_organization_id_facility_id_fkey;
              GRANT ALL ON ALL TABLES IN SCHEMA public TO gateway_writer;
              GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO gateway_writer`),
    );
  });
  afterAll(() => rows.close());

  const undo = new Error("undo");
  /** Runs a statement in a user's request, which is then rolled back; returns its rows. */
  const tried = async (organizationId: string | null, sql: string) => {
    let returned: { owner: string }[] = [];
    const actor = { type: "user", id: randomUUID() } as const;
    const request = { actor, organizationId, requestId: randomUUID() };
    await write(rows, request, async ({ query }) => {
      returned = await query(sql);
      throw undo;
    }).catch((error: unknown) => {
      if (error !== undo) throw error;
    });
    return new Set(returned.map(({ owner }) => owner));
  };

  const ownedByOrganizations = POLICED_TABLES.filter((table) => table !== "notification_preferences");
  it.each(ownedByOrganizations)("limit it to rows of one organization: %s", async (table) => {
    const [alpha = "", beta = ""] = ids;
    const owner = table === "organizations" ? "id" : "organization_id";
    const returning = `RETURNING ${owner} AS owner`;
    const update = `UPDATE ${table} SET ${owner} = ${owner} ${returning}`;
    const remove = `DELETE FROM ${table} ${returning}`;
    const insert = (id: string) => `INSERT INTO ${table} SELECT * FROM ${table} WHERE ${owner} = '${id}'`;
    expect(await tried(null, `SELECT ${owner} AS owner FROM ${table}`)).toEqual(new Set([alpha, beta]));
    for (const statement of [update, remove]) {
      expect(await tried(alpha, statement)).toEqual(new Set([alpha]));
      expect(await tried(null, statement)).toEqual(new Set());
    }
    await expect(tried(alpha, insert(beta))).rejects.toThrow("violates row-level security policy");
    await expect(tried(null, insert(alpha))).rejects.toThrow("violates row-level security policy");
    await expect(tried(alpha, insert(alpha))).rejects.toThrow("duplicate key");
    await expect(tried(alpha, `UPDATE ${table} SET ${owner} = '${beta}'`)).rejects.toThrow(
      "violates row-level security policy",
    );
  });
});
