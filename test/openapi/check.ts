import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { makeFolder } from "../support/process.js";
import { createClient, type Envelope, type Gateway, startSampleGateway } from "../support/server.js";

type Caller = Pick<TestPerson, "call">;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: { readonly type?: string; readonly enum?: readonly string[]; readonly format?: string };
}

interface Operation {
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
}

/** An entry of the header in which the proxy reports violations. */
interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const tool = (name: string) => here(`node_modules/.bin/${name}`);

const folder = makeFolder();
const file = join(folder.path, "openapi.json");
let gateway: Gateway;
let key: string;
let paths: Record<string, { readonly get?: Operation }>;
beforeAll(async () => {
  ({ gateway, key } = await startSampleGateway());
  const { body } = await gateway.call<{ paths: typeof paths }>("/openapi.json");
  ({ paths } = body);
  await writeFile(file, JSON.stringify(body));
});
afterAll(async () => {
  await gateway.stop();
  folder.remove();
});

describe("/openapi.json", () => {
  it.each([
    ["Redocly", "redocly", "--config", here("redocly.yaml")],
    ["Spectral", "spectral", "--fail-severity", "hint", "--ruleset", here("spectral.yaml")],
  ])("passes the linter %s without a warning", async (_name, program, ...options) => {
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const report = await promisify(execFile)(tool(program), ["lint", file, ...options], { env }).then(
      () => "",
      (failed: { stdout: string; stderr: string }) => failed.stdout + failed.stderr,
    );
    expect(report).toBe("");
  });
});

const SOURCE_URL = "https://example.org/source";
const PRICE = { credit_type: "EUA", exchange: "EEX", as_of: "2026-11-19", price: "81.5", currency: "EUR" };
const RECORD = { recorded_on: "2026-11-02", scope: "scope_1", co2e_tonnes: "1.5" };
const VERIFICATION = {
  period: { from: "2025-01-01", to: "2025-12-31" },
  scopes: ["scope_1"],
  level: "limited",
  materiality_pct: 5,
  verifier_email: "vera@example.org",
};
const FACTOR = {
  activity: "Diesel",
  region: "DE",
  scope: "scope_1",
  factor: "2.5",
  unit: "kg CO2e/l",
  source: "Supplier",
  source_url: SOURCE_URL,
  source_year: 2025,
};
const CCTS = {
  entity: "Works 1",
  financial_year: "2025-26",
  target_gei: "0.8",
  target_source_url: SOURCE_URL,
  achieved_gei: "0.7",
  output: 1000,
};

/** Requests that add something, with the status of their answer. They also fill lists that the sample leaves empty. */
const WRITES: readonly (readonly [path: string, json: unknown, status: number])[] = [
  ["/facilities", { code: "new", name: "New works", country: "DE" }, 201],
  ["/emission-factors", FACTOR, 201],
  ["/emissions/records", RECORD, 201],
  ["/emissions/metrics", { name: "Output", unit: "t", month: "2026-10", value: "12.5" }, 201],
  ["/cbam/declarations", { year: 2026 }, 201],
  ["/compliance/ccts", CCTS, 201],
  ["/markets/prices", { ...PRICE, source: "Broker", source_url: SOURCE_URL }, 201],
  ["/verification/requests", VERIFICATION, 201],
  ["/emissions/chat", { message: "What can you answer?" }, 200],
  ["/calc/ghg", { items: [{ amount: "1", unit: "kg", gas: "CO2" }] }, 200],
  ["/facilities", { code: "new", name: "Another" }, 409],
  ["/facilities", { code: "" }, 422],
  ["/emissions/records", { ...RECORD, scope: "scope_4" }, 422],
  ["/emissions/records", [], 422],
  ["/compliance/ccts", { ...CCTS, output: "much" }, 422],
  ["/api-keys", { name: 1, scopes: ["read:nothing"], tier: "gold" }, 422],
];

describe("Prism, which validates requests and answers against /openapi.json,", () => {
  let proxy: ChildProcess;
  let owner: TestPerson;
  let root: TestPerson;
  let program: Caller;
  let nobody: Caller;
  beforeAll(async () => {
    const args = ["proxy", file, `${gateway.url}/api/v1`, "--port", "0"];
    proxy = spawn(process.execPath, [tool("prism"), ...args], { stdio: ["ignore", "pipe", "inherit"] });
    const proxied = {
      ...gateway,
      ...createClient(await listening(proxy), gateway.database.waitForAnnouncements),
    };
    owner = await signUp(proxied, { organization: "demo" });
    root = await signUpSuperAdmin(proxied);
    nobody = { call: (path) => proxied.call(path) };
    program = { call: (path) => proxied.call(path, { headers: { "X-API-Key": key } }) };
  });
  afterAll(async () => {
    proxy.kill();
    await once(proxy, "close");
  });

  /** Calls the gateway through the proxy, which may report violations only in requests that the gateway refuses. */
  async function ask({ call }: Caller, path: string, json?: unknown) {
    const answer = await call<Envelope>(path, json === undefined ? {} : { json });
    const { status, headers, body } = answer;
    const found = JSON.parse(headers.get("sl-violations") ?? "[]") as Violation[];
    // OpenAPI cannot describe JSON lines: the description is of one line, but the proxy validates the whole text.
    const isLines = headers.get("content-type") === "application/x-ndjson";
    const faults = found.filter(({ location: [side, part] }) =>
      side === "request" ? status < 400 : !(isLines && part === "body"),
    );
    expect([path, status, body, faults]).toEqual([path, status, body, []]);
    return answer;
  }

  /** Returns a value for a parameter: from the first item of the path's list, the last value of its enum, or a day. */
  async function findValue(template: string, { name, schema }: Parameter): Promise<string> {
    const list = template.slice(0, template.indexOf("/{"));
    const items = paths[list]?.get
      ? ((await ask(owner, list)).body.data as { items: Record<string, string>[] }).items
      : [PRICE as Record<string, unknown>];
    return String(
      (schema.type === "integer" ? 2025 : items[0]?.[name]) ??
        schema.enum?.at(-1) ??
        (schema.format === "date" ? "2026-01-01" : randomUUID()),
    );
  }

  it("finds no violation in the answers to valid and invalid writes", async () => {
    for (const [path, json, expected] of WRITES) {
      const { status, body } = await ask(owner, path, json);
      expect([path, status, body]).toEqual([path, expected, body]);
    }
  });

  it("finds no violation in the answers of all GET endpoints", async () => {
    const refused: string[] = [];
    for (const [template, { get }] of Object.entries(paths)) {
      // A stream never ends.
      if (!get || template === "/events/stream") continue;
      let path = template;
      const query = new URLSearchParams();
      for (const parameter of get.parameters ?? []) {
        if (!parameter.required) continue;
        const value = await findValue(template, parameter);
        if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
        else query.set(parameter.name, value);
      }
      const isKeysOnly = get.security.every((one) => "apiKey" in one);
      const caller = template.startsWith("/admin/") ? root : isKeysOnly ? program : owner;
      const { status } = await ask(caller, `${path}?${query}`);
      if (status !== 200) refused.push(`${template} ${status}`);
      await ask(nobody, `${path}?${query}`);
      await ask(caller, `${path}?limit=0`);
    }
    // Nothing lists prices. The sample has no mappings, service accounts, single sign-on, certificates, webhook
    // endpoints, issued inventories, claims or targets. The last modules are refused.
    expect(refused).toEqual([
      "/emissions/activity-mappings/{id} 404",
      "/inventory/base-year 404",
      "/inventory/instruments/{id} 404",
      "/inventory/claims/{id} 404",
      "/inventory/{year}/issues/{issue} 404",
      "/inventory/targets/{id} 404",
      "/service-accounts/{id} 404",
      "/markets/prices/{id} 404",
      "/sso 404",
      "/verification/certificates/{number} 404",
      "/verification/requests/{id}/inventory 404",
      "/webhook-endpoints/{id} 404",
      "/webhook-endpoints/{id}/deliveries 404",
      "/{module}/forecast 422",
      "/{module}/predictions 422",
      "/{module}/anomalies 422",
      "/inventory/{year}/vsme/export 404",
      "/verification/certificates/{number}/verify 404",
      "/auth/sso/{connection_id}/start 404",
      "/auth/sso/{connection_id}/callback 404",
    ]);
  });
});

/** Returns the URL that the proxy reports to listen on. */
async function listening({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error("the proxy has no output");
  for await (const line of createInterface(stdout)) {
    const [, url] = /listening on (\S+)/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error("the proxy ended before it listened");
}
