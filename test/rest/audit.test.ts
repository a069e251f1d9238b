import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkTrail } from "../../src/actions/audit-trail.js";
import { AUDIT_ACTIONS } from "../../src/domain/audit-actions.js";
import { blocksOf, readPage } from "../support/pages.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { temporaryFolder } from "../support/process.js";
import { type Envelope, makeKey, startGateway } from "../support/server.js";
import { useGateway } from "../support/use.js";

interface Item {
  readonly seq: number;
  readonly occurred_at: string;
  readonly action: string;
  readonly summary: string;
  readonly entry: string;
  readonly hash: string;
}
interface Page {
  readonly items: Item[];
  readonly next_cursor: string | null;
  readonly head: { seq: number; hash: string } | null;
}

const gateway = useGateway();

const LOG = "/v1/audit/log";
const run = (sql: string) => gateway.database.transaction(({ script }) => script(sql));

/** Creates an organization with four audit entries: itself, its owner and two keys. */
async function makeTrail() {
  const owner = await signUp(gateway);
  const { slug } = owner.organization;
  const keys = [
    await makeKey(gateway.database, slug, { name: "ERP" }),
    await makeKey(gateway.database, slug),
  ];
  return { owner, keys: keys.map(({ id, key }) => ({ id, key })) };
}
async function read(person: TestPerson, query = ""): Promise<Page> {
  const { status, body } = await person.call<Envelope>(`${LOG}${query}`);
  expect([query, status, body.error]).toEqual([query, 200, null]);
  return body.data as Page;
}
const seqs = async (person: TestPerson, query: string) =>
  (await read(person, query)).items.map(({ seq }) => seq);

/** Exports the audit log as lines of JSON. */
async function exportOf(person: TestPerson): Promise<string> {
  const { status, headers, body } = await person.call<string>(`${LOG}/export`);
  expect([status, headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  return body;
}

describe("GET /v1/audit/log", () => {
  it("lists who did what to what and when, latest first", async () => {
    const { owner, keys } = await makeTrail();
    const { status, body } = await owner.call<Envelope>(LOG);
    const [key] = keys;
    const page = body.data as Page;
    const common = {
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      request_id: null,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      entry: expect.stringMatching(/^\{"action":/),
    };
    const sql = { type: "sql", id: null, name: null };
    const command = { type: "command", id: "keys create", name: null };
    const member = { type: "member", id: owner.user.id };
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: {
          items: [
            {
              seq: 4,
              action: "api_key.created",
              summary: expect.stringMatching(/^The operator \(keys create\) created key "/),
              actor: command,
              target: { type: "api_key", id: keys[1]?.id },
            },
            {
              seq: 3,
              action: "api_key.created",
              summary: 'The operator (keys create) created key "ERP"',
              actor: command,
              target: { type: "api_key", id: key?.id },
            },
            {
              seq: 2,
              action: "member.created",
              summary: "Somebody with direct access to the database added Ada Person as Owner",
              actor: sql,
              target: member,
            },
            {
              seq: 1,
              action: "organization.created",
              summary: 'Somebody with direct access to the database created organization "Acme"',
              actor: sql,
              target: { type: "organization", id: owner.organization.id },
            },
          ].map((item, index) => ({
            ...common,
            ...item,
            changes: expect.any(Object),
            prev_hash: page.items[index + 1]?.hash ?? "0".repeat(64),
          })),
          next_cursor: null,
          head: { seq: 4, hash: page.items[0]?.hash },
        },
        error: null,
        meta: expect.any(Object),
      },
    ]);
    for (const { entry, ...item } of page.items) {
      const { changes, occurred_at, seq, action } = JSON.parse(entry) as Record<string, unknown>;
      expect(item).toMatchObject({ changes, occurred_at, seq, action });
    }
  });

  it("shows an actor's current name", async () => {
    const { owner } = await makeTrail();
    await run(`SET LOCAL gateway.actor = 'user ${owner.user.id}'; SET LOCAL gateway.request_id = 'one';
      UPDATE organizations SET name = 'Other' WHERE id = '${owner.organization.id}'`);
    const actor = { type: "user", id: owner.user.id, name: "Ada Person" };
    const renamed = { changes: { name: { from: "Acme", to: "Other" } }, request_id: "one" };
    expect((await read(owner, "?limit=1")).items).toMatchObject([{ seq: 5, actor, ...renamed }]);
    await run(`UPDATE users SET name = 'Ada Married' WHERE id = '${owner.user.id}'`);
    expect((await read(owner, "?limit=1")).items).toMatchObject([
      { actor: { ...actor, name: "Ada Married" } },
    ]);
  });

  it("summarizes each entry in a sentence with current names", async () => {
    const { owner, keys } = await makeTrail();
    const caller = `SET LOCAL gateway.actor = 'user ${owner.user.id}'`;
    await run(`${caller}; UPDATE api_keys SET tier = 'pro' WHERE id = '${keys[0]?.id}'`);
    await run(`${caller}; DELETE FROM api_keys WHERE id = '${keys[1]?.id}'`);
    await run(`UPDATE api_keys SET name = 'SAP' WHERE id = '${keys[0]?.id}'`);
    const summaries = (await read(owner, "?limit=3")).items.map(({ summary }) => summary);
    expect(summaries).toEqual([
      'Somebody with direct access to the database changed the name of key "SAP" from "ERP" to "SAP"',
      expect.stringMatching(/^Ada Person deleted key "/),
      'Ada Person changed the limit of key "SAP" from Enterprise to Pro',
    ]);
  });

  it("combines filters by time, actor, action and target", async () => {
    const { owner, keys } = await makeTrail();
    const [key] = keys;
    const { items } = await read(owner);
    const [, third, second] = items;
    const [from, to] = [third?.occurred_at, second?.occurred_at];
    const day = third?.occurred_at.slice(0, 10);
    const isBefore = (item: Item, time = "") => item.occurred_at < time;
    const of = (keep: (item: Item) => boolean) => items.filter(keep).map(({ seq }) => seq);
    expect(await seqs(owner, `?from=${from}`)).toEqual(of((item) => !isBefore(item, from)));
    expect(await seqs(owner, `?to=${to}`)).toEqual(of((item) => isBefore(item, to)));
    // Both days count in full.
    expect(
      await seqs(
        owner,
        `?from=${items.at(-1)?.occurred_at.slice(0, 10)}&to=${items[0]?.occurred_at.slice(0, 10)}`,
      ),
    ).toEqual([4, 3, 2, 1]);
    expect(await seqs(owner, `?from=${day}T00:00:00%2B14:00&to=2999-12-30`)).toContain(4);
    expect(await seqs(owner, "?to=2020-01-01")).toEqual([]);
    expect(await seqs(owner, "?actor=keys%20create")).toEqual([4, 3]);
    expect(await seqs(owner, "?action=member.created")).toEqual([2]);
    expect(await seqs(owner, "?target_type=api_key")).toEqual([4, 3]);
    expect(await seqs(owner, `?target_type=api_key&target_id=${key?.id}&actor=keys%20create`)).toEqual([3]);
    expect(await seqs(owner, `?target_type=member&target_id=${key?.id}`)).toEqual([]);
  });

  it("filters by actor and by target type through an index", async () => {
    const { owner } = await makeTrail();
    const { organization, user } = owner;
    const plans: string[] = [];
    const undo = new Error("undo");
    const attempt = gateway.database.transaction(async ({ script, query }) => {
      await script(`ALTER TABLE audit_entries DISABLE TRIGGER ALL;
        INSERT INTO audit_entries SELECT '${organization.id}', 1000 + n, now(), 'facility.updated', 'user',
          'somebody', 'facility', n::text, NULL, 'x', '{}', repeat('0', 64), encode(sha256(n::text::bytea), 'hex')
        FROM generate_series(1, 6000) AS n; ANALYZE audit_entries;`);
      for (const condition of [`e.actor_id = '${user.id}'`, "e.target_type = 'member'"]) {
        const plan =
          await query(`EXPLAIN SELECT e.seq FROM audit_entries AS e CROSS JOIN string_to_table('1', ',')
          WHERE e.organization_id = '${organization.id}' AND ${condition} ORDER BY e.seq DESC LIMIT 101`);
        plans.push(JSON.stringify(plan));
      }
      throw undo;
    });
    await expect(attempt).rejects.toBe(undo);
    expect(plans).toEqual([
      expect.stringContaining("audit_entries_organization_id_actor_id_seq_idx"),
      expect.stringContaining("audit_entries_organization_id_target_type_seq_idx"),
    ]);
  });

  it("pages through every entry once while entries are added", async () => {
    const { owner } = await makeTrail();
    const first = await read(owner, "?limit=3");
    await makeKey(gateway.database, owner.organization.slug);
    const second = await read(owner, `?limit=3&cursor=${first.next_cursor}`);
    expect([first, second].map(({ items }) => items.map(({ seq }) => seq))).toEqual([[4, 3, 2], [1]]);
    expect([second.next_cursor, second.head?.seq]).toEqual([null, 5]);
  });

  const times = "expected a date or a time in ISO 8601, such as 2026-11-20 or 2026-11-20T10:00:00Z";
  const actions = AUDIT_ACTIONS.join(", ");
  it.each([
    ["actr=x", "query.actr: unknown parameter. Did you mean actor?"],
    ["limit=0", 'query.limit: expected a whole number from 1 to 100, got "0"'],
    ["limit=101", 'query.limit: expected a whole number from 1 to 100, got "101"'],
    ["from=yesterday", `query.from: ${times}, got "yesterday"`],
    ["to=2026-02-30", `query.to: ${times}, got "2026-02-30"`],
    ["to=2026-11-20T10:00:00", `query.to: ${times}, got "2026-11-20T10:00:00"`],
    ["from=0001-01-01", "query.from: expected a time in the years 1000 to 2999"],
    ["to=9999-12-31", "query.to: expected a time in the years 1000 to 2999"],
    [
      "from=2026-11-21&to=2026-11-20T10:00:00Z",
      "query.to: expected 2026-11-21T00:00:00.000Z or later, got 2026-11-20T10:00:00.000Z",
    ],
    ["action=key.created", `query.action: expected one of ${actions}, got "key.created"`],
    ["actor=%00", "query.actor: expected text without NUL characters, got text with one"],
    ["target_id=a&target_id=b", "query.target_id: expected one value, got 2"],
    [
      "cursor=WzFd",
      'query.cursor: expected next_cursor of this list, got "WzFd", which was altered, or belongs to another filter, order or organization',
    ],
  ])("refuses ?%s", async (query, message) => {
    const { owner } = await makeTrail();
    const { status, body } = await owner.call<Envelope>(`${LOG}?${query}`);
    expect([status, body.error]).toEqual([400, { code: "BAD_REQUEST", message }]);
  });
});

describe("the audit trail in the graph", () => {
  it("shows entries that others added since the last read", async () => {
    const { owner } = await makeTrail();
    const latest = async () =>
      (await owner.graphql("{ auditLog { entries(first: 1) { nodes { seq action } } } }")).body.data.auditLog
        .entries.nodes[0];
    const before = await latest();
    await gateway.database.prisma.organization.update({
      where: { id: owner.organization.id },
      data: { name: "Renamed by somebody else" },
    });
    expect(await latest()).toEqual({ seq: before.seq + 1, action: "organization.updated" });
  });
});

describe("the audit trail over HTTP", () => {
  const paths = [LOG, `${LOG}/verify`, `${LOG}/export`];

  it.each(paths)(
    "serves GET and HEAD at both prefixes, and answers 405 to other methods: %s",
    async (path) => {
      const { owner } = await makeTrail();
      expect((await owner.call(`/api${path}`)).status).toBe(200);
      const head = await owner.call(path, { method: "HEAD" });
      expect([head.status, head.body]).toEqual([200, ""]);
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const { status, headers } = await owner.call(path, { method });
        expect([method, status, headers.get("allow")]).toEqual([method, 405, "GET, HEAD, OPTIONS"]);
      }
    },
  );

  it("shows nothing of another organization", async () => {
    const [{ owner }, other] = [await makeTrail(), await makeTrail()];
    const { owner: stranger } = other;
    const foreign = await read(stranger, "?limit=1");
    const answers = [
      await read(owner),
      await read(owner, `?target_id=${other.keys[0]?.id}`),
      (await owner.call(`${LOG}/verify`)).body,
      await exportOf(owner),
      (
        await owner.graphql(
          `{ auditLog { id head { hash } verification { head { hash } }
             entries(first: 100) { totalCount edges { cursor node { id entry } } } } }`,
        )
      ).body,
    ];
    const text = JSON.stringify(answers);
    expect(text).toContain(owner.organization.id);
    for (const theirs of [stranger.organization.id, stranger.user.id, other.keys[0]?.id, foreign.head?.hash])
      expect(text).not.toContain(theirs);
    const cursor = `?limit=1&cursor=${foreign.next_cursor}`;
    expect((await owner.call<Envelope>(`${LOG}${cursor}`)).status).toBe(400);
  });
});

/** Changes an organization's trail with the triggers off, as only the owner of the schema can. */
const tamper = ({ organization: { id } }: TestPerson, statement: string) =>
  run(`ALTER TABLE audit_entries DISABLE TRIGGER USER; ALTER TABLE audit_heads DISABLE TRIGGER USER;
       ${statement.replaceAll("$own", `organization_id = '${id}'`).replaceAll("$id", id)};
       ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER audit_entries_refuse_change;
       ALTER TABLE audit_heads ENABLE ALWAYS TRIGGER audit_heads_refuse_change`);

describe("GET /v1/audit/log/verify", () => {
  const verify = async (person: TestPerson) => (await person.call<Envelope>(`${LOG}/verify`)).body.data;

  it("confirms that no entry was altered", async () => {
    const { owner } = await makeTrail();
    const { head } = await read(owner);
    expect(await verify(owner)).toEqual({
      ok: true,
      entries: 4,
      first_broken_seq: null,
      head,
      verified_from_seq: 1,
      last_full_check_at: null,
    });
  });

  it("checks entries since the last full check, whose last entry must still exist", async () => {
    const { owner } = await makeTrail();
    await checkTrail(gateway.database, owner.organization.id);
    await makeKey(gateway.database, owner.organization.slug);
    const { head } = await read(owner);
    const checked = { verified_from_seq: 5, last_full_check_at: expect.stringMatching(/^\d{4}-.+Z$/) };
    const whole = { ok: true, entries: 5, first_broken_seq: null, head, ...checked };
    expect(await verify(owner)).toEqual(whole);

    // Only a full check finds this; the gateway runs one daily.
    await tamper(
      owner,
      `UPDATE audit_entries SET entry = replace(entry, '"owner"', '"viewer"') WHERE $own AND seq = 2`,
    );
    expect(await verify(owner)).toEqual(whole);
    await expect(checkTrail(gateway.database, owner.organization.id)).rejects.toThrow("broken at entry 2");
    const broken = { ok: false, entries: 1, first_broken_seq: 2, head, ...checked, verified_from_seq: 1 };
    expect(await verify(owner)).toEqual(broken);
    await tamper(
      owner,
      `UPDATE audit_entries SET entry = replace(entry, '"viewer"', '"owner"') WHERE $own AND seq = 2`,
    );
    expect(await verify(owner)).toEqual({ ...whole, verified_from_seq: 1 });
    await checkTrail(gateway.database, owner.organization.id);
    expect(await verify(owner)).toEqual({ ...whole, verified_from_seq: 6 });

    await tamper(
      owner,
      `DELETE FROM audit_entries WHERE $own AND seq > 3;
       UPDATE audit_heads SET seq = 3, hash = (SELECT hash FROM audit_entries WHERE $own AND seq = 3) WHERE chain = '$id'`,
    );
    expect(await verify(owner)).toMatchObject({ ok: false, entries: 3, first_broken_seq: 4 });
    await expect(checkTrail(gateway.database, owner.organization.id)).rejects.toThrow("broken at entry 4");
    expect(await verify(owner)).toMatchObject({ ok: false, entries: 3, first_broken_seq: 4 });
  });

  it("verifies one trail at a time", async () => {
    const { database } = gateway;
    let [reading, max] = [0, 0];
    const other = await startGateway({
      database: {
        ...database,
        async select(text, ...rest) {
          if (!/FROM audit_entries AS e WHERE .+ ORDER BY e.seq/s.test(text))
            return database.select(text, ...rest);
          reading += 1;
          max = Math.max(max, reading);
          await new Promise(setImmediate);
          return database.select<never>(text, ...rest).finally(() => {
            reading -= 1;
          });
        },
      },
    });
    const owners = await Promise.all(Array.from({ length: 6 }, makeTrail));
    const answers = await Promise.all(
      owners.map(({ owner }) =>
        fetch(`${other.url}${LOG}/verify`, { headers: { Authorization: `Bearer ${owner.session.token}` } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(owners.map(() => 200));
    expect(max).toBe(1);
    await other.stop();
  });

  it.each([
    [
      "an edited entry",
      `UPDATE audit_entries SET entry = replace(entry, '"owner"', '"viewer"') WHERE $own AND seq = 2`,
      2,
    ],
    ["an entry that is not JSON", "UPDATE audit_entries SET entry = 'x' WHERE $own AND seq = 3", 3],
    [
      "an unknown actor",
      "UPDATE audit_entries SET actor_type = 'user', actor_id = 'x' WHERE $own AND seq = 3",
      3,
    ],
    ["a truncated tail", "DELETE FROM audit_entries WHERE $own AND seq > 2", 3],
  ])("names the first broken entry, and leaves the rest readable: %s", async (_what, statement, broken) => {
    const { owner } = await makeTrail();
    const { head } = await read(owner);
    await tamper(owner, statement);
    const found = { ok: false, entries: broken - 1, first_broken_seq: broken, head };
    expect(await verify(owner)).toMatchObject(found);
    expect((await read(owner)).items.length).toBeGreaterThanOrEqual(2);
  });
});

describe("GET /v1/audit/log/export", () => {
  /** Runs the program in docs/verification.md. */
  async function check(lines: string) {
    const [program = ""] = blocksOf(await readPage("docs/verification.md"), "js");
    expect(program.trim().split("\n").length).toBeLessThanOrEqual(10);
    const file = join(temporaryFolder(), "check.mjs");
    await writeFile(file, program);
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
      input: lines,
      encoding: "utf8",
    });
    return { status, said: stdout + stderr };
  }
  /** Adds `count` keys by plain SQL, with an audit entry each. */
  const addEntries = ({ organization }: TestPerson, count: number) =>
    Promise.all(
      Array.from({ length: count / 50 }, () =>
        run(`INSERT INTO api_keys (organization_id, name, hash, display, tier, scopes)
             SELECT '${organization.id}', 'many é', md5(random()::text) || md5(random()::text), 'x', 'free', '{read:emissions}'
             FROM generate_series(1, 50)`),
      ),
    );

  it("exports every entry, oldest first; the ten-line program in the docs verifies it", async () => {
    const { owner } = await makeTrail();
    await addEntries(owner, 250);
    const { head, items } = await read(owner, "?limit=100");
    const text = await exportOf(owner);
    const lines = text.trimEnd().split("\n");
    expect(lines).toHaveLength(254);
    const last = items[0];
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({
      entry: last?.entry,
      prev_hash: items[1]?.hash,
      hash: last?.hash,
    });
    expect(await check(text)).toEqual({
      status: 0,
      said: `254 entries, all intact. Head: 254:${head?.hash}\n`,
    });
    const edited = [...lines];
    edited[99] = (edited[99] ?? "").replace("many", "more");
    expect(await check(edited.join("\n"))).toEqual({
      status: 1,
      said: expect.stringContaining("Entry 100 is not as it was written."),
    });
    const missing = lines.toSpliced(9, 1).join("\n");
    expect(await check(missing)).toEqual({
      status: 1,
      said: expect.stringContaining("Entry 10 is not as it was written."),
    });
  });

  it("exports nothing for a chain without entries", async () => {
    const { owner } = await makeTrail();
    await tamper(owner, "DELETE FROM audit_entries WHERE $own; DELETE FROM audit_heads WHERE chain = '$id'");
    expect(await exportOf(owner)).toBe("");
    expect(await read(owner)).toEqual({ items: [], next_cursor: null, head: null });
  });

  /** Starts a gateway on the same database that awaits `next` before each further page of an export. */
  async function startWith(next: () => Promise<unknown>) {
    const { database } = gateway;
    let pages = 0;
    const other = await startGateway({
      database: {
        ...database,
        async select(text, ...rest) {
          if (/ORDER BY seq ASC/.test(text)) {
            pages += 1;
            if (pages > 1) await next();
          }
          return database.select(text, ...rest);
        },
      },
    });
    const { owner } = await makeTrail();
    await addEntries(owner, 250);
    const lines = (signal?: AbortSignal, { session }: TestPerson = owner) => {
      const headers = { Authorization: `Bearer ${session.token}` };
      return fetch(`${other.url}${LOG}/export`, { headers, ...(signal && { signal }) });
    };
    const isLogged = (fields: object) =>
      expect.poll(() => other.log()).toContainEqual(expect.objectContaining(fields));
    return { other, owner, lines, isLogged, pages: () => pages };
  }

  it("is described as NDJSON in /openapi.json, with an example line", async () => {
    const { body } = await gateway.call<{
      paths: Record<string, { get: { responses: { 200: { content: object } } } }>;
      components: { schemas: Record<string, { required: string[] }> };
    }>("/openapi.json");
    expect(body.paths["/audit/log/export"]?.get.responses[200].content).toEqual({
      "application/x-ndjson": {
        schema: { $ref: "#/components/schemas/AuditLogExportLine" },
        example: { entry: expect.any(String), prev_hash: "0".repeat(64), hash: expect.any(String) },
      },
    });
    expect(body.components.schemas["AuditLogExportLine"]?.required).toEqual(["entry", "prev_hash", "hash"]);
  });

  it("stops reading when the client leaves", async () => {
    let goOn: (() => void) | undefined;
    const left = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { other, lines, isLogged, pages } = await startWith(() => left);
    const client = new AbortController();
    const answer = await lines(client.signal);
    await answer.body?.getReader().read();
    client.abort();
    await isLogged({ msg: "request", operation: "audit/log/export", status: 200, aborted: true });
    goOn?.();
    // stop() waits for requests in progress.
    await other.stop();
    expect(pages()).toBe(2);
    expect(other.log().filter(({ level }) => level > 30)).toEqual([]);
  });

  it("cuts the connection of a member who is removed during the export", async () => {
    let remove = async (): Promise<unknown> => undefined;
    const { other, owner, lines, isLogged, pages } = await startWith(() => remove());
    const admin = await addMember(gateway, owner.organization.slug, "admin");
    remove = () => run(`DELETE FROM memberships WHERE user_id = '${admin.user.id}'`);
    const answer = await lines(undefined, admin);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow("terminated");
    await isLogged({ msg: "request", operation: "audit/log/export", aborted: true });
    await other.stop();
    // The page in progress is read, but not the one after it.
    expect(pages()).toBe(2);
  });

  it("cuts the connection when a read fails, and logs the error", async () => {
    const { other, lines, isLogged } = await startWith(() => Promise.reject(new Error("the disk is gone")));
    const answer = await lines();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow("terminated");
    await isLogged({ msg: "request failed", err: expect.objectContaining({ message: "the disk is gone" }) });
    await other.stop();
  });
});
