import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantServing } from "../../src/data/database/schema/serving-role.js";
import { write } from "../../src/data/database/transaction.js";
import { prune } from "../../src/data/database/upkeep/prune.js";
import { addUser, anyHash } from "../support/audit.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addTenantData } from "../support/fixtures.js";
import { readPage, sectionOf } from "../support/pages.js";

/** The statements that each role is refused, from the table in docs/SECURITY.md. */
const documented = sectionOf(await readPage("docs/SECURITY.md"), "## Roles of the database")
  .split("\n")
  .flatMap((line) => {
    const [, role, , statements = ""] = line.split("|").map((cell) => cell.trim());
    const name = /^`(\w+)`$/.exec(role ?? "")?.[1];
    return name === undefined
      ? []
      : Array.from(statements.matchAll(/`([^`]+)`/g), ([, sql = ""]) => [name, sql] as const);
  });

const serving = `gateway_test_serving_${randomBytes(6).toString("hex")}`;

let database: TestDatabase;
let organization: string;
let user: string;
beforeAll(async () => {
  database = await openTestDatabase();
  await addTenantData(database, { name: "ACME", digits: 1, framework: "CDP" });
  const { prisma } = database;
  ({ id: organization } = await prisma.organization.findFirstOrThrow());
  user = await addUser(database);
  await database.transaction(({ script }) =>
    script(`
      CREATE ROLE ${serving};
      INSERT INTO memberships (organization_id, user_id, role) VALUES ('${organization}', '${user}', 'owner');
      WITH added AS (
        INSERT INTO sessions (user_id, organization_id, kind, token_hash, token_expires_at, authenticated_at, last_used_at, expires_at, revoked_at)
          VALUES ('${user}', '${organization}', 'token', '${anyHash()}', now(), now(), now(), now() + interval '1 day', now()) RETURNING id)
      INSERT INTO spent_refresh_tokens (session_id, hash, used_at) SELECT id, '${anyHash()}', now() FROM added;
      INSERT INTO invitations (organization_id, email, role, token_hash, expires_at, accepted_at, revoked_at)
        VALUES ('${organization}', 'x@example.org', 'viewer', '${anyHash()}', now() + interval '1 day', now(), NULL),
          ('${organization}', 'y@example.org', 'viewer', '${anyHash()}', now() + interval '1 day', NULL, now());
      INSERT INTO sign_in_links (user_id, token_hash, expires_at, used_at) VALUES ('${user}', '${anyHash()}', now(), now());
      INSERT INTO mail_links (user_id, kind, email, token_hash, expires_at, used_at)
        VALUES ('${user}', 'confirm', 'x@example.org', '${anyHash()}', now(), now());
      INSERT INTO spent_tokens (hash, expires_at) VALUES ('${anyHash()}', now() + interval '5 minutes');
      INSERT INTO recovery_codes (user_id, code_hash, used_at) VALUES ('${user}', '${anyHash()}', now());
      INSERT INTO totp_secrets (user_id, secret_sealed, last_step, confirmed_at) VALUES ('${user}', 'x', 9, now());
      INSERT INTO passkeys (user_id, credential_id, public_key, counter, transports, backed_up, user_verified, name, created_at)
        VALUES ('${user}', 'x', 'x', 9, '{}', false, true, 'Key', now());
      INSERT INTO idempotency_keys (organization_id, caller, key_hash, fingerprint, status, content_type, body)
        VALUES ('${organization}', 'user:${user}', sha256(''), sha256(''), 200, 'application/json', '');
      INSERT INTO domains (organization_id, domain, token, created_at) VALUES ('${organization}', 'acme.example', repeat('a', 32), now());
      SELECT set_config('gateway.action', 'sso.linked', true);
      INSERT INTO sso_events (organization_id, target_id, created_at) VALUES ('${organization}', '${user}', now());
      SELECT set_config('gateway.action', '', true);
      WITH added AS (
        INSERT INTO notifications (user_id, organization_id, key, category, severity, title, body, in_app, created_at)
          VALUES ('${user}', '${organization}', 'x', 'security', 'low', 'Due', '', true, now()) RETURNING id)
      INSERT INTO outbox (notification_id, user_id, organization_id, channel, next_at)
        SELECT id, '${user}', '${organization}', 'email', now() FROM added;
      INSERT INTO mail_jobs (kind, email, user_id, created_at) VALUES ('confirm', 'x@example.org', '${user}', now());
      INSERT INTO conversations (organization_id, user_id, module, created_at, last_message_at)
        VALUES ('${organization}', '${user}', 'emissions', now(), now());
      WITH added AS (
        INSERT INTO api_keys (organization_id, name, hash, display, tier, scopes, revoked_at)
          VALUES ('${organization}', 'ERP', '${anyHash()}', 'x', 'free', '{read:emissions}', now()) RETURNING id)
      INSERT INTO api_key_usage (key_id, hour, requests, refused, errors) SELECT id, date_trunc('hour', now()), 9, 0, 0 FROM added;
      WITH added AS (
        INSERT INTO service_accounts (organization_id, name, role, scopes, created_at, revoked_at)
          VALUES ('${organization}', 'ERP', 'viewer', '{read:emissions}', now(), now()) RETURNING organization_id, id)
      INSERT INTO service_account_tokens (organization_id, service_account_id, hash, pepper, display, created_at, expires_at, revoked_at)
        SELECT organization_id, id, '${anyHash()}', 'x', 'x', now(), now(), now() FROM added;
      INSERT INTO platform_daily (date, metric, value) VALUES (current_date - 4, 'users', 1);
      INSERT INTO delivery_turns (channel, subject, served_at, hour, count) VALUES ('email', 'person ${user}', now(), date_trunc('hour', now()), 1);
      INSERT INTO jobs (name, started_at) VALUES ('test', now());
      INSERT INTO audit_checks (chain, seq, hash, checked_at) VALUES ('${organization}', 0, repeat('0', 64), now());
      UPDATE imports SET undone_at = now();
      UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'request';
      UPDATE period_locks SET period_from = '0001-01-01', period_to = '9999-12-31'`),
  );
  await database.transaction((sql) => grantServing(sql, serving));
});
afterAll(async () => {
  await database.transaction(({ script }) => script(`DROP OWNED BY ${serving}; DROP ROLE ${serving}`));
  await database.close();
});

/** Runs a statement as a role of the table. */
const runAs = (role: string, statement: string): Promise<number> =>
  role === "gateway_writer"
    ? write(
        database,
        { actor: { type: "user", id: user }, organizationId: organization, requestId: randomUUID() },
        ({ execute }) => execute(statement),
      )
    : database.transaction(async ({ script, execute }) => {
        await script(`SET LOCAL ROLE ${serving}`);
        return execute(statement);
      });

describe("the roles of the database", () => {
  it("are both in the table", () => {
    expect(new Set(documented.map(([role]) => role))).toEqual(new Set(["gateway", "gateway_writer"]));
  });

  it.each(documented)("refuse %s: %s", async (role, statement) => {
    await expect(runAs(role, statement)).rejects.toThrow(
      /permission denied|stays locked|is locked|locked by/,
    );
  });

  it("execute no function with the owner's rights", async () => {
    const functions = await database.select(
      `SELECT p.oid::regprocedure::text AS name FROM pg_proc AS p WHERE p.prosecdef AND p.pronamespace = current_schema()::regnamespace
         AND (has_function_privilege('public', p.oid, 'EXECUTE') OR has_function_privilege('gateway_writer', p.oid, 'EXECUTE')
           OR has_function_privilege($1, p.oid, 'EXECUTE'))`,
      [serving],
    );
    expect(functions).toEqual([]);
  });

  it("bring no request back under verification without its lock and a new snapshot", async () => {
    const [{ id = "" } = {}] = await database.select<{ id: string }>(
      "SELECT id FROM verification_requests",
      [],
    );
    const change = (...statements: string[]) =>
      write(
        database,
        { actor: { type: "user", id: user }, organizationId: organization, requestId: randomUUID() },
        ({ script }) => script(statements.join(";\n")),
      );
    const become = (status: string) => `UPDATE verification_requests SET status = '${status}'`;
    const unlock = "DELETE FROM period_locks";
    const lockOf = (
      columns: string,
    ) => `INSERT INTO period_locks (organization_id, request_id, period_from, period_to, scopes)
      SELECT organization_id, id, ${columns} FROM verification_requests WHERE id = '${id}'`;
    const lock = lockOf("period_from, period_to, scopes");
    const lockElsewhere = lockOf("date '1901-01-01', date '1901-12-31', scopes");
    const snapshot = `INSERT INTO verification_snapshots (organization_id, request_id, number, digest, totals, record_count, taken_at)
      VALUES ('${organization}', '${id}', 2, repeat('0', 64), '[]', 0, now())`;
    const check = "SET CONSTRAINTS ALL IMMEDIATE";
    const submit = become("submitted");
    const reopen = [become("changes_requested"), unlock, check];
    for (const back of [
      [become("verified")],
      [lock, become("in_review")],
      [submit],
      [lock, submit],
      [snapshot, submit],
      [lockElsewhere, snapshot, submit],
    ]) {
      await expect(change(...reopen, ...back)).rejects.toThrow("no step leads to this state");
    }
    await expect(change(become("draft"), unlock, check)).rejects.toThrow("no step leads to this state");
    await expect(change(unlock, lock)).rejects.toThrow("stays locked");
    await change(...reopen, lock, snapshot, submit);
    await expect(change(unlock)).rejects.toThrow("stays locked");
  });

  it("let a directory enable no account that the operator disabled", async () => {
    const member = await addUser(database);
    const setState = (state: string) => `UPDATE users SET ${state} WHERE id = '${member}'`;
    await database.transaction(({ script }) =>
      script(`
      UPDATE domains SET proven_at = now();
      INSERT INTO memberships (organization_id, user_id, role) VALUES ('${organization}', '${member}', 'viewer');
      INSERT INTO directory_users (organization_id, user_id, user_name, created_at, updated_at)
        VALUES ('${organization}', '${member}', 'x', now(), now());
      ${setState("disabled_at = now()")}`),
    );
    const asDirectory = (statement: string) =>
      write(
        database,
        {
          actor: { type: "service_account", id: user },
          organizationId: organization,
          requestId: randomUUID(),
        },
        ({ execute }) => execute(statement),
      );
    const enable = setState("disabled_at = NULL, disabled_by = NULL");
    await expect(asDirectory(enable)).rejects.toThrow("permission denied");
    await database.transaction(({ script }) => script(setState(`disabled_by = '${organization}'`)));
    expect(await asDirectory(enable)).toBe(1);
  });

  it("let a serving gateway delete what has expired", async () => {
    await database.transaction(({ script }) =>
      script(`
      SET LOCAL session_replication_role = replica;
      UPDATE sessions SET expires_at = now() - interval '91 days', created_at = now() - interval '200 days';
      INSERT INTO sessions (user_id, kind, token_hash, token_expires_at, authenticated_at, last_used_at, expires_at)
        VALUES ('${user}', 'token', '${anyHash()}', now(), now(), now(), now() + interval '1 day');
      UPDATE invitations SET expires_at = now() - interval '91 days';
      UPDATE sign_in_links SET expires_at = now() - interval '91 days';
      UPDATE spent_tokens SET expires_at = now() - interval '1 second';
      UPDATE idempotency_keys SET created_at = now() - interval '25 hours';
      UPDATE sso_events SET created_at = now() - interval '2 days';
      UPDATE mail_jobs SET created_at = now() - interval '2 days';
      UPDATE outbox SET done_at = now() - interval '31 days', next_at = NULL;
      UPDATE notifications SET created_at = now() - interval '91 days';
      UPDATE conversations SET last_message_at = now() - interval '31 days';
      UPDATE webhook_deliveries SET created_at = now() - interval '31 days';
      UPDATE api_key_usage SET hour = now() - interval '91 days'`),
    );
    const asServing: typeof database = {
      ...database,
      transaction: (work, options) =>
        database.transaction(async (session) => {
          await session.script(`SET LOCAL ROLE ${serving}`);
          return work(session);
        }, options),
    };
    await prune(asServing);
    const gone = [
      "invitations",
      "sign_in_links",
      "spent_tokens",
      "idempotency_keys",
      "sso_events",
      "mail_jobs",
      "outbox",
      "notifications",
      "conversations",
      "webhook_deliveries",
      "api_key_usage",
    ];
    for (const table of gone)
      expect([table, await database.select(`SELECT FROM ${table}`, [])]).toEqual([table, []]);
    expect(await database.prisma.session.count()).toBe(1);
  });
});
