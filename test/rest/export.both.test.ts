import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import Papa from "papaparse";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { addFacility } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { temporaryFolder } from "../support/process.js";
import { type Envelope, makeKey, startGateway } from "../support/server.js";
import { addServiceAccount } from "../support/service-accounts.js";
import { useGateway } from "../support/use.js";

let person: TestPerson;
let key: string;

/** Values that CSV has to quote or that spreadsheets read as formulas. */
const TEXTS = [
  "Fuel, diesel",
  'The "old" plant',
  "=1+1",
  "'=1",
  "''@home",
  "-",
  "+49 30",
  "'quoted'",
  "Ümläut 💧",
];
const AMOUNTS = ["0", "0.000001", "12.5", "100", "999999999999.999999", "0.1", "33333333.333333"];
const sixDecimals = (amount: string) => {
  const [whole, fraction = ""] = amount.split(".");
  return `${whole}.${fraction.padEnd(6, "0")}`;
};
const RECORDS = Array.from({ length: 60 }, (_, n) => ({
  recorded_on: `2026-0${1 + (n % 9)}-${10 + (n % 7)}`,
  scope: `scope_${1 + (n % 3)}`,
  co2e_tonnes: sixDecimals(AMOUNTS[n % AMOUNTS.length] ?? "0"),
  facility: ["", "=PLANT", "BERLIN", "BERLIN"][n % 4],
  category: n % 5 === 0 ? "" : TEXTS[n % TEXTS.length],
  source: n % 6 === 0 ? "" : TEXTS[(n * 3) % TEXTS.length],
  reference: n % 2 === 0 ? "" : `${TEXTS[n % TEXTS.length]} ${n}`,
}));
const COLUMNS = Object.keys(RECORDS[0] ?? {});
const MICROS = RECORDS.reduce((sum, { co2e_tonnes }) => sum + BigInt(co2e_tonnes.replace(".", "")), 0n);
const SUM = `${MICROS / 1_000_000n}.${String(MICROS % 1_000_000n).padStart(6, "0")}`;

const gateway = useGateway();
beforeAll(async () => {
  person = await signUp(gateway);
  const { slug } = person.organization;
  ({ key } = await makeKey(gateway.database, slug));
  for (const code of ["=PLANT", "BERLIN"]) await addFacility(gateway.database, slug, { code });
  const given = RECORDS.map((record) =>
    Object.fromEntries(Object.entries(record).filter(([, value]) => value !== "")),
  );
  const made = await person.call("/v1/emissions/records", { method: "POST", json: { records: given } });
  expect(made.body.error).toBeNull();
});

const EXPORT = "/v1/emissions/records/export";
const DIGEST = "/v1/emissions/records/digest";
const ask = (path: string, headers: Record<string, string> = { "X-API-Key": key }, url = gateway.url) =>
  fetch(url + path, { headers });

/** Exports records as bytes. */
async function exportOf(query = "", headers?: Record<string, string>) {
  const answer = await ask(EXPORT + query, headers);
  expect([query, answer.status]).toEqual([query, 200]);
  return Buffer.from(await answer.arrayBuffer());
}
async function digestOf(who: TestPerson, query = "") {
  const { body } = await who.call<Envelope>(DIGEST + query);
  expect(body.error).toBeNull();
  return body.data as { rows: number; co2e_tonnes_exact: string; digest: string; seq: number };
}
const sortedLines = (csv: Buffer) => csv.toString().trimEnd().split("\n").toSorted();
const parsed = (csv: Buffer) =>
  Papa.parse<Record<string, string>>(csv.toString().trimEnd(), { header: true }).data;
const byText = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted();

describe("GET /v1/emissions/records/export", () => {
  it("exports each record once, with every digit, as CSV that a standard parser reads", async () => {
    const rows = parsed(await exportOf("?guard=false"));
    expect(byText(rows)).toEqual(byText(RECORDS));
    expect(rows.map((row) => row["recorded_on"])).toEqual(RECORDS.map((row) => row.recorded_on).toSorted());
  });

  it("prefixes formulas with an apostrophe in CSV, but in no other format", async () => {
    const guarded = byText(RECORDS).map((row) => row.replace(/:"('*[=+\-@])/g, `:"'$1`));
    expect(byText(parsed(await exportOf()))).toEqual(guarded.toSorted());
    expect((await exportOf("?format=ndjson")).toString()).toContain('"category":"=1+1"');
  });

  it("round-trips through an import into an empty organization", async () => {
    const other = await signUp(gateway);
    const csv = await exportOf();
    const { body } = await other.call<Envelope>("/v1/emissions/import?create_facilities=true&country=DE", {
      method: "POST",
      headers: { "Content-Type": "text/csv" },
      body: csv,
    });
    expect(body).toMatchObject({ error: null, data: { inserted: RECORDS.length } });
    const again = await exportOf("", { Authorization: `Bearer ${other.session.token}` });
    expect(sortedLines(again)).toEqual(sortedLines(csv));
    const [{ seq: _, ...first }, { seq: __, ...second }] = [await digestOf(person), await digestOf(other)];
    expect(second).toEqual(first);
    expect(first).toMatchObject({ rows: RECORDS.length, co2e_tonnes_exact: SUM.replace(/0+$/, "") });
  });

  it("keeps the apostrophe of a file imported with literal=true", async () => {
    const other = await signUp(gateway);
    await other.call("/v1/emissions/import?literal=true", {
      method: "POST",
      headers: { "Content-Type": "text/csv" },
      body: "recorded_on,scope,co2e_tonnes,category\n2026-03-01,scope_1,1,'=a\n",
    });
    const bearer = { Authorization: `Bearer ${other.session.token}` };
    expect((await exportOf("?guard=false", bearer)).toString()).toContain(`,"'=a",`);
  });

  it("exports Parquet that DuckDB and hyparquet sum exactly", async () => {
    const file = join(temporaryFolder(), "records.parquet");
    const bytes = await exportOf("?format=parquet");
    await writeFile(file, bytes);
    await writeFile(file.replace("parquet", "csv"), await exportOf("?guard=false"));
    const instance = await DuckDBInstance.create();
    const duck = await instance.connect();
    onTestFinished(() => duck.closeSync());
    const query = async (sql: string) => (await duck.runAndReadAll(sql)).getRowsJson();
    const sums =
      "SELECT count(*)::INT, sum(co2e_tonnes)::VARCHAR, min(typeof(co2e_tonnes)), min(typeof(recorded_on))";
    const csv = file.replace("parquet", "csv");
    const amounts = "types = {'co2e_tonnes': 'DECIMAL(24,6)'}";
    const expected = [[RECORDS.length, SUM, "DECIMAL(24,6)", "DATE"]];
    expect(await query(`${sums} FROM read_parquet('${file}')`)).toEqual(expected);
    expect(await query(`${sums} FROM read_csv('${csv}', ${amounts})`)).toEqual(expected);
    const rows =
      await query(`SELECT * REPLACE (recorded_on::VARCHAR AS recorded_on, co2e_tonnes::VARCHAR AS co2e_tonnes)
      FROM read_parquet('${file}')`);
    const named = rows.map((row) => Object.fromEntries(row.map((value, at) => [COLUMNS[at], value ?? ""])));
    expect(byText(named)).toEqual(byText(RECORDS));

    const buffer = new Uint8Array(bytes).buffer;
    const metadata = await parquetMetadataAsync(buffer);
    const { seq, ...tally } = await digestOf(person);
    expect(
      Object.fromEntries(metadata.key_value_metadata?.map(({ key, value }) => [key, value]) ?? []),
    ).toEqual({
      organization: person.organization.slug,
      filter: "{}",
      seq: String(seq),
      cursor: expect.any(String),
      rows: String(tally.rows),
      co2e_tonnes: tally.co2e_tonnes_exact,
      digest: tally.digest,
    });
    // Reads decimals as bytes, since the library would convert them to floats.
    for (const element of metadata.schema) if (element.name === "co2e_tonnes") delete element.converted_type;
    const read = await parquetReadObjects({ file: buffer, metadata });
    const micros = read.reduce(
      (sum, row) => sum + BigInt(`0x${Buffer.from(row["co2e_tonnes"] as Uint8Array).toString("hex")}`),
      0n,
    );
    expect(micros).toBe(MICROS);
  });

  it("exports all columns of a record with columns=full", async () => {
    const { body } = await person.call<Envelope>("/v1/emissions/records?limit=1&q=%3D1%2B1");
    const [record] = (body.data as { items: Record<string, unknown>[] }).items;
    const id = String(record?.["id"]);
    const lines = (await exportOf("?format=ndjson&columns=full")).toString().trimEnd().split("\n");
    const line = lines.map((text) => JSON.parse(text)).find((row) => row.id === id);
    const facility = record?.["facility"] as { code: string; name: string } | null;
    expect(line).toEqual({
      recorded_on: record?.["recorded_on"],
      scope: record?.["scope"],
      co2e_tonnes: sixDecimals(String(record?.["co2e_tonnes_exact"])),
      facility: facility?.code ?? null,
      category: record?.["category"],
      source: record?.["source"],
      reference: record?.["reference"],
      id,
      version: 1,
      facility_name: facility?.name ?? null,
      facility_country: facility ? "DE" : null,
      market_based_tonnes: null,
      note: null,
      factor_id: null,
      import_id: null,
      created_at: record?.["created_at"],
      updated_at: record?.["updated_at"],
      energy_kwh: null,
      biogenic_co2_tonnes: null,
    });
  });

  it.each([
    "?from=2026-03-01&to=2026-05-31",
    "?scope=scope_1,scope_3",
    "?facility=BERLIN",
    "?category=Fuel,%20diesel&category=-",
    "?q=old",
    "?q=%C3%9Cml&scope=scope_3",
  ])("exports and digests the same records as the list: %s", async (query) => {
    const { body } = await person.call<Envelope>(`/v1/emissions/records${query}&limit=100`);
    const listed = (body.data as { items: { id: string }[] }).items.map(({ id }) => id);
    expect(listed.length).toBeGreaterThan(0);
    const rows = parsed(await exportOf(`${query}&columns=full`));
    expect(rows.map((row) => row["id"]).toSorted()).toEqual(listed.toSorted());
    expect((await digestOf(person, query)).rows).toBe(listed.length);
  });

  it("names the file, and answers HEAD with the headers", async () => {
    const answer = await ask(`${EXPORT}?bom=true&from=2999-01-01`);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(answer.headers.get("content-disposition")).toBe(
      `attachment; filename="emission-records-${person.organization.slug}-2026-11-20.csv"`,
    );
    expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe(`\uFEFF${COLUMNS.join()}\n`);
    const head = await fetch(gateway.url + EXPORT, { method: "HEAD", headers: { "X-API-Key": key } });
    expect([head.status, head.headers.get("ratelimit-policy")]).toEqual([200, expect.any(String)]);
    expect(head.headers.get("content-disposition")).toBe(answer.headers.get("content-disposition"));
  });

  it.each([
    ["?format=xls", 'query.format: expected one of csv, ndjson, parquet, got "xls"'],
    ["?from=2026-02-30", expect.stringContaining("query.from: expected a date YYYY-MM-DD")],
    ["?from=2026-03-01&to=2026-02-01", "query.to: expected 2026-03-01 or a later day, got 2026-02-01"],
    ["?facility=NOWHERE", 'query.facility: expected the code of a facility, got "NOWHERE"'],
    ["?limit=10", expect.stringContaining("limit")],
    ["?q=%00", expect.stringContaining("query.q: expected text without NUL characters")],
  ])("refuses %s in the envelope", async (query, message) => {
    const answer = await ask(EXPORT + query);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ success: false, error: { code: "BAD_REQUEST", message } });
  });

  it("needs read:emissions", async () => {
    const { key: other } = await makeKey(gateway.database, person.organization.slug, {
      scopes: ["read:credits"],
    });
    for (const path of [EXPORT, DIGEST]) {
      const answer = await ask(path, { "X-API-Key": other });
      expect(await answer.json()).toMatchObject({ error: { code: "INVALID_KEY" } });
    }
  });

  it("runs once per organization and twice per process, and answers others with Retry-After", async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    let waiting = 0;
    const held = await startGateway({
      database: {
        ...gateway.database,
        async openSnapshot() {
          waiting += 1;
          await gate;
          return gateway.database.openSnapshot();
        },
      },
    });
    const keys = [];
    for (let n = 0; n < 2; n += 1) {
      const { organization } = await signUp(gateway);
      keys.push((await makeKey(gateway.database, organization.slug)).key);
    }
    const exportWith = (text = "", path = EXPORT) => ask(path, { "X-API-Key": text }, held.url);
    const first = exportWith(key);
    await expect.poll(() => waiting).toBe(1);
    const second = await exportWith(key, DIGEST);
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "5"]);
    expect(await second.json()).toMatchObject({
      error: { message: "Another export of the organization is running. Try again in 5 seconds." },
    });
    const other = exportWith(keys[0]);
    await expect.poll(() => waiting).toBe(2);
    expect(await (await exportWith(keys[1])).json()).toMatchObject({
      error: {
        code: "RATE_LIMIT_EXCEEDED",
        message: "Too many exports are running. Try again in 5 seconds.",
      },
    });
    go();
    expect([(await first).status, (await other).status]).toEqual([200, 200]);
    await Promise.all([(await first).text(), (await other).text()]);
    expect((await exportWith(key)).status).toBe(200);
    await held.stop();
  });
});

describe("HTTP Basic", () => {
  const basic = (password: string) => ({
    Authorization: `Basic ${Buffer.from(`excel:${password}`).toString("base64")}`,
  });

  it("fetches the export and the digest with curl -u and an API key", async () => {
    const run = promisify(execFile);
    const { stdout } = await run("curl", ["-sS", "--fail", "-u", `key:${key}`, gateway.url + EXPORT]);
    expect(stdout).toBe((await exportOf()).toString());
    const { stdout: digest } = await run("curl", ["-sS", "--fail", "-u", `key:${key}`, gateway.url + DIGEST]);
    expect(JSON.parse(digest).data).toEqual(await digestOf(person));
  });

  it("accepts a service account's token as the password", async () => {
    const { token } = await addServiceAccount(gateway, person, { role: "viewer" });
    expect(await exportOf("", basic(token))).toEqual(await exportOf());
    const narrow = await addServiceAccount(gateway, person, { role: "viewer", scopes: ["read:credits"] });
    expect(await (await ask(EXPORT, basic(narrow.token))).json()).toMatchObject({
      error: { code: "FORBIDDEN" },
    });
  });

  it("is offered by a 401, also to callers without credentials", async () => {
    for (const headers of [{}, basic("wrong")]) {
      const answer = await ask(EXPORT, headers);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/ApiKey.*Basic realm="carbon-gateway"/);
    }
  });

  it("is refused from a cross-site page, and together with a key", async () => {
    const crossSite = await ask(EXPORT, { ...basic(key), "Sec-Fetch-Site": "cross-site" });
    expect(await crossSite.json()).toMatchObject({ error: { code: "CSRF_REJECTED" } });
    const both = await ask(EXPORT, { ...basic(key), "X-API-Key": key });
    expect([both.status, await both.json()]).toMatchObject([400, { error: { code: "BAD_REQUEST" } }]);
  });

  it("is refused by other endpoints", async () => {
    const list = await ask("/v1/emissions/records", basic(key));
    expect([list.status, list.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
    const ext = await ask("/ext/v1/emissions", basic(key));
    expect(ext.headers.get("www-authenticate")).toBe('ApiKey error="misplaced"');
  });
});
