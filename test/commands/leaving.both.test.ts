import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { loadFiles } from "../../src/actions/bundle/load.js";
import { loadSample } from "../../src/actions/bundle/sample.js";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { exportOrganization, importOrganization } from "../../src/actions/leaving/move-organization.js";
import { createOrganization, removeOrganization } from "../../src/actions/people/organizations.js";
import { verifyIntegrity } from "../../src/actions/verify-integrity.js";
import { listChains } from "../../src/data/audit/chain.js";
import { verifyChain } from "../../src/data/audit/verify-chain.js";
import { listTables } from "../../src/data/database/schema/tables.js";
import type { Database } from "../../src/data/database/types.js";
import { listMovingTables } from "../../src/data/organizations/organization-rows.js";
import { REFERENCE_FOLDER, SAMPLE_FOLDER } from "../../src/paths.js";
import { makeCommandDatabase } from "../support/command-database.js";
import { openTestDatabase } from "../support/database.js";
import { addTenantData } from "../support/fixtures.js";
import { runSql, selectColumn } from "../support/graph-fixtures.js";
import { INVENTORY, makeInventory, put } from "../support/inventories.js";
import { list } from "../support/list.js";
import { addMember, signUp } from "../support/people.js";
import { addPersonalRows } from "../support/personal-rows.js";
import { runCommand } from "../support/run-command.js";
import { type Envelope, type Gateway, makeKey, NOW, startGateway } from "../support/server.js";
import { fillTables } from "../support/table-rows.js";
import { use, useFolder } from "../support/use.js";
import { listV1 } from "../support/v1.js";
import { verify } from "../support/verification.js";

const signal = new AbortController().signal;
const folder = useFolder();

/** Starts a gateway with the factors and prices that all organizations share. */
async function start(): Promise<Gateway> {
  const gateway = await startGateway();
  await loadFactors(gateway.database, REFERENCE_FOLDER);
  await loadFiles(gateway.database, [join(SAMPLE_FOLDER, "reference.json")], NOW);
  return gateway;
}

const exportDemo = (database: Database, path: string) =>
  exportOrganization(database, { slug: "demo", path, gateway: "2.0.0", now: NOW, signal });

const importFile = (database: Database, path: string) =>
  importOrganization(database, { path, now: NOW, signal });

/** Areas of endpoints about credentials, deliveries, single people, shared rows, or the order of changes. */
const UNMOVED =
  /^\/(api-keys|announcements|admin|audit|auth|changes|conversations|directory|domains|events|invitations|markets|members|notifications|service-accounts|sso|users|verification|webhook-endpoints)\b|digest$/;

/** Reads the answers about the organization that do not depend on who asks. */
async function readAnswers(gateway: Gateway): Promise<Record<string, string>> {
  const { key } = await makeKey(gateway.database, "demo", { name: "reader" });
  const reader = await addMember(gateway, "demo", "owner");
  const answers: Record<string, string> = {};
  for (const path of ["/emissions", "/compliance", "/credits", "/benchmarks", "/market"])
    answers[`/ext/v1${path}`] = JSON.stringify((await gateway.rest(path, key)).body.data);
  for (const { method, path } of await listV1()) {
    if (method !== "GET" || path.includes("{") || UNMOVED.test(path)) continue;
    const { status, body } = await reader.call<{ data?: unknown }>(`/v1${path}`);
    if (status === 200) answers[path] = JSON.stringify(body.data ?? body);
  }
  const { body } = await reader.graphql(
    `{ emissionRecords(first: 50) { nodes { id recordedOn co2eTonnesExact note version createdAt } }
      verificationRequests(first: 5) { nodes { number status version opinionStatement snapshot { digest } certificate { number digest signature } } } }`,
  );
  expect(body.errors).toBeUndefined();
  const [certificate] = await gateway.database.prisma.certificate.findMany({
    where: { organization: { slug: "demo" } },
  });
  const verified = await gateway.call<Envelope>(
    `/v1/verification/certificates/${certificate?.number}/verify`,
  );
  return { ...answers, graphql: JSON.stringify(body), verified: JSON.stringify(verified.body.data) };
}

/**
 * Tables whose rows do not move. A new table fails the test below: if organizations have rows in it, these must move,
 * unless they hold secrets or wait for one gateway's jobs. docs/operations.md says what does not move.
 */
const UNMOVED_TABLES = `
  _prisma_migrations addition_links announcement_dismissals announcements api_key_usage api_keys audit_checks audit_pending
  benchmarks certificate_numbers change_sets chat_messages conversations delivery_turns directory_groups directory_members
  directory_users domains exchange_feeds idempotency_keys identities invitations jobs key_events
  mail_jobs mail_links notification_preferences notifications outbox passkeys platform_daily price_index_weights
  price_indices recovery_codes removed_rows service_account_tokens sessions sign_in_links spent_refresh_tokens spent_tokens
  sso_connections sso_events totp_secrets webhook_deliveries webhook_endpoints webhook_progress`
  .trim()
  .split(/\s+/);

const readRules = (database: Database) =>
  selectColumn(
    database,
    `SELECT concat_ws(' ', tgrelid::regclass, tgname, tgenabled) FROM pg_trigger UNION ALL
     SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint ORDER BY 1`,
  );

const readTrail = (database: Database) =>
  selectColumn(
    database,
    "SELECT to_jsonb(e)::text FROM audit_entries AS e WHERE organization_id = (SELECT id FROM organizations WHERE slug = 'demo') ORDER BY seq",
  );

describe("an exported organization", () => {
  let file: string;
  let trail: string[];
  let lines: string[];
  let id: string;

  const source = use(start);
  beforeAll(async () => {
    const { database } = source;
    await loadSample(database, SAMPLE_FOLDER, NOW);
    const owner = await signUp(source, { organization: "demo", email: "olga@example.org", name: "Olga" });
    const ada = await addMember(source, "demo", "admin", { email: "ada@example.org", name: "Ada" });
    await verify(ada, await signUp(source, { email: "vera@example.org", name: "Vera Verifier" }));
    id = owner.organization.id;
    await fillTables(database, id);
    await addPersonalRows(database, { organizationId: id, user: ada.user, other: owner.user });
    trail = await readTrail(database);
    file = join(folder, "demo.jsonl");
    await exportDemo(database, file);
    lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  });

  it.each([
    ["an empty gateway", []],
    ["a gateway that other organizations use", ["ADA@example.org"]],
    ["a gateway on which its owner has an account", ["ada@example.org", "olga@example.org"]],
  ])("moves to %s, with the same answers, digests and trail", async (_, accounts) => {
    const target = await start();
    onTestFinished(() => target.stop());
    const { database } = target;
    if (accounts.length > 0) await addTenantData(database, { name: "Other", digits: 7, framework: "CDP" });
    for (const email of accounts) await signUp(target, { email, name: "Another" });
    const readAccounts = () =>
      selectColumn(database, "SELECT to_jsonb(u)::text FROM users AS u WHERE name = 'Another' ORDER BY id");
    const [rules, before] = [await readRules(database), await readAccounts()];

    const { uninvited } = await importFile(database, file);
    const invited = accounts.map((email) => email.toLowerCase());
    expect(uninvited.map(({ email, role }) => `${email} ${role}`)).toEqual(
      ["ada@example.org admin", "olga@example.org owner"].filter((one) =>
        invited.includes(one.split(" ")[0] ?? ""),
      ),
    );
    expect([await readRules(database), await readAccounts()]).toEqual([rules, before]);
    const members = await selectColumn(
      database,
      `SELECT u.email || ' ' || m.role || ' ' || (u.password_hash IS NULL AND u.email_confirmed_at IS NULL)
       FROM memberships AS m JOIN users AS u ON u.id = m.user_id WHERE m.organization_id = $1::uuid ORDER BY 1`,
      id,
    );
    expect(members).toEqual(
      ["ada@example.org admin true", "olga@example.org owner true"].filter(
        (one) => !invited.includes(one.split(" ")[0] ?? ""),
      ),
    );
    const moved = await readTrail(database);
    expect(moved.slice(0, trail.length)).toEqual(trail);
    expect(moved[trail.length]).toContain('"actor_id": "organizations import"');
    expect(await verifyIntegrity(database, false)).toMatchObject({
      differences: 0,
      balances: { differences: 0 },
      changes: { differences: 0 },
    });
    for (const chain of await listChains(database))
      expect(await verifyChain(database, chain)).toMatchObject({ ok: true });
    expect(await readAnswers(target)).toEqual(await readAnswers(source));
    // Its next certificates follow those that moved.
    const vera = await signUp(target, { email: "vera@example.org", name: "Vera Verifier" });
    const admin = await addMember(target, "demo", "admin");
    await verify(admin, vera, { period: { from: "2024-12-01", to: "2024-12-31" } });
    const numbers = await selectColumn(
      database,
      "SELECT left(number, 15) FROM certificates WHERE organization_id = $1::uuid ORDER BY number",
      id,
    );
    expect(numbers).toEqual(["CGW-2026-000001", "CGW-2026-000002"]);
  });

  it("keeps its issued inventories", async () => {
    const { ada } = await makeInventory(source);
    await put(ada, `${INVENTORY}/issues`, { basis: "reported" }, "POST");
    const path = join(folder, "issue.jsonl");
    const { slug } = ada.organization;
    await exportOrganization(source.database, { slug, path, gateway: "2.0.0", now: NOW, signal });
    const target = await start();
    onTestFinished(() => target.stop());
    await importFile(target.database, path);
    const read = async (gateway: Gateway) => {
      const owner = await addMember(gateway, slug, "owner");
      return (await owner.call<Envelope>(`${INVENTORY}/issues/1`)).body.data;
    };
    expect(await read(target)).toEqual(await read(source));
  });

  it("has no table of a later version unless somebody chose so, and no secret column", async () => {
    const { all, moving, masked } = await source.database.transaction(async (sql) => ({
      all: await listTables(sql),
      moving: await listMovingTables(sql),
      // The trail shows these columns as ***, because they are secret or personal.
      masked: await sql.query<{ table: string; column: string }>(
        `SELECT DISTINCT tgrelid::regclass::text AS "table", unnest((string_to_array(encode(tgargs, 'escape'), '\\000'))[4]::text[]) AS "column"
         FROM pg_trigger WHERE tgname LIKE '%\\_audit\\_insert'`,
      ),
    }));
    const names = new Set(moving.map(({ name }) => name));
    expect(all.flatMap(({ name }) => (names.has(name) ? [] : [name])).sort()).toEqual(UNMOVED_TABLES);
    const moved = moving.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`));
    const secret = masked.map(({ table, column }) => `${table}.${column}`);
    expect(
      moved
        .filter((column) => secret.includes(column) || /hash|secret|token|seal|pepper/.test(column))
        .sort(),
    ).toEqual(
      list(`
      audit_entries.hash audit_entries.prev_hash audit_heads.hash compliance_deadlines.owner
      users.email users.name verification_requests.verifier_email
    `),
    );
    // Every table of the file has a row, so the other tests see what becomes of it.
    const empty = lines.filter((line, at) => line.startsWith('{"table"') && !lines[at + 1]?.startsWith("["));
    expect(empty.map((line) => JSON.parse(line).table)).toEqual(["inventory_issues"]);
  });

  it("is refused with the line of its fault, without a change", async () => {
    const database = await openTestDatabase();
    onTestFinished(() => database.close());
    await loadFactors(database, REFERENCE_FOLDER);
    await addTenantData(database, { name: "Other", digits: 7, framework: "CDP" });
    const [other = ""] = await selectColumn(database, "SELECT id FROM organizations");
    const at = (table: string) => lines.findIndex((line) => line.startsWith(`{"table":"${table}"`)) + 1;
    const edit = (line: number, change: (text: string) => string) =>
      lines.with(line, change(lines[line] ?? ""));
    const facility = at("facilities");
    const record = at("emission_records");
    const cases: [string[], string][] = [
      [
        lines.slice(0, -1),
        `is not complete. It has ${lines.filter((line) => line.startsWith("[")).length} rows`,
      ],
      [lines.toSpliced(facility - 1, 1), `line ${facility}: expected`],
      [
        edit(facility, (text) => text.replace(id, other)),
        `line ${facility + 1}: expected a row of the organization ${id}`,
      ],
      [edit(record + 300, () => "{"), `line ${record + 301}: expected JSON`],
      [
        edit(record + 300, (text) => text.replace(/"scope_\d"/, '"scope_9"')),
        `line ${record + 301}: invalid input value for enum emission_scope: "scope_9"`,
      ],
      [
        edit(at("users") - 1, (text) => text.replace('"name"', '"is_super_admin"')),
        `line ${at("users")}: expected a table of this version`,
      ],
      [
        edit(0, (text) => text.replace(/"migration":"\d+/, '"migration":"2020')),
        "line 1: the file has the migration 2020",
      ],
      [lines.with(record + 1, lines[record] ?? ""), "duplicate key value"],
      [[], "line 1: expected JSON"],
      [["{}"], "line 1: expected a file of organizations export"],
    ];
    const path = join(folder, "bad.jsonl");
    const before = await readRules(database);
    for (const [content, message] of cases) {
      await writeFile(path, `${content.join("\n")}\n`);
      await expect(importFile(database, path)).rejects.toThrow(message);
    }
    expect(await selectColumn(database, "SELECT slug FROM organizations")).toEqual(["other"]);
    expect(await readRules(database)).toEqual(before);

    await importFile(database, file);
    await expect(importFile(database, file)).rejects.toThrow('The organization "demo" already exists.');
    await removeOrganization(database, "demo", async () => undefined);
    await expect(importFile(database, file)).rejects.toThrow("its audit trail was kept");
  });

  it("gives nobody the id of a former account", async () => {
    const database = await openTestDatabase();
    onTestFinished(() => database.close());
    await loadFactors(database, REFERENCE_FOLDER);
    const { slug } = await createOrganization(database, { slug: "other", name: "Other" });
    const olga = "SELECT id FROM users WHERE email = 'olga@example.org'";
    const [former = ""] = await selectColumn(source.database, olga);
    await runSql(
      database,
      "INSERT INTO member_history SELECT id, $2::uuid FROM organizations WHERE slug = $1",
      slug,
      former,
    );
    const { uninvited } = await importFile(database, file);
    expect(uninvited.map(({ email }) => email)).toEqual(["ada@example.org", "olga@example.org"]);
    expect(await selectColumn(database, "SELECT email FROM users")).toEqual(["ada@example.org"]);
  });

  it("moves by commands, once the target has the factors that it uses", async () => {
    const commands = await makeCommandDatabase();
    onTestFinished(() => commands.close());
    const run = (...args: string[]) => runCommand(args, { env: commands.env, cwd: folder });
    expect(await run("organizations", "import", file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Run load-factors"),
    });
    expect(await run("load-factors")).toMatchObject({ code: 0 });
    expect((await run("organizations", "import", file)).stdout).toMatch(
      /^Imported demo: \d+ rows\.\nThese people got an account without a password; users sign-in-link lets them in:(\n {2}\S+@example\.org \(\w+\))+\n$/,
    );
    const again = await run("organizations", "export", "demo", "--output", "again.jsonl");
    expect(again.stdout).toMatch(/^again\.jsonl: \d+ rows of demo\.\n$/);
    expect(await run("organizations", "export", "demo", "--output", "again.jsonl")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("again.jsonl exists."),
    });
    const nowhere = await run("organizations", "export", "demo", "--output", "nowhere/again.jsonl");
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("Failed: ENOENT") });
    expect(await run("users", "erase", "ada@example.org")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("About to erase Ada"),
    });
    expect((await run("users", "erase", "ada@example.org", "--yes")).stdout).toMatch(/^Erased the person\./);

    await run("users", "create", "--super-admin", "--email", "root@example.org");
    expect(await run("users", "erase", "root@example.org", "--yes")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Warning: this is the only super admin."),
    });
    await run(...list("users create --organization demo --email Invited@example.org --role viewer"));
    expect((await run("users", "erase", "invited@example.org", "--yes")).stdout).toBe(
      "Erased the invitations and requests to verify of this person, who has no account.\n",
    );
    expect(await run("users", "erase", "invited@example.org", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no user"),
    });
  });
});
