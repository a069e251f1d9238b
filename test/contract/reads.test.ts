import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSample } from "../../src/actions/bundle/sample.js";
import { namesAt } from "../../src/catalogue/problems.js";
import { SAMPLE_FOLDER } from "../../src/paths.js";
import { type Endpoint, hasETag } from "../../src/rest/endpoint.js";
import { addTenantData } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";
import { listV1 } from "../support/v1.js";

// biome-ignore lint/suspicious/noExplicitAny: each list has items of its own
type Body = any;

let gateway: Gateway;
let ada: TestPerson;
let reads: readonly (readonly [endpoint: Endpoint, path: string])[];

const ask = async (path: string, method = "GET", headers: Readonly<Record<string, string>> = {}) => {
  const abort = new AbortController();
  const answer = await fetch(gateway.url + path, {
    method,
    headers: { Authorization: `Bearer ${ada.session.token}`, "Accept-Encoding": "identity", ...headers },
    signal: abort.signal,
  });
  const named = (name: string) => answer.headers.get(name);
  const isLive = named("content-type")?.startsWith("text/event-stream") && method === "GET";
  const body = isLive ? "" : await answer.text();
  abort.abort();
  return { status: answer.status, named, body };
};

/** Fills in the ids of a path from the lists above them, with the first item of each; undefined if a list is empty. */
async function findPath(path: string): Promise<string | undefined> {
  const [whole = "", before = ""] = /^(.*)\/\{\w+\}/.exec(path) ?? [];
  if (whole === "") return `/v1${path}`;
  const { status, body } = await ask(`/v1${before}`);
  if (status !== 200) return undefined;
  const { data } = JSON.parse(body) as Body;
  const [first] = data.items ?? [];
  const id = first?.id ?? first?.code ?? first?.framework ?? first?.number;
  return id && findPath(path.replace(whole, `${before}/${id}`));
}

beforeAll(async () => {
  gateway = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "999999" } });
  await addTenantData(gateway.database, { name: "ACME", digits: 1_234, framework: "CDP" });
  await loadSample(gateway.database, SAMPLE_FOLDER, NOW);
  ada = await signUp(gateway, { organization: "acme" });
  for (const [path, json] of [
    ["/v1/api-keys", { name: "Key", tier: "free", scopes: ["read:market"] }],
    ["/v1/service-accounts", { name: "Import", role: "viewer" }],
  ] as const)
    expect((await ada.call(path, { json })).status).toBe(201);
  const gets = (await listV1()).filter(({ method }) => method === "GET");
  const placed = [];
  for (const endpoint of gets) placed.push([endpoint, await findPath(endpoint.path)] as const);
  reads = placed.filter((one): one is readonly [Endpoint, string] => one[1] !== undefined);
}, 120_000);
afterAll(() => gateway.stop());

describe("every GET", () => {
  it("is answered to HEAD with the same status and headers, without a body", async () => {
    const differing: unknown[] = [];
    const NAMES = ["content-type", "content-length", "etag", "cache-control", "vary", "content-disposition"];
    for (const [, path] of reads) {
      const [get, head] = [await ask(path), await ask(path, "HEAD")];
      const of = ({ status, named }: typeof get) => [status, ...NAMES.map(named)].join(" | ");
      if (of(get) !== of(head) || head.body !== "") differing.push([path, of(get), of(head), head.body]);
    }
    expect(differing).toEqual([]);
    expect(reads.length).toBeGreaterThan(50);
  });

  it("with a version is 304 while the client has it", async () => {
    const differing: unknown[] = [];
    const versioned = reads.filter(([endpoint]) => hasETag(endpoint));
    for (const [, path] of versioned) {
      const { status, named, body } = await ask(path);
      const { version } = JSON.parse(body).data ?? {};
      const etag = named("etag") ?? "";
      if (status !== 200) continue;
      for (const tag of [etag, `"${version}"`, `W/${etag}`]) {
        const again = await ask(path, "GET", { "If-None-Match": tag });
        if (again.status !== 304 || again.body !== "" || again.named("etag") !== tag.replace("W/", ""))
          differing.push([path, tag, again.status]);
      }
      const other = await ask(path, "GET", { "If-None-Match": `"${version + 1}"` });
      if (other.status !== 200) differing.push([path, "other", other.status]);
    }
    expect(differing).toEqual([]);
    expect(versioned.length).toBeGreaterThan(10);
  });

  it("names a wrong parameter, and repeats its value whole", async () => {
    const differing: unknown[] = [];
    let refused = 0;
    for (const [{ input }, path] of reads) {
      for (const name of input.query ? namesAt(input.query, []) : []) {
        const { status, body } = await ask(`${path}?${name}=~wrong`);
        const message: string = status === 400 ? JSON.parse(body).error.message : "";
        if (!message.includes(`query.${name}`)) continue;
        refused += 1;
        if (!message.includes(`query.${name}: expected `) || !message.includes('got "~wrong"'))
          differing.push([path, name, message]);
      }
    }
    expect(differing).toEqual([]);
    expect(refused).toBeGreaterThan(50);
  });
});
