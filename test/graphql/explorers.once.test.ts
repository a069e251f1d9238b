import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type App, startApp } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { createTestLog } from "../support/secrets.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { error, expectRefusal } from "./refusal.js";

let gateway: Gateway;
let key: string;
/** An app with `key` as its demo key. */
let demo: App;
const started: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  // With the console, / redirects browsers to it.
  gateway = await startGateway({ env: { CONSOLE: "false" } });
  ({ key } = await makeKey(gateway.database, await makeOrganization(gateway.database)));
  demo = await startSources({ demoKey: key });
});
afterAll(async () => {
  for (const app of started) await app.stop();
  await gateway.stop();
});

async function startWith(env: Record<string, string>): Promise<Gateway> {
  const other = await startGateway({ env: { CONSOLE: "false", ...env }, database: gateway.database });
  started.push(other);
  return other;
}

/** Starts the app from its sources, of which a test can replace a module. */
async function startSources(more: { readonly demoKey?: string } = {}): Promise<App> {
  const config = readConfig({ PORT: "0", CONSOLE: "false" });
  const { log } = createTestLog();
  const app = await startApp({ config, database: gateway.database, log, clock: () => NOW, ...more });
  started.push(app);
  return app;
}

const browse = (app: { url: string }, path: string) =>
  fetch(`${app.url}${path}`, { headers: { Accept: "text/html,*/*;q=0.8" } });

/** Returns the URLs of everything that a page loads, resolved like a browser. */
function assetsOf(page: string, url: string): URL[] {
  const base = new URL(/<base href="([^"]*)"/.exec(page)?.[1] ?? "", url);
  const loaded = page.matchAll(/<(?:script|link|img)\b[^>]*?\b(?:src|href)="([^"]*)"/g);
  return [...loaded].map(([, address = ""]) => new URL(address, base));
}

const TYPES: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  ico: "image/vnd.microsoft.icon",
  svg: "image/svg+xml",
};

/** Returns an option that a page passes to Altair. */
const optionOf = (page: string, name: string) =>
  new RegExp(`${name}: \`([^\`]*)\``).exec(page)?.[1] ?? `no ${name}`;

describe.each(["/", "/graphql"])("a browser's GET of %s", (path) => {
  const linksOf = (page: string) => [...page.matchAll(/<a href="([^"]*)"/g)].map(([, link = ""]) => link);

  it("shows a page whose links all work on this server, including the offline explorer", async () => {
    const page = await (await browse(gateway, path)).text();
    const links = linksOf(page);
    expect(links).toEqual(
      expect.arrayContaining(["/graphiql", "/graphql", "/openapi.json", "/graphql/schema.graphql"]),
    );
    for (const link of links) expect([link, (await browse(gateway, link)).status]).toEqual([link, 200]);
    expect(page).toContain("If it does not load, use");
    for (const endpoint of endpoints) expect(page).toContain(`GET /api/v1/ext/v1${endpoint.path}<`);
  });

  it("shows calls with the demo key that work when copied", async () => {
    const page = await (await browse(demo, path)).text();
    const calls = [...page.matchAll(/<pre><code>(.*)<\/code>/g)].map(([, text = ""]) =>
      text.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code))),
    );
    expect(calls).toHaveLength(2);
    for (const call of calls) {
      const { stdout } = await promisify(execFile)("sh", ["-c", `${call} --silent`]);
      const { success, errors, data } = JSON.parse(stdout);
      expect([call, success ?? true, errors, data]).toEqual([call, true, undefined, expect.any(Object)]);
    }
  });

  it("has no link to the schema if introspection is off", async () => {
    const other = await startWith({ GRAPHQL_INTROSPECTION: "false" });
    const links = linksOf(await (await browse(other, path)).text());
    expect(links).not.toContain("/graphql/schema.graphql");
    for (const link of links) expect([link, (await browse(other, link)).status]).toEqual([link, 200]);
  });
});

/** The last fields of Query that need `read:emissions`. */
const OF_EMISSIONS = [
  "activityMappings",
  "activityMapping",
  "imports",
  "verificationRequests",
  "verificationRequest",
  "verificationAssignments",
  "verificationCertificates",
  "verificationCertificate",
];

describe("the style and the script of a page", () => {
  it.each([
    ["/", ["style"]],
    ["/graphql", ["style", "script"]],
  ])("are exactly those that its content security policy allows: %s", async (path, kinds) => {
    const answer = await browse(gateway, path);
    const policy = answer.headers.get("content-security-policy") ?? "";
    const page = await answer.text();
    const inline = [...page.matchAll(/<(style|script)(?: type="module")?>(.*?)<\/\1>/gs)];
    expect(inline.map(([, kind]) => kind)).toEqual(kinds);
    for (const [, kind, text = ""] of inline) {
      const digest = createHash("sha256").update(text).digest("base64");
      expect(policy).toMatch(new RegExp(`${kind}-src [^;]*'sha256-${digest.replace(/[+/]/g, "\\$&")}'`));
    }
    expect(page).not.toMatch(/ (?:style|on\w+)=/);
  });
});

describe("GET /graphiql", () => {
  it("is read again after a failure to read it", async () => {
    const { url } = await startSources();
    vi.doMock("altair-static", () => {
      throw new Error("too many open files");
    });
    expect((await browse({ url }, "/graphiql")).status).toBe(500);
    vi.doUnmock("altair-static");
    expect((await browse({ url }, "/graphiql")).status).toBe(200);
  });

  it.each(["/graphiql", "/graphiql/"])(
    "at %s is a page whose assets all exist on this origin",
    async (path) => {
      const answer = await browse(gateway, path);
      const page = await answer.text();
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);

      const assets = assetsOf(page, `${gateway.url}${path}`);
      expect(assets.map(({ pathname }) => pathname)).toEqual(
        expect.arrayContaining(["/graphiql/main.js", "/graphiql/polyfills.js", "/graphiql/styles.css"]),
      );
      for (const asset of assets) {
        const { status, headers } = await fetch(asset);
        const type = TYPES[asset.pathname.split(".").at(-1) ?? ""];
        expect([asset.href, asset.origin, status, headers.get("content-type")]).toEqual([
          asset.href,
          gateway.url,
          200,
          type,
        ]);
      }
    },
  );

  it("has styles that load nothing from other origins", async () => {
    const styles = await (await browse(gateway, "/graphiql/styles.css")).text();
    expect(styles.length).toBeGreaterThan(10_000);
    expect(styles.match(/(?:url\(\s*["']?|@import\s+["'])(?:https?:)?\/\/[^)"']*/g)).toBeNull();
  });

  it("serves nothing under other names", async () => {
    const { status, headers } = await browse(gateway, "/graphiql/nothing.js");
    expect([status, headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
  });

  it("opens with the endpoint, the key's header, and an operation that succeeds", async () => {
    const page = await (await browse(gateway, "/graphiql")).text();
    expect([optionOf(page, "endpointURL"), optionOf(page, "'X-API-Key'")]).toEqual(["/graphql", ""]);
    const { status, body } = await gateway.graphql(optionOf(page, "initialQuery"), key);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(Object.values(body.data)).not.toContain(null);
  });
});

describe("the demo key", () => {
  it.each(["/", "/graphql", "/graphiql"])("is on the page %s, if the key exists", async (path) => {
    const [withKey, without] = await Promise.all(
      [demo, gateway].map(async (app) => (await browse(app, path)).text()),
    );
    expect(withKey).toContain(key);
    expect(without).toContain("X-API-Key");
    expect(without).not.toMatch(/cgw_/);
  });

  it("is on no other page, and on none without the explorers", async () => {
    for (const path of ["/openapi.json", "/graphql/schema.graphql", "/health/ready", "/nothing"]) {
      expect(await (await browse(demo, path)).text()).not.toContain(key);
    }
    const config = readConfig({ PORT: "0", GRAPHQL_SANDBOX: "false" });
    const { log } = createTestLog();
    const closed = await startApp({
      config,
      database: gateway.database,
      log,
      clock: () => NOW,
      demoKey: key,
    });
    started.push(closed);
    for (const path of ["/", "/graphql", "/graphiql"]) {
      expect(await (await browse(closed, path)).text()).not.toContain(key);
    }
  });
});

describe("GET /graphql/schema.graphql", () => {
  it("returns the current schema without a key and without cost", async () => {
    const answer = await browse(gateway, "/graphql/schema.graphql");
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("ratelimit")]).toEqual([
      200,
      "text/plain; charset=utf-8",
      null,
    ]);
    expect(await answer.text()).toBe(await readFile(SCHEMA_FILE, "utf8"));
  });
});

describe("the explorer and the schema", () => {
  it.each([
    ["both in development", {}, 200, 200],
    ["neither in production", { NODE_ENV: "production" }, 404, 404],
    [
      "only the schema on a public URL, where users have sessions",
      { PUBLIC_URL: "https://carbon.example.com" },
      404,
      200,
    ],
    ["only the explorer without introspection", { GRAPHQL_INTROSPECTION: "false" }, 200, 404],
    ["only the schema without Sandbox", { GRAPHQL_SANDBOX: "false" }, 404, 200],
    [
      "both in production if they are enabled",
      { NODE_ENV: "production", GRAPHQL_INTROSPECTION: "true", GRAPHQL_SANDBOX: "true" },
      200,
      200,
    ],
  ])("are served: %s", async (_what, env, explorer, schema) => {
    const other = await startWith(env);
    const paths = ["/graphiql", "/graphiql/", "/graphiql/main.js", "/graphql/schema.graphql"];
    const answers = await Promise.all(paths.map((path) => browse(other, path)));
    expect(answers.map(({ status }) => status)).toEqual([explorer, explorer, explorer, schema]);
    if (schema === 200) return;
    const message = "No such endpoint: /graphql/schema.graphql";
    await expectRefusal(answers[3] as Response, 404, error("NOT_FOUND", message));
  });
});

describe("the documentation that explorers show", () => {
  it("names the scope of every field that needs one, and of no other", async () => {
    const { body } = await gateway.graphql(`{
      __type(name: "Query") { fields { name description } }
      compliance: __type(name: "Compliance") { fields { name description } }
    }`);
    const scopes = body.data.__type.fields.map(({ name, description }: Record<string, string>) => [
      name,
      /\n\nScope: `(.+)`\.$/.exec(description ?? "")?.[1],
    ]);
    const ofEmissions = (name: string) => [name, "read:emissions"];
    expect(scopes).toEqual([
      ["organization", undefined],
      ["rateLimit", undefined],
      ...["emissions", "compliance", "credits", "benchmarks", "market"].map((name) => [name, `read:${name}`]),
      ...["emissionKpis", "businessMetrics", "businessMetric"].map(ofEmissions),
      ...["emissionFactors", "emissionFactor", "calculate"].map(ofEmissions),
      ...["emissionRecords", "emissionRecord", "facilities", "facility"].map(ofEmissions),
      ["auditLog", "read:audit"],
      ["events", "read:emissions, or read:compliance, or read:credits, or read:market, or read:audit"],
      ["monitoring", "admin:platform"],
      ["viewer", undefined],
      ["caller", undefined],
      ["members", undefined],
      ["invitations", "manage:members"],
      ["apiKeys", "manage:keys"],
      ["apiKey", "manage:keys"],
      ["serviceAccounts", "manage:keys"],
      ["serviceAccount", "manage:keys"],
      ["webhookEndpoints", "manage:webhooks"],
      ["domains", "manage:organization"],
      ["singleSignOn", "manage:organization"],
      ["directoryGroups", "manage:organization"],
      ["webhookEndpoint", "manage:webhooks"],
      ["conversations", undefined],
      ["conversation", undefined],
      ...["creditBatch", "creditSale", "creditRetirement"].map((name) => [name, "read:credits"]),
      ...["cctsPeriod", "cbamDeclaration"].map((name) => [name, "read:compliance"]),
      ["cbamEstimate", undefined],
      ["cbamGoods", undefined],
      ["marketPrice", "read:market"],
      ["deadline", "read:compliance"],
      ...OF_EMISSIONS.map(ofEmissions),
      ["activeAnnouncements", undefined],
      ["announcements", "admin:platform"],
      ...["emissionRecordChanges", "facilityChanges", "emissionFactorChanges"].map(ofEmissions),
      ["businessMetricChanges", "read:emissions"],
      ...["creditBatch", "creditSale", "creditRetirement"].map((name) => [`${name}Changes`, "read:credits"]),
      ...["framework", "deadline", "cctsPeriod", "cbamDeclaration"].map((name) => [
        `${name}Changes`,
        "read:compliance",
      ]),
      ["marketPriceChanges", "read:market"],
      ...["inventoryPolicies", "inventory", "inventoryIssues", "inventoryIssue", "baseYearStatus"].map(
        ofEmissions,
      ),
      ...["reductionTargets", "reductionTarget", "vsmeReport", "emissionStreams", "entities"].map(
        ofEmissions,
      ),
      ...["energyInstruments", "energyInstrument", "energyClaim"].map(ofEmissions),
    ]);
    for (const { name, description } of body.data.compliance.fields) {
      // Scalar fields, and those computed from several modules, are only reachable through their object.
      if (["id", "insights"].includes(name)) continue;
      expect(description).toMatch(/\.\n\nScope: `read:compliance`\.$/);
    }
  });
});
