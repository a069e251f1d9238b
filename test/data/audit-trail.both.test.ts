import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/actions/keys/create-key.js";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import { rotateKey } from "../../src/actions/keys/rotate-key.js";
import { createOrganization, removeOrganization } from "../../src/actions/people/organizations.js";
import { CHAIN_START, hashEntry, verifyChain } from "../../src/data/audit/verify-chain.js";
import { write } from "../../src/data/database/transaction.js";
import { AUDIT_ACTIONS } from "../../src/domain/audit-actions.js";
import { TABLES } from "../../src/generated/tables.js";
import { addOrganization, addUser, anyHash, readAuditTrail } from "../support/audit.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { NOW } from "../support/server.js";
import { TABLE_ROWS } from "../support/table-rows.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const run = (sql: string) => database.transaction(({ script }) => script(sql));
const read = <Row>(sql: string, values: unknown[] = []) => database.select<Row>(sql, values);

/** Inserts a row into each audited table with plain SQL, for a new organization and user; returns the ids. */
async function makeRows() {
  const [organization, user] = [await addOrganization(database), await addUser(database)];
  const ids = {
    api_keys: randomUUID(),
    invitations: randomUUID(),
    sessions: randomUUID(),
    organizations: organization,
    users: user,
    memberships: user,
    notification_preferences: user,
    announcements: randomUUID(),
  };
  await run(`
    INSERT INTO memberships (organization_id, user_id, role) VALUES ('${organization}', '${user}', 'owner');
    INSERT INTO announcements (id, title, body, level, starts_at) VALUES ('${ids.announcements}', 'A', 'B', 'info', now());
    INSERT INTO notification_preferences (user_id, webhook_url) VALUES ('${user}', 'https://example.org');
    INSERT INTO api_keys (id, organization_id, name, hash, pepper, display, tier, scopes)
      VALUES ('${ids.api_keys}', '${organization}', 'ERP', '${anyHash()}', 'none', 'cgw_live_1…2', 'free', '{read:emissions}');
    INSERT INTO invitations (id, organization_id, email, role, token_hash, invited_by, expires_at)
      VALUES ('${ids.invitations}', '${organization}', 'someone@example.org', 'viewer', '${anyHash()}', '${user}', now());
    INSERT INTO sessions (id, user_id, organization_id, kind, token_hash, token_expires_at, authenticated_at, last_used_at,
        expires_at, address, user_agent)
      VALUES ('${ids.sessions}', '${user}', '${organization}', 'browser', '${anyHash()}', now(), now(), now(), now(),
        '203.0.113.7', 'Browser')`);
  return { organization, user, ids };
}

describe("an entry of the audit trail", () => {
  it("has the hash of the design's test vector", async () => {
    const entry = `{"action":"api_key.created","actor":{"id":"00000000-0000-4000-8000-0000000000aa","type":"user"},"changes":{"name":"ERP","scopes":["read:emissions"],"tier":"free"},"occurred_at":"2026-11-20T10:00:00.000Z","organization_id":"00000000-0000-4000-8000-000000000001","request_id":"00000000-0000-4000-8000-0000000000f1","seq":1,"target":{"id":"00000000-0000-4000-8000-0000000000b1","type":"api_key"}}`;
    const expected = "81070dcecdfac070d9b3d3804f29d4efe67e48522250cfbc7694ab01bb4f766a";
    const [row] = await read<{ text: string; hash: string }>(
      "SELECT audit_json($1::jsonb) AS text, audit_hash(repeat('0', 64), $2) AS hash",
      // With the keys in reverse order, and with spaces.
      [
        JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(entry) as object).toReversed()), null, 2),
        entry,
      ],
    );
    expect(row).toEqual({ text: entry, hash: expected });
    expect(hashEntry(CHAIN_START.hash, entry)).toBe(expected);
  });

  it.each([
    ['{"b":[1,{"d":null,"c":true}],"a":{},"A":[]}', '{"A":[],"a":{},"b":[1,{"c":true,"d":null}]}'],
    ['{"text":"\\"\\\\\\n\\u0001 😀 é"}', '{"text":"\\"\\\\\\n\\u0001 😀 é"}'],
    ['{"aa":1.50,"b":2,"ä":3}', '{"aa":1.50,"b":2,"ä":3}'],
  ])("is written in one form only: %s", async (value, text) => {
    expect(await read("SELECT audit_json($1::jsonb) AS text", [value])).toEqual([{ text }]);
  });

  it("is stored in that form", async () => {
    await makeRows();
    const [found] = await read<{ entries: number; other: number }>(
      "SELECT count(*) AS entries, count(*) FILTER (WHERE entry <> audit_json(entry::jsonb)) AS other FROM audit_entries",
    );
    expect(found).toMatchObject({ entries: expect.toSatisfy((count: number) => count > 3), other: 0 });
  });

  it("has an action from a fixed list", async () => {
    const [check] = await read<{ definition: string }>(
      "SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'audit_entries_action_known'",
    );
    const known = [...(check?.definition.matchAll(/'([a-z_.]+)'/g) ?? [])].map(([, action]) => action);
    expect(known.toSorted()).toEqual(AUDIT_ACTIONS.toSorted());
  });
});

describe("every audited table", () => {
  const tables = [
    "organizations",
    "memberships",
    "api_keys",
    "invitations",
    "sessions",
    "users",
    "notification_preferences",
    "announcements",
  ] as const;
  const nouns = {
    organizations: "organization",
    memberships: "member",
    api_keys: "api_key",
    invitations: "invitation",
    sessions: "session",
    users: "user",
    notification_preferences: "notification_preferences",
    announcements: "announcement",
  };
  const changed = {
    organizations: "name = 'Other'",
    memberships: "created_at = '2020-01-01'",
    api_keys: "tier = 'pro'",
    invitations: "role = 'editor'",
    sessions: "expires_at = '2030-01-01'",
    users: "is_super_admin = true",
    notification_preferences: "webhook_url = 'https://example.com'",
    announcements: "title = 'C'",
  };
  const ofPlatform: readonly string[] = ["users", "notification_preferences", "announcements"];
  const byPerson: readonly string[] = ["memberships", "notification_preferences"];

  it.each(tables)("leaves an entry for plain SQL: %s", async (table) => {
    const { organization, user, ids } = await makeRows();
    const chain = ofPlatform.includes(table) ? null : organization;
    const key = byPerson.includes(table) ? "user_id" : "id";
    const target = { id: ids[table], type: nouns[table] };
    const of = async () =>
      (await readAuditTrail(database, chain)).filter(
        (said) => said.target.id === target.id && said.target.type === target.type,
      );
    const before = table === "sessions" ? [] : [`${nouns[table]}.created`];
    expect((await of()).map(({ action }) => action)).toEqual(before);
    await run(`UPDATE ${table} SET ${changed[table]} WHERE ${key} = '${ids[table]}'`);
    await run(`DELETE FROM ${table} WHERE ${key} = '${ids[table]}'`);
    const entries = await of();
    expect(entries.map(({ action }) => action)).toEqual([
      ...before,
      `${nouns[table]}.updated`,
      `${nouns[table]}.deleted`,
    ]);
    expect(entries.map(({ actor }) => actor)).toEqual(entries.map(() => ({ id: null, type: "sql" })));
    expect(entries.at(-2)?.changes).toMatchObject({
      [changed[table].split(" ")[0] as string]: { from: expect.anything(), to: expect.anything() },
    });
    expect([await verifyChain(database, chain), user]).toMatchObject([{ ok: true }, user]);
  });

  it.each(Object.entries(TABLE_ROWS))(
    "leaves an entry for plain SQL: %s",
    async (table, [noun, insert, change]) => {
      const organization = await addOrganization(database);
      await run(
        `INSERT INTO credit_batches (organization_id, reference, credit_type, quantity) SELECT '${organization}', 'b', 'VCS', 10`,
      );
      await run(`INSERT INTO cbam_declarations (organization_id, year) SELECT '${organization}', 2030`);
      await run(`INSERT INTO entities (organization_id, code, name) SELECT '${organization}', 'b', 'B'`);
      if (table === "energy_claims") {
        for (const needed of ["facilities", "energy_instruments"]) {
          await run(
            `INSERT INTO ${needed} ${TABLE_ROWS[needed]?.[1].replaceAll("$", `'${organization}'::uuid`)}`,
          );
        }
      }
      await run(
        `INSERT INTO service_accounts (organization_id, name, role, scopes) SELECT '${organization}', 'B', 'viewer', '{read:market}'`,
      );
      await run(
        `INSERT INTO users (id, email, name) SELECT '${organization}', '${organization}@example.org', 'Ada'`,
      );
      await run(
        `INSERT INTO memberships (organization_id, user_id, role) SELECT '${organization}', '${organization}', 'owner'`,
      );
      const from = (await readAuditTrail(database, organization)).length;
      const its = `organization_id = '${organization}'`;
      await run(`INSERT INTO ${table} ${insert.replaceAll("$", `'${organization}'::uuid`)}`);
      await run(`UPDATE ${table} SET ${change} WHERE ${its}`);
      await run(`DELETE FROM ${table} WHERE ${its}`);
      const actions = (await readAuditTrail(database, organization)).slice(from).map(({ action }) => action);
      expect(new Set(actions)).toEqual(new Set([`${noun}.created`, `${noun}.updated`, `${noun}.deleted`]));
      expect(await verifyChain(database, organization)).toMatchObject({ ok: true });
    },
  );

  it("records a deleted record, an archived facility, an undone import and a completed deadline", async () => {
    const organization = await addOrganization(database);
    for (const table of ["emission_records", "facilities", "imports", "compliance_deadlines"]) {
      await run(`INSERT INTO ${table} ${TABLE_ROWS[table]?.[1].replaceAll("$", `'${organization}'::uuid`)}`);
    }
    const its = `WHERE organization_id = '${organization}'`;
    const before = (await readAuditTrail(database, organization)).length;
    await run(`UPDATE emission_records SET deleted_at = now() ${its}`);
    await run(`UPDATE emission_records SET deleted_at = NULL ${its}`);
    await run(`UPDATE facilities SET archived_at = now() ${its}`);
    await run(`UPDATE imports SET undone_at = now() ${its}`);
    await run(`UPDATE compliance_deadlines SET completed_on = now() ${its}`);
    const actions = (await readAuditTrail(database, organization)).slice(before).map(({ action }) => action);
    expect(actions).toEqual([
      "emission_record.deleted",
      "emission_record.restored",
      "facility.archived",
      "import.undone",
      "deadline.completed",
    ]);
  });

  /** Tables that test/rest/verification.test.ts writes: their rows are permanent or depend on others. */
  const OF_VERIFICATION = [
    "verification_requests",
    "verification_status_changes",
    "verification_snapshots",
    "verification_findings",
    "certificates",
    "signing_keys",
    "period_locks",
    "inventory_issues",
  ];

  /** Tables that test/access/second-factor.test.ts writes. */
  const OF_FACTORS = ["totp_secrets", "passkeys", "recovery_codes"];
  const AUDITED = [
    ...tables,
    "sign_in_links",
    "sso_events",
    "directory_members",
    ...OF_FACTORS,
    ...OF_VERIFICATION,
    ...Object.keys(TABLE_ROWS),
  ];

  it.each(AUDITED)("refuses TRUNCATE: %s", async (table) => {
    await expect(run(`TRUNCATE ${table} CASCADE`)).rejects.toThrow(/TRUNCATE of \w+ is refused/);
  });

  it("is listed here, and all other tables have a reason not to be", async () => {
    const reasons: Readonly<Record<string, string>> = {
      key_events: "a trail itself",
      audit_entries: "the trail",
      audit_heads: "follows the trail",
      audit_checks: "says when the gateway last checked the trail",
      audit_pending: "becomes the trail",
      change_sets: "the order of changes, with the trail",
      removed_rows: "what the trail says was deleted",
      api_key_usage: "says how often a key was used, not what was changed",
      notifications: "say what was changed, and change nothing",
      outbox: "follows the notifications",
      webhook_progress: "says how far an endpoint has come",
      webhook_deliveries: "follow the trail",
      delivery_turns: "says when the gateway last delivered something",
      addition_links: "remove what the rows of users, factors and sessions then say",
      mail_links: "confirm what the rows of users and preferences then say",
      mail_jobs: "says what was sent, and is kept for a day",
      idempotency_keys: "repeats the answers to changes, and is kept for a day",
      announcement_dismissals: "says what a person has seen",
      platform_daily: "counts of what other tables hold",
      identities: "say who signed in by a provider: events tell of it",
      jobs: "says when the gateway last did something by itself",
      certificate_numbers: "follows the certificates",
      member_history: "follows the memberships",
      spent_refresh_tokens: "refreshing a session changes nothing",
      spent_tokens: "the same of challenges",
      conversations: "is personal, and nobody's but the person's who asks",
      chat_messages: "the same",
      emission_days: "follows the records",
      exchange_feeds: "when an exchange reported last decides nothing of an organization",
      replaced_records: "what records were, for an import to be taken back",
    };
    /** Reference data, which commands load for all tenants. */
    const later = ["benchmarks", "price_indices", "price_index_weights"];
    const audited = await read<{ table: string; events: string }>(
      `SELECT tgrelid::regclass::text AS table, count(*)::text AS events FROM pg_trigger
       WHERE tgname LIKE '%\\_audit\\_%' GROUP BY 1`,
    );
    expect(audited.map(({ table }) => table).toSorted()).toEqual(AUDITED.toSorted());
    expect([...audited.map(({ table }) => table), ...Object.keys(reasons), ...later].toSorted()).toEqual(
      Object.values(TABLES).toSorted(),
    );
  });
});

describe("the audit trail", () => {
  it("contains no secrets, and no names or e-mail addresses", async () => {
    const { organization, user, ids } = await makeRows();
    await run(`
      UPDATE users SET name = 'Other Person', email = 'other@example.org', password_hash = '$argon2id$v=19$secret' WHERE id = '${user}';
      UPDATE invitations SET email = 'else@example.org', token_hash = '${anyHash()}' WHERE id = '${ids.invitations}';
      UPDATE api_keys SET hash = '${anyHash()}' WHERE id = '${ids.api_keys}';
      DELETE FROM organizations WHERE id = '${organization}';
      DELETE FROM users WHERE id = '${user}'`);
    const texts = JSON.stringify([
      ...(await readAuditTrail(database, null)),
      ...(await readAuditTrail(database, organization)),
    ]);
    expect(texts).toContain('"password_hash":{"from":null,"to":"***"}');
    expect(texts).not.toMatch(/Person|@|argon2|203\.0\.113|Browser|"[0-9a-f]{64}"/);
  });

  it("names the actor, request and action, as set by `write`", async () => {
    const { organization, user, ids } = await makeRows();
    const [requestId, guest] = [randomUUID(), await addUser(database)];
    const change = `UPDATE users SET password_hash = '$argon2id$v=19$x' WHERE id = $1`;
    await write(
      database,
      { actor: { type: "user", id: user }, organizationId: organization, requestId },
      async ({ execute }) => {
        await execute(change, [user]);
        await execute("INSERT INTO memberships (organization_id, user_id, role) VALUES ($1, $2, 'viewer')", [
          organization,
          guest,
        ]);
      },
      "user.password_changed",
    );
    const by = { actor: { id: user, type: "user" }, request_id: requestId };
    expect((await readAuditTrail(database, null)).at(-1)).toMatchObject({
      ...by,
      action: "user.password_changed",
    });
    expect((await readAuditTrail(database, organization)).at(-1)).toMatchObject({
      ...by,
      action: "member.created",
    });

    // Settings end with their transaction.
    await run(`UPDATE sessions SET revoked_at = now() WHERE id = '${ids.sessions}'`);
    expect((await readAuditTrail(database, organization)).at(-1)).toMatchObject({
      action: "session.ended",
      actor: { id: null, type: "sql" },
      request_id: null,
      target: { id: ids.sessions, type: "session" },
    });
  });

  it("names the commands that write", async () => {
    const context = { database, pepper: undefined, now: NOW };
    const slug = `c-${randomUUID().slice(0, 8)}`;
    const { id } = await createOrganization(database, { slug, name: "Commanded" });
    const settings = { name: "ERP", tier: "free", scopes: ["read:emissions"], expiresAt: null } as const;
    const key = await createKey(context, { organization: slug, ...settings });
    const replacement = await rotateKey(context, key.id, 0);
    await revokeKeyById(context, replacement.id);
    await removeOrganization(database, slug, async () => undefined);
    expect(
      (await readAuditTrail(database, id)).map(({ action, actor }) => [action, actor.type, actor.id]),
    ).toEqual([
      ["organization.created", "command", "organizations create"],
      ["api_key.created", "command", "keys create"],
      ["api_key.created", "command", "keys rotate"],
      ["api_key.rotated", "command", "keys rotate"],
      ["api_key.revoked", "command", "keys revoke"],
      ["organization.deleted", "command", "organizations delete"],
      ["api_key.deleted", "command", "organizations delete"],
      ["api_key.deleted", "command", "organizations delete"],
    ]);
    expect(await verifyChain(database, id)).toMatchObject({ ok: true, entries: 8 });
  });

  it.each([
    "user",
    "user 1",
    "visitor x",
    "admin x",
    "command ",
    "",
    "user 00000000-0000-0000-0000-000000000000x",
  ])("accepts only users, visitors and commands as a transaction's actor: %j", async (actor) => {
    const organization = await addOrganization(database);
    await run(
      `SET LOCAL gateway.actor = '${actor}'; UPDATE organizations SET name = 'x' WHERE id = '${organization}'`,
    );
    expect((await readAuditTrail(database, organization)).at(-1)?.actor).toEqual({ id: null, type: "sql" });
  });

  it("refuses unknown actions, and actions on a different kind of object", async () => {
    const organization = await addOrganization(database);
    const rename = `UPDATE organizations SET name = name || 'x' WHERE id = '${organization}'`;
    await run(`SET LOCAL gateway.action = 'api_key.rotated'; ${rename}`);
    expect((await readAuditTrail(database, organization)).at(-1)?.action).toBe("organization.updated");
    await expect(run(`SET LOCAL gateway.action = 'organization.improved'; ${rename}`)).rejects.toThrow(
      "audit_entries_action_known",
    );
  });

  it("has an entry in both organizations between which a session moves, without the other's identity", async () => {
    const [{ organization, ids }, other] = [await makeRows(), await addOrganization(database)];
    await run(`UPDATE sessions SET organization_id = '${other}' WHERE id = '${ids.sessions}'`);
    for (const id of [organization, other]) {
      expect((await readAuditTrail(database, id)).at(-1)).toMatchObject({
        action: "session.updated",
        target: { id: ids.sessions, type: "session" },
        changes: { organization_id: { from: "***", to: "***" } },
      });
    }
  });

  it("has no entry for updates without a change, mere use, refreshes and rollbacks", async () => {
    const { organization, ids } = await makeRows();
    const before = await readAuditTrail(database, organization);
    await run(`
      UPDATE organizations SET name = name; UPDATE api_keys SET last_used_at = now();
      UPDATE sessions SET token_hash = '${anyHash()}', last_used_at = now() WHERE id = '${ids.sessions}';
      DELETE FROM invitations WHERE false`);
    await expect(
      database.transaction(async ({ script }) => {
        await script(`UPDATE organizations SET name = 'Gone' WHERE id = '${organization}'`);
        throw new Error("rolled back");
      }),
    ).rejects.toThrow("rolled back");
    await run(`SAVEPOINT a; UPDATE organizations SET name = 'Gone'; ROLLBACK TO a`);
    expect(await readAuditTrail(database, organization)).toEqual(before);
    expect(await read("SELECT * FROM audit_pending")).toEqual([]);
  });

  it("records up to 100 rows of a statement individually, and more as a count", async () => {
    const organization = await addOrganization(database);
    const insert = (rows: number) =>
      run(`INSERT INTO api_keys (organization_id, name, hash, display, tier, scopes)
           SELECT '${organization}', 'many', md5(random()::text) || md5(random()::text), 'x', 'free', '{read:emissions}'
           FROM generate_series(1, ${rows})`);
    await insert(100);
    expect(await readAuditTrail(database, organization)).toHaveLength(101);
    await insert(101);
    await run(`UPDATE api_keys SET tier = 'pro' WHERE organization_id = '${organization}'`);
    await run(`UPDATE api_keys SET last_used_at = now()`);
    await run(`DELETE FROM api_keys WHERE organization_id = '${organization}'`);
    expect((await readAuditTrail(database, organization)).slice(101)).toMatchObject([
      { action: "api_key.created", target: { id: null }, changes: { rows: 101 } },
      { action: "api_key.updated", target: { id: null }, changes: { rows: 201 } },
      { action: "api_key.deleted", target: { id: null }, changes: { rows: 201 } },
    ]);
  });

  it("records the sums of many rows before and after, for a table attached with a sum", async () => {
    const organization = await addOrganization(database);
    await run(`
      CREATE TABLE amounts (id int PRIMARY KEY, organization_id uuid NOT NULL, tonnes numeric NOT NULL);
      SELECT audit_attach('amounts', '{"noun": "organization", "organization": "organization_id", "key": ["id"], "sum": "tonnes"}');
      INSERT INTO amounts SELECT n, '${organization}', 1.5 FROM generate_series(1, 200) AS n;
      UPDATE amounts SET tonnes = 2;
      DELETE FROM amounts;
      DROP TABLE amounts`);
    expect((await readAuditTrail(database, organization)).slice(1).map(({ changes }) => changes)).toEqual([
      { rows: 200, tonnes: { from: 0, to: 300 } },
      { rows: 200, tonnes: { from: 300, to: 400 } },
      { rows: 200, tonnes: { from: 400, to: 0 } },
    ]);
  });

  it("tells many records that a statement marks as deleted as such, and counts nothing of deleted ones", async () => {
    const organization = await addOrganization(database);
    await run(`
      INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
      SELECT '${organization}', '2026-01-01', 'scope_1', 1 FROM generate_series(1, 150);
      UPDATE emission_records SET deleted_at = now() WHERE organization_id = '${organization}' AND id IN (
        SELECT id FROM emission_records WHERE organization_id = '${organization}' LIMIT 120);
      UPDATE emission_records SET co2e_tonnes = 2, deleted_at = now() WHERE organization_id = '${organization}'`);
    const entries = (await readAuditTrail(database, organization)).slice(1);
    expect(entries.map(({ action, changes }) => [action, changes])).toEqual([
      ["emission_record.created", { rows: 150, co2e_tonnes: { from: 0, to: 150 } }],
      ["emission_record.deleted", { rows: 120, co2e_tonnes: { from: 120, to: 0 } }],
      ["emission_record.updated", { rows: 150, co2e_tonnes: { from: 30, to: 0 } }],
    ]);
  });

  it("has an entry in both organizations between which a key moves", async () => {
    const { organization, ids } = await makeRows();
    const other = await addOrganization(database);
    await run(`UPDATE api_keys SET organization_id = '${other}' WHERE id = '${ids.api_keys}'`);
    const moved = {
      action: "api_key.updated",
      changes: { organization_id: { from: organization, to: other } },
    };
    expect((await readAuditTrail(database, organization)).at(-1)).toMatchObject(moved);
    expect((await readAuditTrail(database, other)).at(-1)).toMatchObject(moved);
  });

  it.each([
    "UPDATE audit_entries SET action = 'user.created'",
    "DELETE FROM audit_entries WHERE false",
    "TRUNCATE audit_entries",
    "INSERT INTO audit_entries SELECT * FROM audit_entries",
    "UPDATE audit_heads SET seq = 1",
    "DELETE FROM audit_heads",
    "TRUNCATE audit_heads",
    "INSERT INTO audit_pending (entry) VALUES ('{}')",
    "DELETE FROM audit_pending",
    "SELECT audit_append(NULL, ARRAY['{}'::jsonb])",
    "SET LOCAL session_replication_role = replica; DELETE FROM audit_entries",
  ])("is written by the database alone: %s", async (statement) => {
    await makeRows();
    await expect(run(statement)).rejects.toThrow(/is refused: only the database writes the audit trail/);
  });
});

describe("a chain that was tampered with", () => {
  /** Changes the trail as its owner can, with its triggers off. */
  const tamper = (statement: string) =>
    run(`ALTER TABLE audit_entries DISABLE TRIGGER USER; ALTER TABLE audit_heads DISABLE TRIGGER USER; ${statement};
         ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER audit_entries_refuse_change;
         ALTER TABLE audit_heads ENABLE ALWAYS TRIGGER audit_heads_refuse_change`);

  const forged = `UPDATE audit_entries SET entry = replace(entry, '"owner"', '"admin"')`;
  it.each([
    ["an edited text", `${forged} WHERE $own AND seq = 2`, 2],
    [
      "an edited text with a recomputed hash",
      `${forged} WHERE $own AND seq = 2; UPDATE audit_entries SET hash = audit_hash(prev_hash, entry) WHERE $own AND seq = 2`,
      3,
    ],
    [
      "an edited last entry with a recomputed hash",
      `UPDATE audit_entries SET entry = replace(entry, '"viewer"', '"owner"') WHERE $own AND seq = 4;
       UPDATE audit_entries SET hash = audit_hash(prev_hash, entry) WHERE $own AND seq = 4`,
      4,
    ],
    ["a different actor in the column", "UPDATE audit_entries SET actor_id = 'x' WHERE $own AND seq = 3", 3],
    [
      "a different time in the column",
      "UPDATE audit_entries SET occurred_at = '2020-01-01' WHERE $own AND seq = 3",
      3,
    ],
    [
      "a different database user in the column",
      "UPDATE audit_entries SET database_user = 'x' WHERE $own AND seq = 3",
      3,
    ],
    ["an entry that was removed", "DELETE FROM audit_entries WHERE $own AND seq = 2", 2],
    ["a first entry that was removed", "DELETE FROM audit_entries WHERE $own AND seq = 1", 1],
    ["a tail that was cut off", "DELETE FROM audit_entries WHERE $own AND seq > 2", 3],
    ["a chain that was removed", "DELETE FROM audit_entries WHERE $own", 1],
    ["a head that was removed", "DELETE FROM audit_heads WHERE chain = '$id'", 1],
    [
      "a head that was set back",
      "UPDATE audit_heads SET seq = 2, hash = (SELECT hash FROM audit_entries WHERE $own AND seq = 2) WHERE chain = '$id'",
      3,
    ],
    ["a text that is not JSON", "UPDATE audit_entries SET entry = 'x' WHERE $own AND seq = 1", 1],
  ])("is found by verify: %s", async (_what, statement, firstBrokenSeq) => {
    const { organization } = await makeRows();
    const intact = await addOrganization(database);
    expect(await verifyChain(database, organization)).toMatchObject({ ok: true, entries: 4 });
    await tamper(
      statement.replaceAll("$own", `organization_id = '${organization}'`).replaceAll("$id", organization),
    );
    expect(await verifyChain(database, organization)).toMatchObject({ ok: false, firstBrokenSeq });
    expect(await verifyChain(database, intact)).toMatchObject({ ok: true });
  });
});
