import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REFUSALS } from "../../src/access/refusals.js";
import { generateKey, isWellFormedKey } from "../../src/access/secrets/api-key.js";
import { loadFiles } from "../../src/actions/bundle/load.js";
import { VARIABLES } from "../../src/config/variables.js";
import { ERROR_STATUS } from "../../src/errors.js";
import { REST_PREFIXES } from "../../src/http/surface.js";
import { connectMcp } from "../support/mcp.js";
import { blocksOf, listPages, readPage, rowsOf, sectionOf } from "../support/pages.js";
import { signUp } from "../support/people.js";
import { temporaryFolder } from "../support/process.js";
import { type Gateway, makeKey, NOW, startSampleGateway } from "../support/server.js";
import { addServiceAccount } from "../support/service-accounts.js";

const pages = new Map<string, string>();
for (const path of await listPages()) pages.set(path, await readPage(path));
const pageAt = (path: string) => pages.get(path) ?? "";
const readme = pageAt("README.md");
const security = pageAt("docs/SECURITY.md");

let gateway: Gateway;
let key: string;

beforeAll(async () => {
  ({ gateway, key } = await startSampleGateway());
});
afterAll(() => gateway.stop());

/** Lists the names in a value in order, each with the type of its value. */
function* namesIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, below] of Object.entries(value)) {
    yield `${name}: ${below === null ? "null" : typeof below}`;
    yield* namesIn(below);
  }
}

describe("the pages", () => {
  const withoutBlocks = (page: string) => page.replaceAll(/^```.*?^```$/gms, "");
  /** The anchors of a page's headings, as GitHub makes them. */
  const anchorsOf = (page: string) =>
    [...withoutBlocks(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    );
  const links = [...pages].flatMap(([page, text]) =>
    [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^https?:/.test(target))
      .map((target) => {
        const [path = "", anchor] = target.split("#");
        return { page, target, file: path === "" ? page : join(dirname(page), path), anchor };
      }),
  );

  it("have relative links to files and headings that exist", () => {
    expect(links.length).toBeGreaterThan(80);
    const broken = links.filter(
      ({ file, anchor }) =>
        !existsSync(file) || (anchor !== undefined && !anchorsOf(pageAt(file)).includes(anchor)),
    );
    expect(broken.map(({ page, target }) => [page, target])).toEqual([]);
  });

  it("are all linked from the README", () => {
    const linked = new Set(links.filter(({ page }) => page === "README.md").map(({ file }) => file));
    expect([...pages.keys()].filter((page) => page !== "README.md" && !linked.has(page))).toEqual([]);
  });

  it("have the sections that messages of the gateway refer to", async () => {
    const files = (await readdir("src", { recursive: true })).filter((file) => file.endsWith(".ts"));
    const sources = await Promise.all(files.map((file) => readPage(`src/${file}`)));
    const named = sources.flatMap((text) => [
      ...text.matchAll(/(?:see ([\w ]+) in )?\b(docs\/[\w-]+\.md)/gi),
    ]);
    expect(named.length).toBeGreaterThan(3);
    const missing = named.filter(
      ([, heading, page = ""]) =>
        !pages.has(page) || (heading !== undefined && !pageAt(page).includes(`\n## ${heading}\n`)),
    );
    expect(missing.map(([text]) => text)).toEqual([]);
  });

  it("refer to paths that exist", async () => {
    // The list of all endpoints has a separate test.
    const others = [...pages].filter(([page]) => page !== "docs/api.md");
    const named = others.flatMap(([, text]) =>
      [...text.matchAll(/`(?:(?:GET|POST) )?(\/[\w./-]+)`|<http:\/\/127\.0\.0\.1:4000(\/\S*)>/g)].map(
        ([, quoted, linked]) => quoted ?? linked ?? "",
      ),
    );
    expect(named).toEqual(expect.arrayContaining(["/health/ready", "/graphiql", "/graphql/schema.graphql"]));
    for (const path of new Set(named)) {
      const statuses = await Promise.all(
        ["", ...REST_PREFIXES].map(async (prefix) => {
          const headers = { "X-API-Key": key, Accept: "text/html" };
          return (await fetch(`${gateway.url}${prefix}${path}`, { headers })).status;
        }),
      );
      // Some paths do not accept GET or an API key, or need parameters.
      expect([path, statuses.some((status) => [200, 400, 401, 405, 422].includes(status))]).toEqual([
        path,
        true,
      ]);
    }
  });
});

describe("the README", () => {
  it("has at most 220 lines", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(220);
  });

  it("shows an answer with the shape of a real one", async () => {
    const [shown = ""] = blocksOf(readme, "json");
    const { body } = await gateway.rest("/emissions", key);
    const shapeOf = (value: unknown) => [...namesIn(value)].join("\n");
    expect(shapeOf(JSON.parse(shown))).toBe(shapeOf(body));
  });
});

describe("the README's calls", () => {
  const base = "http://127.0.0.1:4000";
  const calls = [...readme.matchAll(/^curl (?:.*\\\n)*.*$/gm)].map(([text]) => text.replaceAll("\\\n", " "));

  it("cover the five endpoints and GraphQL", () => {
    const paths = calls.map((call) => new URL(/http:\S+/.exec(call)?.[0] ?? "").pathname);
    const names = ["emissions", "compliance", "credits", "benchmarks", "market"];
    expect(paths).toEqual([...names.map((name) => `/api/v1/ext/v1/${name}`), "/graphql"]);
  });

  it.each(calls)("succeed: %s", async (call) => {
    const [url = ""] = /http:\S+/.exec(call) ?? [];
    const headers = [...call.matchAll(/-H (["'])(.*?)\1/g)].map(([, , header = ""]) =>
      header.replace("$KEY", key).split(": "),
    );
    const body = / -d '(.*)'/.exec(call)?.[1];
    const answer = await fetch(url.replace(base, gateway.url), {
      headers: Object.fromEntries(headers),
      ...(body !== undefined && { method: "POST", body }),
    });
    const { errors, error = null } = (await answer.json()) as { errors?: unknown; error?: unknown };
    expect([answer.status, errors, error]).toEqual([200, undefined, null]);
  });
});

describe("the README's assistant configurations", () => {
  it("give a key and a service account access to the tools", async () => {
    const [block = ""] = blocksOf(sectionOf(readme, "## Language models"), "json");
    const owner = await signUp(gateway, { organization: "demo", role: "owner" });
    const { token } = await addServiceAccount(gateway, owner, { role: "viewer" });
    const configured = block.replace("cgw_live_…", key).replace("cgw_svc_…", token).trim().split("\n");
    expect(configured).toHaveLength(2);
    for (const line of configured) {
      const { carbon } = JSON.parse(line).mcpServers;
      expect(carbon).toMatchObject({ type: "http", url: "http://127.0.0.1:4000/mcp" });
      const { client, call } = await connectMcp(gateway, carbon.headers);
      const { structuredContent } = await call("get_emissions_summary");
      expect(structuredContent.total_co2e_tonnes).toBeGreaterThan(0);
      await client.close();
    }
  });
});

describe("the documented bundle", () => {
  it("can be loaded", async () => {
    const [bundle = ""] = blocksOf(sectionOf(pageAt("docs/importing.md"), "## Bundles"), "json");
    const file = join(temporaryFolder(), "acme.json");
    await writeFile(file, bundle);
    const [loaded] = await loadFiles(gateway.database, [file], NOW);
    expect(loaded).toMatchObject({ organization: "acme", sections: { emission_records: { added: 2 } } });
    const acme = await makeKey(gateway.database, "acme");
    const answer = await gateway.rest("/credits", acme.key);
    expect(answer.body.data).toMatchObject({ available_credits: 350, retired_credits: 50 });
  });
});

describe("the documented key pattern", () => {
  const text = sectionOf(security, "## Leaked keys");
  const block = (language: string) => blocksOf(text, language)[0] ?? "";
  const keys = Array.from({ length: 50 }, generateKey);
  const example = block("").trim();

  it("has a well-formed example that opens nothing", async () => {
    expect(isWellFormedKey(example)).toBe(true);
    const { status, headers } = await gateway.rest("/market", example);
    expect([status, headers.get("www-authenticate")]).toEqual([401, 'ApiKey error="unknown"']);
  });

  it("has a verifier that accepts keys, and refuses them with any character changed", async () => {
    const file = join(temporaryFolder(), "verifier.mjs");
    await writeFile(file, block("js"));
    const { isKey } = (await import(/* @vite-ignore */ file)) as { isKey: (text: string) => boolean };
    for (const right of [example, ...keys]) {
      const wrong = [...right].map(
        (one, at) => right.slice(0, at) + (one === "0" ? "1" : "0") + right.slice(at + 1),
      );
      expect([right, isKey(right), wrong.filter(isKey)]).toEqual([right, true, []]);
    }
  });

  it("has expressions that find keys in text, but not longer words", () => {
    const [, gitleaks = ""] = /regex = '''(.*)'''/.exec(block("toml")) ?? [];
    const [github = "", before = "", after = ""] = [
      ...(text.split("GitHub")[1] ?? "").matchAll(/`([^`]+)`/g),
    ].map(([, quoted = ""]) => quoted.replace("\\A", "^").replace("\\z", "$"));
    for (const pattern of [gitleaks, `(?:${before})(${github})(?:${after})`]) {
      for (const right of keys) {
        for (const around of [right, `KEY="${right}"`, `X-API-Key: ${right}\nHost`])
          expect(new RegExp(pattern).exec(around)?.[1]).toBe(right);
        for (const longer of [`x${right}`, `${right}x`, `_${right}`])
          expect(new RegExp(pattern).test(longer)).toBe(false);
      }
    }
  });
});

describe("the documented names", () => {
  const namesOf = (page: string, head: string) =>
    rowsOf(page, head).map(([name = ""]) => name.replaceAll("`", ""));

  it("include all error codes", () => {
    const rest = namesOf(readme, "| code | status | meaning |");
    const graphql = namesOf(pageAt("docs/graphql.md"), "| code | meaning |");
    const wider = namesOf(pageAt("docs/integrating.md"), "| code | status | meaning |");
    expect([...rest, ...graphql, ...wider]).toEqual(expect.arrayContaining(Object.keys(ERROR_STATUS)));
    expect([...rest, ...wider].filter((code) => !(code in ERROR_STATUS))).toEqual([]);
  });

  it("include all reasons for refusing a key", () => {
    const named = namesOf(readme, "| reason | the key |");
    expect(named).toEqual([...Object.keys(REFUSALS), "insufficient_scope"]);
  });

  it("include all environment variables, in order", () => {
    const named = namesOf(pageAt("docs/operations.md"), "| variable | default | meaning |");
    expect(named).toEqual(Object.keys(VARIABLES));
  });

  it("include all folders of src/", async () => {
    const layout = blocksOf(sectionOf(pageAt("docs/CONTRIBUTING.md"), "## Layout"), "")[0] ?? "";
    const [, rooms = ""] = /^src\/\n((?: {2}.*\n)+)/m.exec(layout) ?? [];
    const named = [...rooms.matchAll(/^ {2}(\w+)\//gm)].map(([, name]) => name);
    const found = await readdir("src", { withFileTypes: true });
    const folders = found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(named.toSorted()).toEqual(folders.toSorted());
  });
});
