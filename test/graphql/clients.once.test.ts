import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ApolloClient, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import {
  buildSchema,
  type DocumentNode,
  isObjectType,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCHEMA_FILE } from "../../src/paths.js";
import { blocksOf, readPage } from "../support/pages.js";
import { isFrame, selectAll } from "../support/selections.js";
import { type Gateway, makeKey, startSampleGateway } from "../support/server.js";
import { newTenant } from "./tenant.js";

const readme = await readPage("README.md");
const guide = await readPage("docs/graphql.md");
const schema = buildSchema(await readFile(SCHEMA_FILE, "utf8"));

let gateway: Gateway;
let key: string;

beforeAll(async () => {
  ({ gateway, key } = await startSampleGateway());
});
afterAll(() => gateway.stop());

/** Creates an Apollo Client with defaults that counts its requests. */
function newClient() {
  let requests = 0;
  const link = new HttpLink({
    uri: `${gateway.url}/graphql`,
    headers: { "X-API-Key": key },
    fetch(...args) {
      requests += 1;
      return fetch(...args);
    },
  });
  const client = new ApolloClient({ cache: new InMemoryCache(), link });
  return { client, requests: () => requests };
}

describe("Apollo Client without configuration", () => {
  const pairs: [what: string, one: string, other: string][] = [
    [
      "every object there is",
      selectAll(schema, ({ name }, index) => name === "id" || index % 2 === 0),
      selectAll(schema, ({ name }, index) => name === "id" || index % 2 === 1),
    ],
    [
      "parts of one list",
      "{ emissions { id trend { id co2eTonnes } byScope { id scope } } }",
      "{ emissions { id trend { id from to byScope { id co2eTonnes } } byScope { id recordCount } } }",
    ],
  ];

  it.each(pairs)(
    "keeps an object's fields when another query selects more of them: %s",
    async (_what, ...texts) => {
      const [one, other] = texts.map((text) => gql(text)) as [DocumentNode, DocumentNode];
      const { client, requests } = newClient();
      const watched = client.watchQuery({ query: one });
      const seen: unknown[] = [];
      const watching = watched.subscribe(({ data, loading }) => loading || seen.push(data));
      await expect.poll(() => seen.length).toBe(1);

      await client.query({ query: other });
      await client.query({ query: other, fetchPolicy: "network-only" });
      expect(client.readQuery({ query: one })).toEqual(seen[0]);
      expect(client.readQuery({ query: other })).not.toBeNull();
      // A watched query that lost a field would have been sent again before this.
      await client.query({ query: gql("{ organization { slug } }"), fetchPolicy: "network-only" });
      expect(requests()).toBe(4);
      watching.unsubscribe();
    },
  );

  it("updates a watched query with the result of another one", async () => {
    const { client, requests } = newClient();
    const seen: number[] = [];
    const remaining = gql("{ rateLimit { id remaining } }");
    const watching = client.watchQuery({ query: remaining }).subscribe(({ data }) => {
      const found = data as { rateLimit?: { remaining: number } } | undefined;
      if (found?.rateLimit) seen.push(found.rateLimit.remaining);
    });
    await expect.poll(() => seen.length).toBe(1);
    await client.query({ query: gql("{ rateLimit { id remaining used } }") });
    await expect.poll(() => seen.length).toBe(2);
    expect(seen[1]).toBe((seen[0] ?? 0) - 1);
    expect(requests()).toBe(2);
    watching.unsubscribe();
  });
});

/** Lists all objects of an answer that have an id, by type and id. */
function* objectsOf(value: unknown): Generator<[name: string, object: Record<string, unknown>]> {
  if (Array.isArray(value)) for (const item of value) yield* objectsOf(item);
  else if (typeof value === "object" && value !== null) {
    const object = value as Record<string, unknown>;
    if (object["id"]) yield [`${object["__typename"]} ${object["id"]}`, object];
    yield* objectsOf(Object.values(object));
  }
}

/** Returns the scalar values of an object. */
const valuesOf = (object: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => typeof value !== "object"));

describe("the id of an object", () => {
  const EVERYTHING = selectAll(schema, () => true);
  const TOTALS = "{ __typename id co2eTonnesExact recordCount byScope { __typename id scope recordCount } }";
  const RANGES = `{
    a: emissions(range: { from: "2026-01-01", to: "2026-03-31" }) { ...parts }
    b: emissions(range: { from: "2026-01-01", to: "2026-06-30" }) { ...parts }
    c: emissions { ...parts }
    steel: benchmarks(sector: "steel") { __typename id items { __typename id sector } }
    global: benchmarks(region: "Global") { __typename id items { __typename id sector } }
  }
  fragment parts on Emissions {
    __typename id totalCo2eTonnesExact byScope { __typename id scope recordCount }
    months: trend ${TOTALS} quarters: trend(step: QUARTER) ${TOTALS}
    change { __typename id co2eTonnesExact previousFrom }
    byFacility ${TOTALS} facilities { nodes ${TOTALS} } byCategory { __typename id category recordCount }
  }`;

  it("exists on every type that clients normalize, except for payloads and their parts", () => {
    const types = Object.values(schema.getTypeMap()).filter(isObjectType);
    const without = types.filter(
      (type) => !/^__|Payload$/.test(type.name) && !isFrame(type) && !type.getFields()["id"],
    );
    expect(without.map(({ name }) => name)).toEqual([
      "Query",
      "Changes",
      "ChangesAsOf",
      "Change",
      "Subscription",
      "Mutation",
      "DomainRecord",
      "ApiKeyUsage",
      "ObstacleCount",
      "RecalculatedAmount",
      "RecalculatedScope",
      "RecalculatedRecord",
      // The current state of the platform.
      "PlatformHealth",
      "PlatformOutbox",
      "ExchangeFeed",
      "TierUsage",
      "Consumer",
      "PlatformDay",
      "PlatformVersions",
      "PlatformAuditTrails",
      "PlatformJob",
      "SkippedSeries",
      "WholeConversation",
      "DatePeriod",
      "Verifier",
      "VerificationSnapshot",
      "ScopeTotal",
      "VerificationStatusChange",
      "Certificate",
    ]);
  });

  it.each([
    ["everything", EVERYTHING],
    ["several ranges, steps and filters", RANGES],
  ])("identifies one content: %s", async (_what, query) => {
    const { status, body } = await gateway.graphql(query, key);
    expect([status, body.errors]).toEqual([200, undefined]);
    const contents = new Map<string, Record<string, unknown>>();
    let seen = 0;
    for (const [name, object] of objectsOf(body.data)) {
      seen += 1;
      const { id: _, ...values } = valuesOf(object);
      expect({ ...contents.get(name), ...values }).toEqual({ ...values, ...contents.get(name) });
      contents.set(name, { ...contents.get(name), ...values });
    }
    expect(seen).toBeGreaterThan(50);
    expect(contents.size).toBeGreaterThan(40);
  });

  it("differs by range, step and filter", async () => {
    const { data } = (await gateway.graphql(RANGES, key)).body;
    const ids = [data.a.id, data.b.id, data.c.id, data.steel.id, data.global.id];
    expect(new Set(ids).size).toBe(5);
    const [month, quarter] = [data.a.months[0], data.a.quarters[0]];
    expect(new Set([month.id, quarter.id, data.b.months[0].id]).size).toBe(3);
    expect(month.byScope[0].id).not.toBe(quarter.byScope[0].id);
  });

  it("is the same in all requests of an organization, with any of its keys", async () => {
    const other = await makeKey(gateway.database, "demo");
    const ids = async (secret: string) => {
      const { data } = (await gateway.graphql(EVERYTHING, secret)).body;
      return [...objectsOf(data)].map(([name]) => name).filter((name) => !name.startsWith("RateLimit "));
    };
    expect(await ids(other.key)).toEqual(await ids(key));
  });

  it("differs between organizations, except for shared reference data", async () => {
    const tenant = await newTenant(gateway);
    const idsOf = (data: unknown) => new Set([...objectsOf(data)].map(([name]) => name));
    const [own, others] = [
      idsOf((await gateway.graphql(EVERYTHING, key)).body.data),
      idsOf(await tenant.dataOf(EVERYTHING)),
    ];
    const both = [...own].filter((name) => others.has(name)).map((name) => name.split(" ")[0]);
    expect(new Set(both)).toEqual(new Set(["Benchmark", "MarketPrice"]));
  });
});

describe("the documented operations", () => {
  it("select the id of every object that has one", () => {
    const operations = [readme, guide]
      .flatMap((page) => blocksOf(page, "graphql"))
      .map((text) => parse(text));
    const types = new TypeInfo(schema);
    const without: string[] = [];
    for (const operation of operations) {
      const lookAt = visitWithTypeInfo(types, {
        SelectionSet({ selections }) {
          const type = types.getParentType();
          if (!isObjectType(type) || !type.getFields()["id"]) return;
          const names = selections.map((node) => node.kind === Kind.FIELD && node.name.value);
          if (!names.includes("id")) without.push(`${type.name} { ${names.join(" ")} }`);
        },
      });
      visit(operation, lookAt);
    }
    expect(without).toEqual([]);
  });
});

/** Runs a program of the guide against the gateway; returns its output. */
async function runExample(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-client-"));
  try {
    await symlink(new URL("../../node_modules", import.meta.url).pathname, join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await writeFile(join(folder, "client.ts"), text.replace("http://127.0.0.1:4000", gateway.url));
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
    const { stdout } = await promisify(execFile)(process.execPath, ["--import", tsx, "client.ts"], {
      cwd: folder,
      env: { PATH: process.env["PATH"], KEY: key },
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("the documented example of Apollo Client", () => {
  it("merges the pages of one list, and never of two", async () => {
    const [text = ""] = blocksOf(guide, "js");
    const { data } = (
      await gateway.graphql(
        `{
          emissions {
            SCOPE_1: records(filter: { scopes: [SCOPE_1] }, first: 10) { nodes { id } }
            SCOPE_2: records(filter: { scopes: [SCOPE_2] }, first: 10) { nodes { id } }
          }
        }`,
        key,
      )
    ).body;
    const lines = ["SCOPE_1", "SCOPE_2"].map((scope) => {
      const ids = data.emissions[scope].nodes.map(({ id }: { id: string }) => id);
      expect(ids).toHaveLength(10);
      return `${scope} ${ids.join(" ")}\n`;
    });
    expect(await runExample(text)).toBe(lines.join(""));
  });
});

describe("the documented scalars for graphql-codegen", () => {
  it("map every scalar of the served schema to its type in JSON", async () => {
    const [, block = ""] = /```json\n(\{\s*"strictScalars"[\s\S]*?)```/.exec(guide) ?? [];
    const config = JSON.parse(block) as { scalars: Record<string, string> };
    const { body: sdl } = await gateway.call<string>("/graphql/schema.graphql");
    const everything = selectAll(schema, () => true);
    const output = await codegen({
      filename: "graph.ts",
      schema: parse(sdl),
      documents: [{ location: "everything", document: parse(`query Everything ${everything}`) }],
      config,
      plugins: [{ typescript: {} }, { operations: {} }],
      pluginMap: { typescript, operations },
    });
    const [, query = ""] = /^export type EverythingQuery = (.*)$/m.exec(output) ?? [];
    expect(query).toContain("lastUpdated: string");
    // A JSONObject has no more specific type.
    expect(query.replaceAll("Record<string, unknown>", "")).not.toMatch(/\b(any|unknown)\b/);
    const { data } = (await gateway.graphql(everything, key)).body;
    const samples = {
      Date: data.emissions.from,
      DateTime: data.rateLimit.resetAt,
      UUID: data.organization.id,
    };
    const typesOf = (values: object) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value]));
    expect(config.scalars).toMatchObject({
      ...typesOf(samples),
      SafeInt: typeof data.emissions.recordCount,
      Decimal: typeof data.emissions.totalCo2eTonnesExact,
      Currency: typeof data.market.prices[0].currency,
      URL: typeof data.benchmarks.items[0].sourceUrl,
      CountryCode: typeof data.emissions.facilities.nodes[0].facility.country,
    });
  });
});
