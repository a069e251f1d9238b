import { randomUUID } from "node:crypto";
import pg from "pg";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { changeKey } from "../../src/actions/keys/change-key.js";
import { createKey } from "../../src/actions/keys/create-key.js";
import { readHistory } from "../../src/actions/keys/key-history.js";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import { rotateKey } from "../../src/actions/keys/rotate-key.js";
import { formatHistory } from "../../src/commands/keys/describe.js";
import { createUseRecorder } from "../../src/data/keys/key-uses.js";
import type { StoredKey } from "../../src/data/keys/keys.js";
import { runCommand } from "../support/run-command.js";
import { makeKey, makeOrganization, NOW } from "../support/server.js";
import { useCommandDatabase, useDatabase } from "../support/use.js";

const HOUR = 3_600_000;

describe("the trail of key events", () => {
  let user: string;
  const database = useDatabase();
  beforeAll(async () => {
    const [row] = await sql<{ user: string }>("SELECT session_user::text AS user");
    user = row?.user ?? "";
  });

  const at = () => ({ database, pepper: undefined, now: NOW });
  const sql = <Row>(text: string, values: unknown[] = []) =>
    database.transaction((session) => session.query<Row>(text, values));
  const historyOf = (id: string) => readHistory({ database }, { id });
  /** Returns the kind, command and values of each event. */
  const eventsOf = async (id: string) =>
    (await historyOf(id)).map(({ kind, command, old, new: after }) => [kind, command, old, after]);
  const make = async (slug?: string) => makeKey(database, slug ?? (await makeOrganization(database)));

  it("records everything about a new key but its secret, and the command that created it", async () => {
    const slug = await makeOrganization(database);
    const expiresAt = new Date("2027-01-31T00:00:00.000Z");
    const request = { organization: slug, name: "ERP", tier: "pro" as const, expiresAt };
    const { id, key } = await createKey(at(), { ...request, scopes: ["read:market", "read:credits"] });
    const [organization] = await sql<{ id: string }>("SELECT id FROM organizations WHERE slug = $1", [slug]);
    const history = await historyOf(id);
    expect(history).toEqual([
      {
        id: expect.any(Number),
        at: expect.any(Date),
        keyId: id,
        organizationId: organization?.id,
        organization: slug,
        kind: "created",
        command: "keys create",
        databaseUser: user,
        old: null,
        new: {
          name: "ERP",
          display: `${key.slice(0, 13)}…${key.slice(-4)}`,
          tier: "pro",
          scopes: ["read:market", "read:credits"],
          expires_at: "2027-01-31T00:00:00.000Z",
          revoked_at: null,
        },
      },
    ]);
    const [stored] = await sql<{ hash: string }>("SELECT hash FROM api_keys WHERE id = $1", [id]);
    expect(stored?.hash).toMatch(/^[0-9a-f]{64}$/);
    const rows = JSON.stringify(await sql("SELECT e::text FROM key_events e"));
    for (const secret of [stored?.hash, key.slice(13, -4)]) expect(rows).not.toContain(secret);
  });

  it("records each change separately with the values before and after, and nothing without a change", async () => {
    const { id } = await make();
    await changeKey(at(), id, { tier: "free", scopes: ["read:market"], name: "Renamed" });
    await changeKey(at(), id, { tier: "free", name: "Renamed" });
    await revokeKeyById(at(), id);
    await revokeKeyById(at(), id);
    const [created, ...changes] = await eventsOf(id);
    expect(created?.slice(0, 2)).toEqual(["created", "keys create"]);
    expect(changes).toEqual([
      ["tier changed", "keys update", { tier: "enterprise" }, { tier: "free" }],
      ["scopes changed", "keys update", { scopes: expect.any(Array) }, { scopes: ["read:market"] }],
      ["renamed", "keys update", { name: "test" }, { name: "Renamed" }],
      ["revoked", "keys revoke", { revoked_at: null }, { revoked_at: NOW.toISOString() }],
    ]);
  });

  it.each([0, 1])("records which key a rotation with %i hours of overlap replaced", async (hours) => {
    const old = await make();
    const fresh = await rotateKey(at(), old.id, hours);
    const end = new Date(NOW.getTime() + hours * HOUR).toISOString();
    const [expires_at, revoked_at] = hours === 0 ? [null, end] : [end, null];
    expect((await eventsOf(old.id)).slice(1)).toEqual([
      [
        "rotated",
        "keys rotate",
        { expires_at: null, revoked_at: null, replaced_by: null },
        { expires_at, revoked_at, replaced_by: fresh.id },
      ],
    ]);
    expect(await eventsOf(fresh.id)).toEqual([
      ["created", "keys rotate", null, expect.objectContaining({ name: "test", replaces: old.id })],
    ]);
  });

  it("records a rotation that keeps the expiry", async () => {
    const slug = await makeOrganization(database);
    const expiresAt = new Date(NOW.getTime() + HOUR);
    const { id } = await makeKey(database, slug, { expiresAt });
    await rotateKey(at(), id, 24);
    const same = { expires_at: expiresAt.toISOString(), revoked_at: null };
    expect((await eventsOf(id)).at(-1)?.slice(2)).toEqual([
      { ...same, replaced_by: null },
      { ...same, replaced_by: expect.any(String) },
    ]);
  });

  it("omits a rotation that came too late", async () => {
    const { id } = await make();
    await Promise.allSettled([rotateKey(at(), id, 0), rotateKey(at(), id, 0)]);
    expect((await eventsOf(id)).map(([kind]) => kind)).toEqual(["created", "rotated"]);
  });

  it("never records a key's last use", async () => {
    const [{ id }, late] = [await make(), await make()];
    const failures: unknown[] = [];
    const recordUse = createUseRecorder(database, "api_keys", (error) => failures.push(error));
    recordUse({ id, lastUsedAt: null } as StoredKey, NOW);
    // The time of an earlier request that is recorded later.
    const before = new Date(NOW.getTime() - HOUR);
    recordUse({ id: late.id, lastUsedAt: null } as StoredKey, before);
    const lastUses = async () => {
      const rows = await sql<{ last: Date }>(
        "SELECT last_used_at AS last FROM api_keys WHERE id = ANY($1) ORDER BY 1",
        [[id, late.id]],
      );
      return rows.map(({ last }) => last);
    };
    await expect.poll(lastUses).toEqual([before, NOW]);
    expect(failures).toEqual([]);
    expect(await historyOf(id)).toHaveLength(1);
  });

  it("records plain SQL under the database user's name, also for many keys and for changes that no command makes", async () => {
    const slug = await makeOrganization(database);
    const [first, second] = [await make(slug), await make(slug)];
    const ids = [[first.id, second.id]];
    await sql("UPDATE api_keys SET revoked_at = '2026-11-20T15:30:00+05:30' WHERE id = ANY($1)", ids);
    await sql("UPDATE api_keys SET revoked_at = NULL WHERE id = ANY($1)", ids);
    await sql(
      "UPDATE api_keys SET hash = md5(id::text) || md5(id::text), display = 'x' WHERE id = ANY($1)",
      ids,
    );
    await sql("UPDATE api_keys SET expires_at = '2027-01-01T00:00:00Z' WHERE id = ANY($1)", ids);
    await sql("UPDATE api_keys SET name = name, last_used_at = now() WHERE id = ANY($1)", ids);
    await sql("DELETE FROM api_keys WHERE id = ANY($1)", ids);
    for (const { id, key } of [first, second]) {
      const display = `${key.slice(0, 13)}…${key.slice(-4)}`;
      expect((await eventsOf(id)).slice(1)).toEqual([
        ["revoked", null, { revoked_at: null }, { revoked_at: "2026-11-20T10:00:00.000Z" }],
        ["restored", null, { revoked_at: "2026-11-20T10:00:00.000Z" }, { revoked_at: null }],
        ["hash changed", null, { display }, { display: "x" }],
        ["expiry changed", null, { expires_at: null }, { expires_at: "2027-01-01T00:00:00.000Z" }],
        ["deleted", null, expect.objectContaining({ name: "test", display: "x" }), null],
      ]);
      expect((await historyOf(id)).map((event) => event.databaseUser)).toEqual(Array(6).fill(user));
    }
  });

  it("does not attribute later statements of the same connection to an earlier command", async () => {
    const { id } = await make();
    for (let round = 0; round < 12; round += 1) {
      await changeKey(at(), id, { name: `round ${round}` });
      await sql("UPDATE api_keys SET name = 'by hand' WHERE id = $1", [id]);
    }
    expect((await eventsOf(id)).slice(1).map(([, command]) => command)).toEqual(
      Array.from({ length: 12 }, () => ["keys update", null]).flat(),
    );
  });

  it("is visible to both organizations if plain SQL moves a key", async () => {
    const [from, to] = [await makeOrganization(database), await makeOrganization(database)];
    const { id } = await make(from);
    await sql(
      "UPDATE api_keys SET organization_id = (SELECT id FROM organizations WHERE slug = $1) WHERE id = $2",
      [to, id],
    );
    const kinds = async (organization: string) =>
      (await readHistory({ database }, { organization })).map(({ kind, keyId }) => [kind, keyId]);
    expect(await kinds(from)).toEqual([
      ["created", id],
      ["moved", id],
    ]);
    expect(await kinds(to)).toEqual([["moved", id]]);
  });

  it("outlives an organization: it can be read by the former slug or the key's id", async () => {
    const slug = await makeOrganization(database);
    const { id } = await make(slug);
    await sql("DELETE FROM organizations WHERE slug = $1", [slug]);
    const history = await historyOf(id);
    expect(history.map(({ kind, organization }) => [kind, organization])).toEqual([
      ["created", slug],
      ["deleted", null],
    ]);
    expect(await readHistory({ database }, { organization: slug })).toEqual(history);
  });

  it.each([
    "UPDATE key_events SET kind = 'renamed'",
    "UPDATE key_events SET kind = 'renamed' WHERE false",
    "DELETE FROM key_events",
    "TRUNCATE key_events",
    "INSERT INTO key_events SELECT * FROM key_events ON CONFLICT (id) DO UPDATE SET kind = 'renamed'",
  ])("only grows: %s", async (statement) => {
    await make();
    const before = await sql("SELECT * FROM key_events ORDER BY id");
    await expect(sql(statement)).rejects.toThrow("key_events only grows");
    expect(await sql("SELECT * FROM key_events ORDER BY id")).toEqual(before);
  });

  it("is rolled back with the change that it records", async () => {
    const { id } = await make();
    const failing = database.transaction(async (session) => {
      await session.query("UPDATE api_keys SET name = 'x' WHERE id = $1", [id]);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await historyOf(id)).toHaveLength(1);
  });

  it("prints as a table in which no name can imitate another column or line", async () => {
    const slug = await makeOrganization(database);
    const { id, key } = await makeKey(database, slug, { name: "ERP", scopes: ["read:market"] });
    await changeKey(at(), id, { tier: "free" });
    await sql("UPDATE api_keys SET name = $2 WHERE id = $1", [id, "Two\nlines, tier free"]);
    const history = await historyOf(id);
    const [first, second, third] = history.map((event) => `${event.at.toISOString()}  ${id}`);
    const display = `${key.slice(0, 13)}…${key.slice(-4)}`;
    const by = `keys create (${user})`.length;
    const event = (kind: string, from: string) => `${kind.padEnd(12)}  ${from.padEnd(by)}`;
    const lines = formatHistory(history).split("\n");
    expect(lines[0]?.split(/ +/)).toEqual(["at", "key", "event", "by", "change"]);
    expect(lines[1]).toContain(`${first}  ${event("created", `keys create (${user})`)}  `);
    expect(lines[1]).toContain("name ERP, ");
    expect(lines[1]).toContain(`display ${display}`);
    expect(lines.slice(2)).toEqual([
      `${second}  ${event("tier changed", `keys update (${user})`)}  tier enterprise → free`,
      `${third}  ${event("renamed", `SQL (${user})`)}  name ERP → "Two\\nlines, tier free"`,
    ]);
  });

  it.runIf(inject("template").kind === "postgres")(
    "is written for a role that may not write it, and cannot be diverted to a temporary table",
    async () => {
      const { id } = await make();
      const role = `gateway_test_${randomUUID().replaceAll("-", "").slice(0, 12)}`;
      await database.transaction(({ script }) =>
        script(`CREATE ROLE ${role} LOGIN; GRANT SELECT, UPDATE ON api_keys TO ${role}`),
      );
      const url = new URL(database.url ?? "");
      [url.username, url.password] = [role, ""];
      const client = new pg.Client({ connectionString: url.href });
      try {
        await client.connect();
        await client.query(
          "CREATE TEMPORARY TABLE key_events (key_id uuid, organization_id uuid, organization text, kind text, command text, database_user text, old jsonb, new jsonb)",
        );
        await client.query("UPDATE public.api_keys SET tier = 'free' WHERE id = $1", [id]);
        await expect(client.query("SELECT * FROM public.key_events")).rejects.toThrow("permission denied");
        await expect(client.query("DELETE FROM public.key_events")).rejects.toThrow("permission denied");
      } finally {
        await client.end();
        await database.transaction(({ script }) => script(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
      }
      expect((await historyOf(id)).at(-1)).toMatchObject({
        kind: "tier changed",
        databaseUser: role,
        command: null,
      });
    },
  );

  it("records a swapped hash, even if the transaction claims a rotation", async () => {
    const slug = await makeOrganization(database);
    const [victim, other] = [await make(slug), await make(slug)];
    const claim = `SELECT set_config('gateway.command', 'keys rotate', true), set_config('gateway.rotation', '${victim.id} ${other.id}', true)`;
    const swap =
      "UPDATE api_keys SET hash = repeat('a', 64), revoked_at = '2026-11-20T10:00:00Z' WHERE id = $1";
    await database.transaction(async (session) => {
      await session.query(claim);
      // This transaction has changed this key, but not created it.
      await session.query("UPDATE api_keys SET name = 'touched' WHERE id = $1", [other.id]);
      await session.query(swap, [victim.id]);
    });
    const display = `${victim.key.slice(0, 13)}…${victim.key.slice(-4)}`;
    expect((await eventsOf(victim.id)).slice(1)).toEqual([
      ["hash changed", "keys rotate", { display }, { display }],
      ["revoked", "keys rotate", { revoked_at: null }, { revoked_at: NOW.toISOString() }],
    ]);
  });

  it("loses no keys to TRUNCATE, which is refused", async () => {
    const { id } = await makeKey(database, await makeOrganization(database));
    const truncate = database.transaction(({ script }) => script("TRUNCATE api_keys CASCADE"));
    await expect(truncate).rejects.toThrow("TRUNCATE of api_keys is refused");
    expect((await readHistory({ database }, { id })).map(({ kind }) => kind)).toEqual(["created"]);
  });
});

describe("gateway keys history, as a process", () => {
  let acme: string;
  let id: string;
  const commands = useCommandDatabase();
  beforeAll(async () => {
    await commands.use(async (database) => {
      acme = await makeOrganization(database);
      ({ id } = await makeKey(database, acme));
    });
  });
  const gateway = (...args: string[]) => runCommand(["keys", "history", ...args], { env: commands.env });

  it("prints a table for humans and JSON for programs, by key and by organization", async () => {
    const text = await gateway(id);
    expect(text).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^at .* change\n20\d\d-\S+Z {2}[0-9a-f-]{36} {2}created {2}keys create \(\w+\) {2}.*\n$/,
      ),
    });
    const json = await gateway(id, "--json");
    expect([json.code, json.stderr]).toEqual([0, ""]);
    expect(JSON.parse(json.stdout)).toEqual([
      expect.objectContaining({ key_id: id, organization: acme, kind: "created", command: "keys create" }),
    ]);
    expect((await gateway("--organization", acme, "--json")).stdout).toBe(json.stdout);
  });

  it("refuses unknown arguments, and both or neither of key and organization", async () => {
    const unknown = randomUUID();
    expect(await gateway(unknown)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `There is no current or deleted key with the id ${unknown}. See: npm run gateway -- keys list\n`,
      ),
    });
    expect(await gateway("--organization", "nobody")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'There is no current or deleted organization "nobody". See: npm run gateway -- organizations list\n',
      ),
    });
    expect(await gateway("cgw_live_secret")).toMatchObject({
      code: 1,
      stderr: expect.not.stringContaining("secret"),
    });
    for (const args of [[], [id, "--organization", acme]]) {
      expect(await gateway(...args)).toMatchObject({
        code: 2,
        stderr: "Specify either the id of a key or --organization.\n",
      });
    }
  });
});
