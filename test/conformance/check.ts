import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Extension } from "../../src/app/surfaces.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { makeFolder } from "../support/process.js";
import { makeKey, makeOrganization, startGateway } from "../support/server.js";
import { serveFixtures } from "./fixtures.js";

interface Check {
  readonly id: string;
  readonly status: string;
  readonly details?: { readonly messagesValidated?: number };
}

/** Results of a revision, by scenario. */
type Results = ReadonlyMap<string, readonly Check[]>;

const own = (path: string) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

const folder = makeFolder();
let database: TestDatabase;
let key: string;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ key } = await makeKey(database, await makeOrganization(database)));
});
afterAll(async () => {
  await database.close();
  folder.remove();
});

/** Starts a proxy that adds the key, which the suite cannot send. */
async function startProxy(target: () => string) {
  const server = createServer((incoming, response) => {
    const headers = { ...incoming.headers, "X-API-Key": key };
    const outgoing = request(target() + incoming.url, { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

/** Runs the scenarios of a revision on a gateway with `extension`. */
async function runSuite(revision: string, extension: Extension = {}): Promise<Results> {
  let url = "";
  const proxy = await startProxy(() => url);
  // The suite sends the proxy's address as the Origin.
  const gateway = await startGateway({ database, extension, env: { CORS_ORIGINS: proxy.url } });
  ({ url } = gateway);
  const output = join(folder.path, `${revision} ${Object.keys(extension)}`);
  const options = ["--url", `${proxy.url}/mcp`, "--requirements", revision, "-o", output];
  // The exit code also counts scenarios that need fixtures or omitted features.
  await once(execFile(process.execPath, [own(".bin/conformance"), "server", ...options]), "close");
  await gateway.stop();
  proxy.stop();
  const results = new Map<string, readonly Check[]>();
  for (const name of await readdir(output)) {
    const [, scenario = name] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name) ?? [];
    results.set(scenario, JSON.parse(await readFile(join(output, name, "checks.json"), "utf8")));
  }
  return results;
}

/** Lists the scenarios that count for a revision. */
async function listScored(revision: string): Promise<string[]> {
  const file = own(`@modelcontextprotocol/conformance/requirements/${revision}.yaml`);
  const [, list = ""] = /^server:\n((?: {2}- .*\n)+)/m.exec(await readFile(file, "utf8")) ?? [];
  return list.trim().split(/\s*- /).filter(Boolean);
}

/** Lists the checks of scenarios that failed, as `scenario: check`. */
const listFailures = (results: Results, scenarios: Iterable<string>): string[] =>
  [...scenarios].flatMap((scenario) => {
    const checks = results.get(scenario) ?? [{ id: "did not run", status: "FAILURE" }];
    return checks.filter(({ status }) => status === "FAILURE").map(({ id }) => `${scenario}: ${id}`);
  });

/** Checks that the suite reports as not testable, because they need its own tools. */
const UNTESTABLE = [
  "server-stateless: sep-2575-server-rejects-undeclared-capability",
  "server-stateless: sep-2575-missing-capability-http-400",
  "server-stateless: sep-2575-http-server-no-independent-requests-on-stream",
  "server-stateless: sep-2575-server-no-log-without-loglevel",
];

describe("the conformance suite, on the gateway as it is,", () => {
  it.each([
    [
      "2026-07-28",
      [
        "server-stateless",
        "tools-list",
        "resources-list",
        "prompts-list",
        "completion-complete",
        "sep-2164-resource-not-found",
        "caching",
        "dns-rebinding-protection",
        "http-header-validation",
        "server-sse-multiple-streams",
      ],
      UNTESTABLE,
    ],
    [
      "2025-11-25",
      [
        "server-initialize",
        "ping",
        "tools-list",
        "resources-list",
        "prompts-list",
        "completion-complete",
        "dns-rebinding-protection",
      ],
      [],
    ],
  ])("passes the scenarios of %s that need no fixtures", async (revision, scenarios, untestable) => {
    const results = await runSuite(revision);
    expect(listFailures(results, scenarios)).toEqual(untestable);
    const wire = [...results.values()].flat().filter(({ id }) => id === "wire-schema-valid");
    expect(wire.filter(({ status }) => status !== "SUCCESS")).toEqual([]);
    const messages = wire.map(({ details }) => details?.messagesValidated ?? 0);
    expect(messages.reduce((sum, count) => sum + count)).toBeGreaterThan(80);
  });
});

/** Scenarios of omitted features: the gateway sends its clients neither requests nor unrequested messages. */
const LEFT_OUT = [
  // Elicitation, sampling and roots.
  "tools-call-sampling",
  "tools-call-elicitation",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "input-required-result-basic-elicitation",
  "input-required-result-basic-sampling",
  "input-required-result-basic-list-roots",
  "input-required-result-request-state",
  "input-required-result-multiple-input-requests",
  "input-required-result-multi-round",
  "input-required-result-non-tool-request",
  "input-required-result-result-type",
  "input-required-result-tampered-state",
  "input-required-result-capability-check",
  // Logging.
  "logging-set-level",
  "tools-call-with-logging",
  // Subscriptions.
  "resources-subscribe",
  "resources-unsubscribe",
];

describe("the conformance suite, on a gateway with its fixtures,", () => {
  it.each([
    ["2026-07-28", 37],
    ["2025-11-25", 30],
  ])("passes the scored scenarios of %s but for those that are left out", async (revision, count) => {
    const scored = await listScored(revision);
    expect(scored).toHaveLength(count);
    const failures = listFailures(await runSuite(revision, { mcpParts: [serveFixtures] }), scored);
    const others = failures.filter((failure) => !UNTESTABLE.includes(failure));
    expect(new Set(others.map((failure) => failure.split(":")[0]))).toEqual(
      new Set(LEFT_OUT.filter((scenario) => scored.includes(scenario))),
    );
  });
});
