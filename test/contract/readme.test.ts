import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Kind, parse } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateKey, isWellFormedKey } from "../../src/access/api-key.js";
import { REFUSALS } from "../../src/access/refusals.js";
import { loadFiles } from "../../src/actions/load.js";
import { loadSample } from "../../src/actions/sample.js";
import { VARIABLES } from "../../src/config.js";
import { REST_PREFIXES } from "../../src/http/surface.js";
import { COST_LIMITS } from "../../src/limits/cost/query-limits.js";
import { SAMPLE_FOLDER } from "../../src/paths.js";
import { temporaryFolder } from "../support/process.js";
import { type Gateway, makeKey, NOW, startGateway } from "../support/server.js";

const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");

/** What stands under a heading of the second level. */
function section(heading: string): string {
  const [, text] = readme.split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`The README has no section ${heading}`);
  return text.split(/\n## /)[0] ?? "";
}

interface Example {
  readonly name: string;
  readonly query: string;
  /** Of the block of JSON that follows; none where there is none. */
  readonly variables: Record<string, unknown>;
  /** The paragraph above. */
  readonly question: string;
}

/** The operations of a text, each with the variables that are given for it. */
function examplesOf(text: string): Example[] {
  // What stands between blocks, and each block's language and content, in turn.
  const parts = text.split(/^```(\w+)\n(.*?)^```$/ms);
  return parts.flatMap((content, index) => {
    if (index % 3 !== 2 || parts[index - 1] !== "graphql") return [];
    const operation = parse(content).definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
    const hasVariables = parts[index + 2] === "json" && parts[index + 1]?.trim() === "";
    return {
      name: operation?.name?.value ?? "",
      query: content,
      variables: hasVariables ? JSON.parse(parts[index + 3] ?? "") : {},
      question: parts[index - 2]?.trim().split("\n\n").at(-1) ?? "",
    };
  });
}

interface AuditPage {
  readonly totalCount: number;
  readonly pageInfo: { hasNextPage: boolean; endCursor: string | null };
  readonly nodes: readonly { id: string }[];
}

const overview = examplesOf(section("GraphQL"));
const dashboards = examplesOf(section("Operations for dashboards"));

let gateway: Gateway;
let key: string;

beforeAll(async () => {
  gateway = await startGateway();
  await loadSample(gateway.database, SAMPLE_FOLDER, NOW);
  ({ key } = await makeKey(gateway.database, "demo"));
});
afterAll(() => gateway.stop());

/** Every list and every value of an answer, by its path with the places in lists left out. */
function* walk(value: unknown, path = ""): Generator<[path: string, value: unknown]> {
  yield [path, value];
  if (Array.isArray(value)) for (const item of value) yield* walk(item, path);
  else if (typeof value === "object" && value !== null) {
    for (const [name, below] of Object.entries(value)) yield* walk(below, `${path}.${name}`);
  }
}

/** Paths of which no value says anything: always null, or a list without items. */
function emptyPaths(data: unknown): string[] {
  const saysSomething = new Map<string, boolean>();
  for (const [path, value] of walk(data)) {
    const says = Array.isArray(value) ? value.length > 0 : value !== null;
    saysSomething.set(path, says || saysSomething.get(path) === true);
  }
  return [...saysSomething].filter(([, says]) => !says).map(([path]) => path);
}

async function dataOf(query: string, variables: object = {}) {
  const { status, body, cost } = await gateway.graphql(query, key, variables);
  expect([status, body.errors]).toEqual([200, undefined]);
  expect(cost).toBeLessThanOrEqual(COST_LIMITS.free);
  return body.data;
}

const find = (name: string): Example => {
  const example = dashboards.find((one) => one.name === name);
  if (!example) throw new Error(`The README has no operation ${name}`);
  return example;
};

/** The variables of an example, with what only an answer can tell. */
async function variablesOf({ variables }: Example): Promise<Record<string, unknown>> {
  if (!("facility" in variables)) return variables;
  const { emissions } = await dataOf(find("Largest").query);
  return { ...variables, facility: emissions.byFacility[0].facility.id };
}

describe("the README's operations", () => {
  it("are an overview and ten for dashboards, each with a name of its own and the question it answers", () => {
    expect(overview).toHaveLength(1);
    expect(dashboards).toHaveLength(10);
    expect(readme.match(/```graphql\n/g)).toHaveLength(11);
    expect(new Set(dashboards.map(({ name }) => name)).size).toBe(10);
    for (const { name, question } of dashboards) {
      expect([name, question]).toEqual([expect.stringMatching(/^[A-Z]/), expect.stringContaining("?")]);
    }
  });

  it("begin with an overview of everything that a key can read", async () => {
    expect(emptyPaths(await dataOf(overview[0]?.query ?? ""))).toEqual([]);
  });

  it.each(dashboards.map((example) => [example.name, example] as const))(
    "are answered from the sample with data in every field, at what a Free key may spend: %s",
    async (_name, example) => {
      expect(emptyPaths(await dataOf(example.query, await variablesOf(example)))).toEqual([]);
    },
  );

  it("page through an audit trail, every record of the facility once", async () => {
    const example = find("AuditTrail");
    const variables = { ...(await variablesOf(example)), first: 7 };
    const ids: string[] = [];
    let after: string | null = null;
    let total = 0;
    do {
      const { records }: { records: AuditPage } = (await dataOf(example.query, { ...variables, after }))
        .emissions;
      ids.push(...records.nodes.map(({ id }) => id));
      after = records.pageInfo.hasNextPage ? records.pageInfo.endCursor : null;
      total = records.totalCount;
    } while (after !== null && ids.length <= total);
    expect(total).toBeGreaterThan(14);
    expect([ids.length, new Set(ids).size]).toEqual([total, total]);
  });

  it("have a step a month in the trend of 12 whole months", async () => {
    const { query, variables } = find("Trend");
    const { trend, totalCo2eTonnes } = (await dataOf(query, variables)).emissions;
    expect(trend.map(({ from }: { from: string }) => from.slice(0, 7))).toEqual([
      ...["2025-11", "2025-12"],
      ...Array.from({ length: 10 }, (_, month) => `2026-${String(month + 1).padStart(2, "0")}`),
    ]);
    const sum = trend.reduce((total: number, step: { co2eTonnes: number }) => total + step.co2eTonnes, 0);
    expect(sum).toBeCloseTo(totalCo2eTonnes, 6);
  });
});

describe("the README's calls", () => {
  const base = "http://127.0.0.1:4000";
  const calls = [...readme.matchAll(/^curl (?:.*\\\n)*.*$/gm)].map(([text]) => text.replaceAll("\\\n", " "));

  it("are those of the five endpoints and of GraphQL", () => {
    const paths = calls.map((call) => new URL(/http:\S+/.exec(call)?.[0] ?? "").pathname);
    const names = ["emissions", "compliance", "credits", "benchmarks", "market"];
    expect(paths).toEqual([...names.map((name) => `/api/v1/ext/v1/${name}`), "/graphql"]);
  });

  it.each(calls)("are answered: %s", async (call) => {
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

  it("and every other path that is named exist", async () => {
    const named = [...readme.matchAll(/`(?:GET )?(\/[\w./-]+)`|<http:\/\/127\.0\.0\.1:4000(\/\S*)>/g)].map(
      ([, quoted, linked]) => quoted ?? linked ?? "",
    );
    expect(named).toEqual(expect.arrayContaining(["/health/ready", "/graphiql", "/graphql/schema.graphql"]));
    for (const path of new Set(named)) {
      const statuses = await Promise.all(
        ["", ...REST_PREFIXES].map(async (prefix) => {
          const headers = { "X-API-Key": key, Accept: "text/html" };
          return (await fetch(`${gateway.url}${prefix}${path}`, { headers })).status;
        }),
      );
      expect([path, statuses]).toEqual([path, expect.arrayContaining([200])]);
    }
  });
});

describe("the README's bundle", () => {
  it("can be loaded", async () => {
    const [, bundle = ""] = /```json\n(.*?)```/s.exec(section("Your data")) ?? [];
    const file = join(temporaryFolder(), "acme.json");
    await writeFile(file, bundle);
    const [loaded] = await loadFiles(gateway.database, [file], NOW, () => undefined);
    expect(loaded).toMatchObject({ organization: "acme", sections: { emission_records: { added: 2 } } });
    const acme = await makeKey(gateway.database, "acme");
    const answer = await gateway.rest("/credits", acme.key);
    expect(answer.body.data).toMatchObject({ available_credits: 350, retired_credits: 50 });
  });
});

describe("the README's pattern of keys", () => {
  const [, text = ""] = readme.split("\n### Finding leaked keys\n");
  const block = (language: string) =>
    new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(text)?.[1] ?? "";
  const keys = Array.from({ length: 50 }, generateKey);
  const example = block("").trim();

  it("has an example that has the right form and opens nothing", async () => {
    expect(isWellFormedKey(example)).toBe(true);
    const { status, headers } = await gateway.rest("/market", example);
    expect([status, headers.get("www-authenticate")]).toEqual([401, 'ApiKey error="unknown"']);
  });

  it("has a verifier that takes keys, and nothing that differs in a character", async () => {
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

  it("has expressions that find keys in a text, and no longer words", () => {
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

describe("the README's reasons for refusing a key", () => {
  it("are all that there are", () => {
    const [, table = ""] = readme.split("| reason | the key |\n|---|---|\n");
    const named = [...(table.split("\n\n")[0] ?? "").matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(named).toEqual([...Object.keys(REFUSALS), "insufficient_scope"]);
  });
});

describe("the README's table of the environment", () => {
  it("has exactly the variables that are read, in their order", () => {
    const [, table = ""] = readme.split("\n### Environment\n");
    const names = [...(table.split(/\n##/)[0] ?? "").matchAll(/^\| `([A-Z_]+)` \|/gm)].map(
      ([, name]) => name,
    );
    expect(names).toEqual(Object.keys(VARIABLES));
  });
});

describe("the README's links to files", () => {
  const targets = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target = ""]) => target);

  it("lead to what is there", () => {
    expect(targets.length).toBeGreaterThan(20);
    expect(targets.filter((target) => !existsSync(new URL(`../../${target}`, import.meta.url)))).toEqual([]);
  });
});
