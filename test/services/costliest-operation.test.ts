import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeOutcomes } from "../support/constant-load.js";
import { IS_FULL } from "../support/full.js";
import { addGraph } from "../support/graph-fixtures.js";
import { type RunningProcess, startProcess } from "../support/process.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useCommandDatabase } from "../support/use.js";

/** Selects as many objects as the cost limit of an Enterprise key allows, with all their fields. */
const MAX_OBJECTS = `{ market { instruments(first: 100) { nodes { history(first: 98) {
  creditType exchange price priceExact currency changePercent24h priceType source sourceUrl asOf updatedAt
} } } } }`;
/** Selects the most fields that graphql-js compares with each other before it refuses the operation. */
const MAX_TEXT_LENGTH = `{ emissions { ${"trend { from } ".repeat(300)} } }`;

const ROUNDS = 5;
const ROUND_MS = IS_FULL ? 3_000 : 1_000;
const ENDPOINTS = ["emissions", "compliance", "credits", "benchmarks", "market"];

let gateway: RunningProcess;
let greedy: string;
let modest: string;

const database = useCommandDatabase();
beforeAll(async () => {
  await database.use(async (opened) => {
    const size = { records: 100, frameworks: 1, batches: 2, instruments: 100, children: 100 };
    const slug = await makeOrganization(opened);
    await addGraph(opened, slug, size);
    greedy = (await makeKey(opened, slug)).key;
    modest = (await makeKey(opened, await makeOrganization(opened))).key;
  });
  gateway = await startProcess({ env: { ...database.env, LOG_LEVEL: "error" } });
});
afterAll(() => gateway?.stop("SIGKILL"));

/** Measures a call in milliseconds; discards the body, since parsing it would block this process. */
async function time(agent: Agent, key: string, path: string, body?: string) {
  const headers = { "X-API-Key": key, ...(body && { "Content-Type": "application/json" }) };
  const started = performance.now();
  const sent = request(`${gateway.url}${path}`, { agent, headers, method: body ? "POST" : "GET" }).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  const { statusCode: status, headers: answered } = response;
  return { ms: performance.now() - started, status, retryAfter: answered["retry-after"] };
}

let texts = 0;
/** Sends a text that no cache has. */
function askGreedily(agent: Agent, query: string) {
  texts += 1;
  return time(agent, greedy, "/graphql", JSON.stringify({ query: `# ${texts}\n${query}` }));
}

/** Measures small requests to both surfaces, in sorted milliseconds, next to four clients that send `query` continuously. */
async function timeOthers(query?: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const end = performance.now() + ROUND_MS;
  const until = async (work: () => Promise<unknown>) => {
    while (performance.now() < end) await work();
  };
  const others: { ms: number; status: number | undefined }[] = [];
  const ask = async () => {
    const path = ENDPOINTS[others.length % ENDPOINTS.length];
    others.push(await time(agent, modest, `/ext/v1/${path}`));
    texts += 1;
    const small = JSON.stringify({ query: `{ organization { slug } } # ${texts}` });
    others.push(await time(agent, modest, "/graphql", small));
    await setTimeout(10);
  };
  await Promise.all([
    ...(query ? Array.from({ length: 4 }, () => until(() => askGreedily(agent, query))) : []),
    ...Array.from({ length: 3 }, () => until(ask)),
  ]);
  agent.destroy();
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
  return others.map(({ ms }) => ms).toSorted((a, b) => a - b);
}

const p99 = (times: readonly number[]) => times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;

describe("while four clients send continuously", () => {
  it.each([
    ["as many objects as an operation may select", MAX_OBJECTS],
    ["as many fields as a text may have", MAX_TEXT_LENGTH],
  ])(
    "%s, 99 % of other requests take less than 250 ms, or less than 10 times as long as alone",
    async (what, query) => {
      const agent = new Agent();
      expect((await askGreedily(agent, query)).status).toBe(200);
      const max = Math.max(250, 10 * p99(await timeOthers()));
      // Other work of the machine can only make a round slower.
      const rounds: number[][] = [];
      while (rounds.length < ROUNDS && !rounds.some((times) => p99(times) < max)) {
        rounds.push(await timeOthers(query));
      }
      const best = rounds.toSorted((a, b) => p99(a) - p99(b))[0] ?? [];
      const outcomes = best.map((ms) => ({ ms, result: "right" as const }));
      const fault = `four clients that ask for ${what} (p99 of the others: ${Math.round(p99(best))} ms)`;
      console.log(describeOutcomes(fault, outcomes));
      expect(p99(best)).toBeLessThan(max);
    },
  );
});

describe("more concurrent long texts than can be checked in 5 seconds", () => {
  it("are answered or refused with a time to retry, and then others are served", async () => {
    const agent = new Agent();
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => askGreedily(agent, MAX_TEXT_LENGTH)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 500]));
    const refused = answers.filter(({ status }) => status === 500);
    expect(new Set(refused.map(({ retryAfter }) => retryAfter))).toEqual(new Set(["2"]));
    expect((await time(agent, modest, "/graphql", JSON.stringify({ query: MAX_TEXT_LENGTH }))).status).toBe(
      200,
    );
    agent.destroy();
  });
});
