import { type IncomingHttpHeaders, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { addFacility, addRecord } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { useGateway } from "../support/use.js";

let ada: TestPerson;

const gateway = useGateway();
beforeAll(async () => {
  ada = await signUp(gateway);
  const records = Array.from({ length: 60 }, (_, index) => ({
    recorded_on: "2026-01-31",
    scope: "scope_1",
    co2e_tonnes: index,
    source: `Zähler ${index}`,
  }));
  await ada.call("/v1/emissions/records", { json: { records } });
});

interface RawAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Returns a response with its raw body, which `fetch` would decompress. */
async function ask(
  path: string,
  headers: Record<string, string> = {},
  { method = "GET", json }: { method?: string; json?: unknown } = {},
): Promise<RawAnswer> {
  const credential = { authorization: `Bearer ${ada.session.token}` };
  const type = json === undefined ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const call = request(`${gateway.url}${path}`, {
      method,
      headers: { ...credential, ...type, ...headers },
    });
    call.on("error", reject);
    call.on("response", (answer) => {
      const { statusCode: status, headers } = answer;
      buffer(answer).then((bytes) => resolve({ status, headers, bytes }), reject);
    });
    call.end(json === undefined ? undefined : JSON.stringify(json));
  });
}
const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync };
type Coding = keyof typeof DECODERS;
const dataOf = (bytes: Buffer) => JSON.parse(bytes.toString()).data;
const RECORDS = "/v1/emissions/records?limit=";

describe("a response of 1 kB or more", () => {
  it.each([
    ["br", "gzip, deflate, br", 60],
    ["gzip", "gzip", 60],
    ["br", "br;q=0.5, gzip;q=0.1", 5],
    ["gzip", "br;q=0, *", 5],
  ] as [Coding, string, number][])("is compressed with %s for %s", async (coding, accepted, limit) => {
    const plain = await ask(RECORDS + limit);
    const { status, headers, bytes } = await ask(RECORDS + limit, { "accept-encoding": accepted });
    expect([status, headers["content-encoding"], headers["content-length"]]).toEqual([
      200,
      coding,
      String(bytes.length),
    ]);
    expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(dataOf(DECODERS[coding](bytes))).toEqual(dataOf(plain.bytes));
    for (const { vary } of [plain.headers, headers]) expect(vary).toContain("Accept-Encoding");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const head = await ask(RECORDS + limit, { "accept-encoding": accepted }, { method: "HEAD" });
    expect([head.headers["content-encoding"], head.bytes.length]).toEqual([coding, 0]);
  });

  it.each(["identity", "gzip;q=0, br;q=0", "zstd", ""])("is not compressed for %j", async (accepted) => {
    const { headers, bytes } = await ask(`${RECORDS}20`, { "accept-encoding": accepted });
    expect([headers["content-encoding"], dataOf(bytes).items.length]).toEqual([undefined, 20]);
  });

  it("is compressed in GraphQL as well", async () => {
    const query = "{ emissions { records(first: 60) { nodes { id source recordedOn } } } }";
    const json = { query };
    const graph = await ask("/graphql", { "accept-encoding": "gzip" }, { method: "POST", json });
    expect([graph.headers["content-encoding"], graph.headers.vary]).toEqual([
      "gzip",
      expect.stringContaining("Accept-Encoding"),
    ]);
    expect(dataOf(gunzipSync(graph.bytes)).emissions.records.nodes).toHaveLength(60);
  });
});

describe("compression", () => {
  it("leaves out responses under 1 kB", async () => {
    const { headers } = await ask(`${RECORDS}1`, { "accept-encoding": "gzip" });
    expect([headers["content-encoding"], headers.vary]).toEqual([
      undefined,
      expect.not.stringContaining("Encoding"),
    ]);
  });

  it("leaves out responses to changes of any length, as they may hold a secret", async () => {
    const more = "emissionRecords(first: 60) { nodes { id source recordedOn } }";
    const mutation = 'mutation Write { renameViewer(input: { name: "Ada" }) { user { id } } }';
    const records = Array.from({ length: 20 }, (_, index) => ({
      recorded_on: "2025-01-31",
      scope: "scope_2",
      co2e_tonnes: index,
    }));
    const changes = [
      await ask(
        "/v1/emissions/records",
        { "accept-encoding": "gzip" },
        { method: "POST", json: { records } },
      ),
      await ask(
        "/graphql",
        { "accept-encoding": "gzip" },
        { method: "POST", json: { query: `query Read { ${more} } ${mutation}`, operationName: "Read" } },
      ),
    ];
    for (const { status, headers, bytes } of changes) {
      expect([status && status < 300, headers["content-encoding"], bytes.length > 2_000]).toEqual([
        true,
        undefined,
        true,
      ]);
    }
  });
});

describe("If-None-Match", () => {
  const FACILITY = { code: "HAM-1", name: "Hamburg works", country: "DE" };

  it("answers 304 without a body for the current version, and 200 for another", async () => {
    const { body } = await ada.call("/v1/facilities", { json: FACILITY });
    const path = `/v1/facilities/${(body.data as { id: string }).id}`;
    for (const named of ['"1"', 'W/"1"', '"7", W/"1"', "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const { status, headers, bytes } = await ask(path, { "if-none-match": named }, { method });
        expect([named, status, headers.etag, bytes.length]).toEqual([named, 304, '"1"', 0]);
        expect([headers["cache-control"], headers["content-length"]]).toEqual([
          "private, no-store",
          undefined,
        ]);
        expect(headers["ratelimit"]).toBeDefined();
      }
    }
    expect((await ask(path, { "if-none-match": '"2", "11"' })).status).toBe(200);
    await ada.call(path, { method: "PATCH", json: { name: "Harburg works" } });
    const changed = await ask(path, { "if-none-match": '"1"', "accept-encoding": "gzip" });
    expect([changed.status, changed.headers.etag, dataOf(changed.bytes).name]).toEqual([
      200,
      '"2"',
      "Harburg works",
    ]);
    expect((await ask("/v1/facilities/none", { "if-none-match": "*" })).status).toBe(404);
  });

  it("answers 200 if the response has changed in spite of the same version, and If-Match accepts its ETag", async () => {
    const { slug } = ada.organization;
    const facility = await addFacility(gateway.database, slug);
    const { id } = await addRecord(gateway.database, slug, { facility });
    const path = `/v1/emissions/records/${id}`;
    const { etag = "" } = (await ask(path)).headers;
    expect((await ask(path, { "if-none-match": etag })).status).toBe(304);
    await ada.call(`/v1/facilities/${facility.id}`, { method: "PATCH", json: { name: "Kiel works" } });
    const renamed = await ask(path, { "if-none-match": etag });
    expect([renamed.status, dataOf(renamed.bytes).facility.name]).toEqual([200, "Kiel works"]);
    const change = { method: "PATCH", json: { note: "Checked" } };
    expect((await ada.call(path, { ...change, headers: { "If-Match": etag } })).status).toBe(200);
    const json = { note: "Checked again" };
    expect((await ada.call(path, { ...change, json, headers: { "If-Match": etag } })).status).toBe(409);
  });
});

describe("a public document", () => {
  it.each([
    ["/openapi.json", "application/json; charset=utf-8"],
    ["/graphql/schema.graphql", "text/plain; charset=utf-8"],
  ])("%s is cacheable in each encoding, and revalidates by its ETag", async (path, type) => {
    const plain = await ask(path);
    const etags = new Set([plain.headers.etag]);
    for (const coding of ["br", "gzip"] as const) {
      const { headers, bytes } = await ask(path, { "accept-encoding": coding });
      expect([headers["content-encoding"], headers["content-type"], headers.vary]).toEqual([
        coding,
        type,
        "Accept-Encoding",
      ]);
      expect(headers["cache-control"]).toBe("public, max-age=300");
      expect(DECODERS[coding](bytes).equals(plain.bytes)).toBe(true);
      expect(bytes.length).toBeLessThan(plain.bytes.length / 4);
      const named = { "accept-encoding": coding, "if-none-match": `"other", W/${headers.etag}` };
      const again = await ask(path, named);
      expect([again.status, again.headers.etag, again.bytes.length]).toEqual([304, headers.etag, 0]);
      const head = await ask(path, { "accept-encoding": coding }, { method: "HEAD" });
      expect([head.status, head.headers["content-length"]]).toEqual([200, String(bytes.length)]);
      etags.add(headers.etag);
    }
    expect(etags.size).toBe(3);
    expect([...etags].every((etag) => /^"[\w-]+"$/.test(etag ?? ""))).toBe(true);
  });
});
