import { Kind, parse } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COST_LIMITS } from "../../src/limits/cost/query-limits.js";
import { readPage, sectionOf } from "../support/pages.js";
import { signUp } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { type Gateway, startSampleGateway } from "../support/server.js";

interface Example {
  readonly name: string;
  readonly query: string;
  /** Content of the following JSON block, if any. */
  readonly variables: Record<string, unknown>;
  /** The paragraph above. */
  readonly question: string;
}

/** Returns the operations of a page, each with its variables. */
function examplesOf(text: string): Example[] {
  // Repeats: text, then the language and the content of a block.
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

const readme = await readPage("README.md");
const guide = await readPage("docs/graphql.md");
const overview = examplesOf(sectionOf(readme, "## GraphQL"));
const dashboards = examplesOf(sectionOf(guide, "## Operations for dashboards"));

let gateway: Gateway;
let key: string;

beforeAll(async () => {
  ({ gateway, key } = await startSampleGateway());
});
afterAll(() => gateway.stop());

/** Yields all values of an answer by path, without list indexes. */
function* walk(value: unknown, path = ""): Generator<[path: string, value: unknown]> {
  yield [path, value];
  if (Array.isArray(value)) for (const item of value) yield* walk(item, path);
  else if (typeof value === "object" && value !== null) {
    for (const [name, below] of Object.entries(value)) yield* walk(below, `${path}.${name}`);
  }
}

/** Returns the paths without data: always null, or always an empty list. */
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
  if (!example) throw new Error(`docs/graphql.md has no operation ${name}`);
  return example;
};

/** Returns the variables of an example, with an actual id in place of a placeholder. */
async function variablesOf({ variables }: Example): Promise<Record<string, unknown>> {
  if (!("facility" in variables)) return variables;
  const { emissions } = await dataOf(find("Largest").query);
  return { ...variables, facility: emissions.byFacility[0].facility.id };
}

describe("the documented operations", () => {
  it("include an overview and ten for dashboards, each with its own name and the question it answers", () => {
    expect(overview).toHaveLength(1);
    expect(dashboards).toHaveLength(10);
    expect(`${readme}${guide}`.match(/```graphql\n/g)).toHaveLength(12);
    expect(new Set(dashboards.map(({ name }) => name)).size).toBe(10);
    for (const { name, question } of dashboards) {
      expect([name, question]).toEqual([expect.stringMatching(/^[A-Z]/), expect.stringContaining("?")]);
    }
  });

  it("begin with an overview of everything a key can read", async () => {
    expect(emptyPaths(await dataOf(overview[0]?.query ?? ""))).toEqual([]);
  });

  it.each(dashboards.map((example) => [example.name, example] as const))(
    "return data in every field from the sample, within the cost limit of a Free key: %s",
    async (_name, example) => {
      expect(emptyPaths(await dataOf(example.query, await variablesOf(example)))).toEqual([]);
    },
  );

  it("page through an audit trail, with every record of the facility once", async () => {
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

  it("create an API key when sent by a user", async () => {
    const [example] = examplesOf(sectionOf(guide, "## People and changes"));
    const { body } = await (await signUp(gateway)).graphql(example?.query ?? "");
    learnKeys(body.data?.createApiKey.key ?? "");
    expect(body).toEqual({
      data: {
        createApiKey: {
          key: expect.stringMatching(/^cgw_live_/),
          apiKey: { id: expect.any(String), display: expect.any(String), version: 1, expiresAt: null },
        },
      },
    });
  });

  it("have one step per month in the trend of 12 whole months", async () => {
    const { query, variables } = find("Trend");
    const { trend, totalCo2eTonnes } = (await dataOf(query, variables)).emissions;
    expect(trend.map(({ from }: { from: string }) => from.slice(0, 7))).toEqual([
      "2025-11",
      "2025-12",
      ...Array.from({ length: 10 }, (_, month) => `2026-${String(month + 1).padStart(2, "0")}`),
    ]);
    const sum = trend.reduce((total: number, step: { co2eTonnes: number }) => total + step.co2eTonnes, 0);
    expect(sum).toBeCloseTo(totalCo2eTonnes, 6);
  });
});
