import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import type { SqlSession } from "../../src/data/database/types.js";
import { createWriteQueues } from "../../src/data/database/write-queues.js";
import { refusalOf } from "../access/visitor.js";
import { requireQuickNeighbour } from "../fuzz/neighbour.js";
import { migratedFolder } from "../support/command-database.js";
import { addFacility } from "../support/fixtures.js";
import { HEADER, importCsv, saveCsv } from "../support/importing.js";
import { addMember, signIn, signUp, type TestPerson } from "../support/people.js";
import { runGateway, startProcess } from "../support/process.js";
import { type Envelope, makeKey, makeOrganization, startGateway } from "../support/server.js";
import { useFolder, useGateway } from "../support/use.js";

const MAX_BYTES = 1_000_000;
const TIMEOUTS = { headersMs: 3_000, bodyMs: 1_000, longBodyMs: 60_000, answerMs: 30_000 };
const PATIENCE = { timeout: 60_000, interval: 20 };
const isServer = inject("template").kind === "postgres";

const folder = useFolder();
const gateway = useGateway({ env: { IMPORT_MAX_BYTES: String(MAX_BYTES) } });

const ROWS = `${HEADER}\n2026-03-01,scope_1,12.5,,,,a\n2026-03-31,scope_3,2,,,,\n`;
const SUMMARY = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  dry_run: false,
  rows: 2,
  inserted: 2,
  updated: 0,
  already_present: 0,
  facilities_created: 0,
  skipped: 0,
  rounded: 0,
  co2e_tonnes_exact: { scope_1: "12.5", scope_2: "0", scope_3: "2", total: "14.5" },
  first_day: "2026-03-01",
  last_day: "2026-03-31",
  dated_ahead: 0,
  columns: HEADER.split(",").map((name) => ({ name, read_as: name })),
  questions: [],
};

describe("without a writable folder for temporary files", () => {
  it("imports are refused with the reason, the start says so, and so does doctor", async () => {
    const TMPDIR = join(folder, "none");
    const { failures, checks } = JSON.parse(
      (await runGateway(["doctor", "--json"], { env: { TMPDIR, DATA_DIR: folder } })).stdout,
    );
    expect([failures, checks.find(({ check }: { check: string }) => check === "temporary files")]).toEqual([
      1,
      {
        check: "temporary files",
        status: "failure",
        message: expect.stringMatching(
          /^The folder for temporary files \(.*none\) cannot be written: ENOENT/,
        ),
        mend: expect.stringContaining("Set TMPDIR"),
      },
    ]);
    const before = process.env["TMPDIR"];
    const own = await startGateway();
    const ada = await signUp(own);
    process.env["TMPDIR"] = TMPDIR;
    try {
      const { status, headers, body } = await send(ada, ROWS);
      expect([status, headers.get("retry-after"), body.error]).toEqual([
        503,
        "30",
        {
          code: "INTERNAL_ERROR",
          message:
            "The gateway cannot store files, because its folder for temporary files cannot be written (ENOENT). Nothing was changed.",
        },
      ]);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
      await own.stop();
    }
    const serving = await startProcess({ env: { TMPDIR, DATA_DIR: await migratedFolder() } });
    await expect
      .poll(() => serving.log().map(({ msg }) => msg), PATIENCE)
      .toContainEqual(expect.stringMatching(/^imports and exports fail: The folder for temporary files /));
    await serving.stop("SIGKILL");
  });
});

/** Sends an import; a string is sent as CSV. */
const send = (person: Pick<TestPerson, "call">, body: string | FormData, query = "") =>
  person.call<Envelope>(`/v1/emissions/import${query}`, {
    method: "POST",
    body,
    ...(typeof body === "string" && { headers: { "Content-Type": "text/csv" } }),
  });
const formOf = (text: string, name = "records.csv") => {
  const form = new FormData();
  form.append("file", new Blob([text], { type: "text/csv" }), name);
  return form;
};
const detailsOf = ({ error }: Envelope) =>
  (error as unknown as { details: { path: string; message: string }[] }).details;
const recordsOf = async ({ organization: { id: organizationId } }: TestPerson) =>
  gateway.database.prisma.emissionRecord.count({ where: { organizationId } });
const importsOf = async ({ organization: { id: organizationId } }: TestPerson) =>
  gateway.database.prisma.import.findMany({ where: { organizationId }, select: { file: true, added: true } });

/** Begins an import over its own connection: sends the headers, and a part of the body after 100 Continue. */
async function begin(
  person: TestPerson,
  part: string,
  headers = `Content-Length: ${part.length + 10}`,
  url = gateway.url,
) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on("error", () => undefined).on("data", (chunk: Buffer) => chunks.push(chunk));
  const read = () => Buffer.concat(chunks).toString().split("HTTP/1.1 100 Continue\r\n\r\n");
  const head = [
    "POST /v1/emissions/import HTTP/1.1",
    "Host: x",
    "Content-Type: text/csv",
    "Expect: 100-continue",
    headers,
    `Authorization: Bearer ${person.session.token}`,
    "",
    "",
  ];
  socket.write(head.join("\r\n"));
  await expect.poll(read, PATIENCE).toHaveLength(2);
  socket.write(part);
  return {
    socket,
    isAnswered: () => read()[1] !== "",
    async answer() {
      await expect.poll(() => read()[1], PATIENCE).toContain("\r\n\r\n{");
      return read()[1];
    },
  };
}

/** Returns true if the organization has an import in progress, which refuses others. */
const isBusy = async (person: TestPerson) => (await send(person, "", "?dry_run=true")).status === 409;

/** Begins an import, and returns once it is in progress. */
async function hold(person: TestPerson) {
  for (;;) {
    const held = await begin(person, ROWS);
    while (!held.isAnswered()) if (await isBusy(person)) return held;
    // The probe itself held the place, so this import was refused.
  }
}

/** Imports a file, and runs `change` in a separate transaction while the import waits for a lock. */
async function sendHeld(
  person: TestPerson,
  change: (sql: SqlSession, importPid: number | undefined) => Promise<unknown>,
) {
  return gateway.database
    .transaction(async (sql) => {
      // New records reference the organization, so the import waits for the lock on this row.
      const [own] = await sql.query<{ pid: number }>(
        "SELECT pg_backend_pid() AS pid FROM organizations WHERE id = $1::uuid FOR UPDATE",
        [person.organization.id],
      );
      const answer = send(person, ROWS);
      const findWaiting = async () => {
        const [waiting] = await gateway.database.select<{ pid: number }>(
          "SELECT pid FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))",
          [own?.pid],
        );
        return waiting?.pid;
      };
      await expect.poll(findWaiting, PATIENCE).toBeTypeOf("number");
      await change(sql, await findWaiting());
      return { answer };
    })
    .then(({ answer }) => answer);
}

/** Ways to lose the right to import, with the expected response. */
const LOSSES: [what: string, sql: (person: TestPerson) => string, refusal: RegExp][] = [
  [
    "is removed",
    ({ user }) => `DELETE FROM memberships WHERE user_id = '${user.id}'`,
    /^HTTP\/1\.1 401 .*"code":"UNAUTHENTICATED".* no longer a member /s,
  ],
  [
    "becomes a viewer",
    ({ user }) => `UPDATE memberships SET role = 'viewer' WHERE user_id = '${user.id}'`,
    /^HTTP\/1\.1 403 .*"code":"FORBIDDEN","message":"The role viewer lacks the scope write:emissions\."/s,
  ],
  [
    "is signed out",
    ({ session }) => `UPDATE sessions SET revoked_at = now() WHERE id = '${session.id}'`,
    /^HTTP\/1\.1 401 .*"code":"UNAUTHENTICATED".*The session was ended\./s,
  ],
  [
    "is disabled",
    ({ user }) => `UPDATE users SET disabled_at = now() WHERE id = '${user.id}'`,
    /^HTTP\/1\.1 401 .*"code":"UNAUTHENTICATED".*The account is disabled\./s,
  ],
];

describe("POST /v1/emissions/import", () => {
  it.each([
    ["a body", ROWS, "?file=march.csv"],
    ["a form", formOf(ROWS, "march.csv"), ""],
  ])("imports a file sent as %s once, and its records count at once", async (_kind, body, query) => {
    const { organization } = await signUp(gateway);
    const person = await addMember(gateway, organization.slug, "editor");
    const { key } = await makeKey(gateway.database, person.organization.slug);
    const total = async () => (await gateway.rest("/emissions", key)).body.data;
    expect(await total()).toMatchObject({ total_co2e_tonnes: 0 });
    const first = await send(person, body, query);
    expect([first.status, first.body.data]).toEqual([200, SUMMARY]);
    expect(await total()).toMatchObject({ total_co2e_tonnes: 14.5 });
    const again = await send(person, ROWS, query);
    expect(again.body.data).toMatchObject({ inserted: 0, updated: 0, already_present: 2 });
    expect(await importsOf(person)).toEqual(expect.arrayContaining([{ file: "march.csv", added: 2n }]));
    expect(first.headers.get("x-ratelimit-remaining")).toBe("4999");
    expect(again.headers.get("x-ratelimit-remaining")).toBe("4998");
  });

  it("accepts the command's options, and recognizes the command's records", async () => {
    const person = await signUp(gateway);
    const { slug } = person.organization;
    const text = "Meter;Day;Total;Site\n1;31.03.2026;1.234,5678;North\n2;30.04.2026;n/a;North\n";
    const args = [
      "--map",
      "recorded_on=Day",
      "--map",
      "co2e_tonnes=#3",
      "--map",
      "facility=Site",
      "--set",
      "scope=2",
      "--delimiter",
      ";",
      "--decimal-comma",
      "--thousands",
      "--date-format",
      "DD.MM.YYYY",
      "--unit",
      "kg",
      "--round",
      "--blank",
      "n/a",
      "--skip-blank",
      "--create-facilities",
      "--country",
      "IN",
      "--keep-totals",
    ];
    const query =
      "map.recorded_on=Day&map.co2e_tonnes=%233&map.facility=Site&set.scope=2&delimiter=;&decimal_comma=true&thousands=true" +
      "&date_format=DD.MM.YYYY&unit=kg&round=true&blank=n/a&blank=-&skip_blank=true&create_facilities=true&country=IN&keep_totals=true";
    const dry = await send(person, text, `?${query}&dry_run=true`);
    const expected = {
      rows: 2,
      inserted: 1,
      facilities_created: 1,
      skipped: 1,
      rounded: 1,
      co2e_tonnes_exact: { scope_1: "0", scope_2: "1.234568", scope_3: "0", total: "1.234568" },
      columns: [
        { name: "Meter", read_as: null },
        { name: "Day", read_as: "recorded_on" },
        { name: "Total", read_as: "co2e_tonnes" },
        { name: "Site", read_as: "facility" },
      ],
    };
    expect(dry.body.data).toMatchObject({ ...expected, id: null, dry_run: true });
    expect([await recordsOf(person), await importsOf(person)]).toEqual([0, []]);
    expect((await send(person, text, `?${query}`)).body.data).toMatchObject(expected);
    const file = await saveCsv(folder, text);
    expect(await importCsv(gateway.database, file, slug, args)).toMatchObject({ added: 0, unchanged: 1 });
  });

  it("reports every problem by line and column, and imports nothing", async () => {
    const person = await signUp(gateway);
    await addFacility(gateway.database, person.organization.slug, { code: "A" });
    const { status, body } = await send(
      person,
      `${HEADER}\n2026-03-01,scope_1,1,A,,,a\nsoon,scope_1,"1,5",B,,,b\n2026-03-01,scope_1,3,A,,,a\n`,
    );
    expect([status, body.error]).toEqual([
      422,
      {
        code: "VALIDATION_FAILED",
        message: "The file has 4 problems. Nothing was imported.",
        details: [
          {
            path: "line 3, column co2e_tonnes",
            message: expect.stringMatching(/^expected .* \(or decimal_comma=true.*\), got "1,5"$/),
          },
          { path: "line 3, column recorded_on", message: expect.stringContaining('got "soon"') },
          {
            path: "line 3, column facility",
            message: 'expected the code of an existing facility (or create_facilities=true), got "B"',
          },
          { path: "line 4, column reference", message: 'expected a unique reference, got "a", as in line 2' },
        ],
        columns: SUMMARY.columns,
      },
    ]);
    expect(await recordsOf(person)).toBe(0);
    const many = await send(person, `${HEADER}\n${"x,scope_1,1,,,,\n".repeat(150)}`);
    expect(many.body.error).toMatchObject({ details: { length: 100 } });
    expect((await send(person, "Day;Total\n")).body.error).toMatchObject({
      details: [{ path: "line 1", message: expect.stringMatching(/\(or delimiter=;\)/) }],
    });
    expect((await send(person, "")).body.error).not.toHaveProperty("columns");
  });

  const QUOTED = HEADER.replace("scope", '"scope"');
  const wide = "expected at most 1,000 columns, got 1,001";
  const long = "expected a header or row of at most 256 kB, got a longer one";
  it.each([
    ["with too many columns", `${HEADER}${",x".repeat(994)}\n`, 1, wide],
    ["with too many columns, some of them quoted", `\n${QUOTED}${",".repeat(994)}\n`, 2, wide],
    ["with too many columns over several lines", `"\n\n"${",".repeat(600)}"\n"${",".repeat(400)}\n`, 1, wide],
    ["that is too long", `${HEADER},${"x".repeat(262_144)}\n`, 1, long],
    ["that is too long over several lines", `${QUOTED},"${"x\n".repeat(131_072)}"\n`, 1, long],
    ["with a row that is too wide", `${ROWS}\n2026-03-01,scope_1,1${",".repeat(998)}`, 5, wide],
  ])("refuses a file %s before parsing it", async (_what, text, line, message) => {
    const { status, body } = await send(await signUp(gateway), text);
    expect([status, detailsOf(body)]).toEqual([
      422,
      [{ path: `line ${line}`, message: expect.stringContaining(message) }],
    ]);
  });

  it("truncates column names in problems", async () => {
    const name = `Total ${"x".repeat(10_000)}`;
    const text = `recorded_on,scope,${name}\n${"2026-03-01,scope_1,much\n".repeat(100)}`;
    const { body } = await send(await signUp(gateway), text, "?map.co2e_tonnes=%233");
    expect(detailsOf(body)[0]?.path).toBe(`line 2, column ${name.slice(0, 59)}…`);
  });

  it("creates at most 10,000 facilities from a file", async () => {
    const rows = Array.from({ length: 10_002 }, (_, n) => `2026-03-01,1,1,F${n}\n`).join("");
    const { body } = await send(
      await signUp(gateway),
      `recorded_on,scope,co2e_tonnes,facility\n${rows}`,
      "?create_facilities=true&country=IN",
    );
    const message = (code: string) =>
      `expected at most 10,000 new facilities in a file, got one more, "${code}"`;
    expect(detailsOf(body)).toEqual([
      { path: "line 10002, column facility", message: message("F10000") },
      { path: "line 10003, column facility", message: message("F10001") },
    ]);
  });

  it("lists the columns of a file whose header lacks a mapping", async () => {
    const person = await signUp(gateway);
    const { body } = await send(
      person,
      "Day,scope,Total,\n2026-03-01,scope_1,1.5,x\n",
      "?map.recorded_on=Day",
    );
    expect(body.error).toMatchObject({
      details: [{ path: "line 1", message: expect.stringMatching(/^expected a header with co2e_tonnes /) }],
      columns: [
        { name: "Day", read_as: "recorded_on" },
        { name: "scope", read_as: "scope" },
        { name: "Total", read_as: null },
      ],
    });
  });

  it.each([
    ["?unit=stone", /^query\.unit: expected .*, got "stone"$/],
    ["?dry_run=yes&round=1", /^query\.round: expected .*; query\.dry_run: /],
    ["?map.total=Total", /^query\.map\.total: unknown parameter/],
    ["?map.scope=A&set.scope=1", /^query: scope is both mapped and set$/],
    [`?${"ignore=a&".repeat(51)}`, /^query\.ignore: expected at most 50 values, got 51$/],
    ["?country=IN", /^query: country is only for new facilities and needs create_facilities=true$/],
  ])("refuses the query %s", async (query, message) => {
    const { status, body } = await send(await signUp(gateway), ROWS, query);
    expect([status, body.error]).toEqual([
      400,
      { code: "BAD_REQUEST", message: expect.stringMatching(message) },
    ]);
  });

  it.each(["emissions", "compliance", "credits", "market", "verification", "weather"])(
    "accepts only emissions, and names the modules: %s",
    async (module) => {
      const person = await signUp(gateway);
      const { status, body } = await person.call<Envelope>(`/api/v1/${module}/import?dry_run=true`, {
        method: "POST",
        body: ROWS,
        headers: { "Content-Type": "text/csv" },
      });
      const refused = module === "weather" ? [404, "NOT_FOUND"] : [422, "NOT_SUPPORTED_FOR_MODULE"];
      expect([status, body.error?.code]).toEqual(module === "emissions" ? [200, undefined] : refused);
      if (module === "weather")
        expect(body.error?.message).toContain("emissions, compliance, credits, market");
    },
  );

  it("needs a person with write access, on a same-site page", async () => {
    const owner = await signUp(gateway);
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    const { key } = await makeKey(gateway.database, owner.organization.slug);
    const withKey = {
      call: (path: string, init?: object) =>
        gateway.call(path, { ...init, headers: { "X-API-Key": key, "Content-Type": "text/csv" } }),
    };
    expect(refusalOf(await send(viewer, ROWS))).toEqual([403, "FORBIDDEN"]);
    expect(refusalOf(await send(withKey as TestPerson, ROWS))).toEqual([401, "INVALID_KEY"]);
    expect(refusalOf(await send(gateway as unknown as TestPerson, ROWS))).toEqual([401, "UNAUTHENTICATED"]);
    const browser = await signIn(gateway, owner.user, owner.organization, { kind: "browser" });
    const fromElsewhere = await browser.call<Envelope>("/v1/emissions/import", {
      method: "POST",
      body: formOf(ROWS),
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    expect(refusalOf(fromElsewhere)).toEqual([403, "CSRF_REJECTED"]);
    expect(await recordsOf(owner)).toBe(0);
    expect((await send(browser, formOf(ROWS))).status).toBe(200);
  });

  it.each([
    ["of another type", "application/json", "{}", 415],
    ["in another charset", "text/csv; charset=utf-16", ROWS, 415],
    ["of a form without a boundary", "multipart/form-data", ROWS, 400],
    [
      "of a truncated form",
      "multipart/form-data; boundary=b",
      `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${ROWS}`,
      400,
    ],
    ["of a form without the file", "multipart/form-data; boundary=b", "--b--\r\n", 400],
    [
      "of a form with another field",
      "multipart/form-data; boundary=b",
      `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${ROWS}\r\n--b\r\nContent-Disposition: form-data; name="scope"\r\n\r\n1\r\n--b--\r\n`,
      400,
    ],
    [
      "of a form with two files",
      "multipart/form-data; boundary=b",
      `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${ROWS}\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="b.csv"\r\n\r\n${ROWS}\r\n--b--\r\n`,
      400,
    ],
  ])("refuses a body %s", async (_what, type, body, status) => {
    const person = await signUp(gateway);
    const answer = await person.call<Envelope>("/v1/emissions/import", {
      method: "POST",
      body,
      headers: { "Content-Type": type },
    });
    expect(refusalOf(answer)).toEqual([status, "BAD_REQUEST"]);
    expect(await recordsOf(person)).toBe(0);
  });

  it("accepts a file of IMPORT_MAX_BYTES, and stops reading a larger one", async () => {
    const person = await signUp(gateway);
    const fits = `${ROWS}2026-01-01,scope_2,1,,,,${"\n".repeat(MAX_BYTES)}`.slice(0, MAX_BYTES);
    expect((await send(person, fits)).status).toBe(200);
    const announced = await begin(person, "", "Content-Length: 600000000");
    expect(await announced.answer()).toMatch(/^HTTP\/1\.1 413 .*"code":"BAD_REQUEST"/s);
    const piece = "x".repeat(MAX_BYTES + 1);
    const chunked = await begin(
      person,
      `${piece.length.toString(16)}\r\n${piece}\r\n`,
      "Transfer-Encoding: chunked",
    );
    expect(await chunked.answer()).toMatch(/^HTTP\/1\.1 413 /);
    await expect.poll(() => chunked.socket.readableEnded, PATIENCE).toBe(true);
    expect(await recordsOf(person)).toBe(3);
  });

  it("imports one file at a time for an organization", async () => {
    const [person, other] = [await signUp(gateway), await signUp(gateway)];
    const first = await hold(person);
    expect(refusalOf(await send(person, ROWS))).toEqual([
      409,
      "CONFLICT",
      [
        {
          path: "import",
          message: "Another import of the organization is in progress. Try again when it has finished.",
        },
      ],
    ]);
    expect((await send(other, ROWS)).status).toBe(200);
    first.socket.write("\n".repeat(10));
    expect(await first.answer()).toMatch(/^HTTP\/1\.1 200 .*"inserted":2/s);
    expect((await send(person, ROWS)).body.data).toMatchObject({ already_present: 2 });
  });

  it.each([
    [
      "a unit of 128 kB",
      `recorded_on,scope,amount,unit\n2026-01-01,1,5,x${"co2equiv".repeat(16_000)}é\n`,
      "",
    ],
    ["rows of two bytes", `co2e_tonnes\n${"x\n".repeat(60_000)}`, ""],
    [
      "a value too long for every row",
      `co2e_tonnes\n${"1\n".repeat(30_000)}`,
      `&set.category=${"c".repeat(7_000)}`,
    ],
    ["a quote and then many rows of one field", `co2e_tonnes,"category"\n${"\n".repeat(100_000)}x\n`, ""],
    ["quoted rows of several lengths", `co2e_tonnes,source,"category"\n${`"",\n`.repeat(100_000)}x\n`, ""],
  ])("does not block other requests while it reads %s", async (_what, text, more) => {
    const [person, other] = [await signUp(gateway), await signUp(gateway)];
    const { key } = await makeKey(gateway.database, other.organization.slug);
    const query = text.startsWith("co2e")
      ? `?dry_run=true&set.recorded_on=2026-01-01&set.scope=1${more}`
      : "?dry_run=true&map.co2e_tonnes=amount";
    const { status } = await requireQuickNeighbour(
      () => send(person, text, query),
      () => gateway.rest("/emissions", key),
    );
    expect(status).toBe(422);
  });

  it("refuses a file name with NUL", async () => {
    const answer = await send(await signUp(gateway), ROWS, "?file=a%00b");
    expect(refusalOf(answer)).toEqual([400, "BAD_REQUEST"]);
  });

  it("imports a file while those of 41 other organizations stall", async () => {
    for (let count = 0; count < 41; count += 1) await hold(await signUp(gateway));
    expect((await send(await signUp(gateway), ROWS)).status).toBe(200);
  });

  it("imports nothing if the client leaves or truncates the file", async () => {
    const person = await signUp(gateway);
    const left = await hold(person);
    left.socket.destroy();
    await expect.poll(() => isBusy(person), PATIENCE).toBe(false);
    expect(gateway.log().filter(({ level }) => level >= 50)).toEqual([]);
    const cut = await hold(person);
    cut.socket.end();
    expect(await cut.answer()).toMatch(/^HTTP\/1\.1 400 /);
    await expect.poll(() => isBusy(person), PATIENCE).toBe(false);
    expect([await recordsOf(person), await importsOf(person)]).toEqual([0, []]);
  });

  it("waits for a file that keeps arriving, and refuses one that is too slow", async () => {
    const impatient = await startGateway({ database: gateway.database, timeouts: TIMEOUTS });
    onTestFinished(() => impatient.stop());
    const person = await signUp(gateway);
    const row = (n: number) => `2026-03-01,scope_1,1,,,,${"r".repeat(150)}${n}\n`;
    const rows = Array.from({ length: 100 }, (_, n) =>
      Array.from({ length: 60 }, (_, m) => row(n * 60 + m))
        .join("")
        .padEnd(30_000, "\n"),
    );
    const length = rows.join("").length + HEADER.length + 1;
    const steady = await begin(person, `${HEADER}\n`, `Content-Length: ${length}`, impatient.url);
    // Twice as long as a body may take that does not keep arriving.
    for (const part of rows) {
      steady.socket.write(part);
      await delay((2 * TIMEOUTS.bodyMs) / rows.length);
    }
    expect(await steady.answer()).toMatch(/^HTTP\/1\.1 200 .*"inserted":6000/s);
    const slow = await begin(person, ROWS, undefined, impatient.url);
    expect(await slow.answer()).toMatch(
      /^HTTP\/1\.1 408 .*"The request's body took too long to arrive: expected at least 100 kB a second/s,
    );
  });

  it("refuses a file that exceeds the time limit, even if it arrives fast", async () => {
    const timeouts = { ...TIMEOUTS, longBodyMs: 2_000 };
    const impatient = await startGateway({ database: gateway.database, timeouts });
    onTestFinished(() => impatient.stop());
    const person = await signUp(gateway);
    const endless = await begin(person, ROWS, "Content-Length: 500000000", impatient.url);
    while (!endless.isAnswered()) {
      endless.socket.write("\n".repeat(20_000));
      await delay(20);
    }
    expect(await endless.answer()).toMatch(/^HTTP\/1\.1 408 /);
    await expect.poll(() => isBusy(person), PATIENCE).toBe(false);
  });

  it("takes no database connection before the file has arrived", async () => {
    const { database } = gateway;
    let transactions = 0;
    const counting = await startGateway({
      database: {
        ...database,
        transaction(work, options) {
          if (options?.mayTakeLong) transactions += 1;
          return database.transaction(work, options);
        },
      },
    });
    onTestFinished(() => counting.stop());
    const people = await Promise.all(Array.from({ length: 6 }, () => signUp(gateway)));
    const arriving = await Promise.all(people.map((one) => begin(one, ROWS, undefined, counting.url)));
    const last = await signUp(counting);
    expect((await send(last, ROWS, "?dry_run=true")).status).toBe(200);
    expect(transactions).toBe(1);
    for (const { socket } of arriving) socket.write("\n".repeat(10));
    for (const { answer } of arriving) expect(await answer()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(LOSSES)("imports nothing if the person %s while the file arrives", async (_what, sql, refusal) => {
    const { organization } = await signUp(gateway);
    const person = await addMember(gateway, organization.slug, "editor");
    const held = await hold(person);
    await gateway.database.transaction(({ script }) => script(sql(person)));
    held.socket.write("\n".repeat(10));
    expect(await held.answer()).toMatch(refusal);
    expect([await recordsOf(person), await importsOf(person)]).toEqual([0, []]);
  });

  it.runIf(isServer).each(LOSSES)(
    "imports nothing if the person %s while the records are written",
    async (_what, sql, refusal) => {
      const { organization } = await signUp(gateway);
      const person = await addMember(gateway, organization.slug, "editor");
      const answer = await sendHeld(person, ({ script }) => script(sql(person)));
      expect(`HTTP/1.1 ${answer.status} ${JSON.stringify(answer.body)}`).toMatch(refusal);
      expect([await recordsOf(person), await importsOf(person)]).toEqual([0, []]);
    },
  );

  it.runIf(isServer)("answers 503 and imports nothing if PostgreSQL drops the connection", async () => {
    const person = await signUp(gateway);
    const answer = await sendHeld(person, (sql, pid) =>
      sql.query("SELECT pg_terminate_backend($1::int)", [pid]),
    );
    expect([answer.status, answer.headers.has("retry-after")]).toEqual([503, true]);
    expect([await recordsOf(person), await importsOf(person)]).toEqual([0, []]);
    expect((await send(person, ROWS)).status).toBe(200);
  });

  it.runIf(isServer)("answers 409 while another process imports into the organization", async () => {
    const person = await signUp(gateway);
    const other = await startGateway({ database: { ...gateway.database, writeQueues: createWriteQueues() } });
    onTestFinished(() => other.stop());
    const first = await sendHeld(person, async () => {
      const answer = await other.call<Envelope>("/v1/emissions/import", {
        method: "POST",
        body: ROWS,
        headers: { "Content-Type": "text/csv", Authorization: `Bearer ${person.session.token}` },
      });
      expect(refusalOf(answer).slice(0, 2)).toEqual([409, "CONFLICT"]);
    });
    expect(first.status).toBe(200);
  });

  it("audits the import and its records in the person's name", async () => {
    const person = await signUp(gateway);
    await makeOrganization(gateway.database);
    const { body } = await send(person, ROWS);
    const entries = await gateway.database.transaction((sql) =>
      sql.query<{ entry: string }>(
        "SELECT entry FROM audit_entries WHERE organization_id = $1::uuid ORDER BY seq",
        [person.organization.id],
      ),
    );
    const summaries = entries
      .map(({ entry }) => JSON.parse(entry))
      .filter(({ target }) => /^(import|emission_record)$/.test(target.type));
    const of = (id: unknown) => ({ actor: { type: "user", id: person.user.id }, target: { id } });
    expect(summaries).toMatchObject([
      { action: "import.created", ...of((body.data as { id: string }).id) },
      { action: "emission_record.created", ...of(expect.any(String)) },
      { action: "emission_record.created", ...of(expect.any(String)) },
      { action: "import.completed", ...of((body.data as { id: string }).id) },
    ]);
  });
});
