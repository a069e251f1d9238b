import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/process.js";

const TSX = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const CHECK = { timeout: 120_000 };

interface Advisory {
  readonly severity: string;
  readonly title: string;
}

let stop: (() => void) | undefined;
afterEach(() => stop?.());

/** Starts a registry with these advisories, by package. */
async function startRegistry(advisories: Readonly<Record<string, Advisory>>): Promise<string> {
  const known = Object.entries(advisories).map(([name, advisory]) => [
    name,
    [{ id: 1, url: `https://github.com/advisories/GHSA-${name}`, vulnerable_versions: "*", ...advisory }],
  ]);
  const server = createServer((request, response) => {
    const isAsked = request.method === "POST" && request.url?.endsWith("/advisories/bulk");
    request.resume().on("end", () => {
      response.writeHead(isAsked ? 200 : 404, { "Content-Type": "application/json" });
      response.end(isAsked ? JSON.stringify(Object.fromEntries(known)) : "{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stop = () => server.close();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function audit(registry: string, ...args: string[]) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ["--import", TSX, ".config/audit.ts", ...args], {
    env: { PATH, HOME, npm_config_registry: registry, npm_config_cache: temporaryFolder() },
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  return { code, output };
}

describe("npm run audit", () => {
  it(
    "fails for high or critical vulnerabilities in runtime dependencies, and names them",
    CHECK,
    async () => {
      const registry = await startRegistry({
        express: { severity: "high", title: "Remote code execution" },
        zod: { severity: "moderate", title: "Slow regular expression" },
      });
      const { code, output } = await audit(registry);
      expect(output).toContain(
        "high: express: Remote code execution (https://github.com/advisories/GHSA-express)",
      );
      expect(output).not.toContain("zod");
      expect(output).toContain("production dependencies: 2; high or critical: 1; without an exception: 1.");
      expect(code).toBe(1);
    },
  );

  it("passes if there are only lesser ones", CHECK, async () => {
    const registry = await startRegistry({ zod: { severity: "moderate", title: "Slow regular expression" } });
    const { code, output } = await audit(registry, "--strict");
    expect(output).toContain("production dependencies: 1; high or critical: 0;");
    expect(code).toBe(0);
  });

  it("reports that npm audit failed, and passes unless it is strict", CHECK, async () => {
    const registry = "http://127.0.0.1:1/";
    const lenient = await audit(registry);
    expect(lenient.output).toMatch(/The dependencies were NOT audited: npm audit failed \(.+\)\./);
    expect([lenient.code, (await audit(registry, "--strict")).code]).toEqual([0, 1]);
  });
});
