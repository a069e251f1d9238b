import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeOutcomes } from "../support/constant-load.js";
import { median, timed } from "../support/durations.js";
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

/** Number of rounds of each kind, and of measured requests in a round. */
const ROUNDS = 6;
const REQUESTS = IS_FULL ? 300 : 60;
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

/** Sends a request; discards the body, since parsing it would block this process. */
async function send(agent: Agent, key: string, path: string, body?: string) {
  const headers = { "X-API-Key": key, ...(body && { "Content-Type": "application/json" }) };
  const sent = request(`${gateway.url}${path}`, { agent, headers, method: body ? "POST" : "GET" }).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  const { statusCode: status, headers: answered } = response;
  return { status, retryAfter: answered["retry-after"] };
}

let texts = 0;
/** Sends a text that no cache has. */
function askGreedily(agent: Agent, query: string) {
  texts += 1;
  return send(agent, greedy, "/graphql", JSON.stringify({ query: `# ${texts}\n${query}` }));
}

/** Measures small requests to both surfaces in milliseconds, next to four clients that send `query` continuously. */
async function timeOthers(query?: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const others: number[] = [];
  const ask = async (path: string, body?: string) => {
    const { ms, result } = await timed(() => send(agent, modest, path, body));
    expect(result.status).toBe(200);
    others.push(ms);
  };
  const isOver = () => others.length >= REQUESTS;
  const until = async (work: () => Promise<unknown>) => {
    while (!isOver()) await work();
  };
  const askBoth = async () => {
    await ask(`/ext/v1/${ENDPOINTS[others.length % ENDPOINTS.length]}`);
    texts += 1;
    await ask("/graphql", JSON.stringify({ query: `{ organization { slug } } # ${texts}` }));
    await setTimeout(10);
  };
  await Promise.all([
    ...(query ? Array.from({ length: 4 }, () => until(() => askGreedily(agent, query))) : []),
    ...Array.from({ length: 3 }, () => until(askBoth)),
  ]);
  agent.destroy();
  return others;
}

describe("while four clients send continuously", () => {
  it.each([
    ["as many objects as an operation may select", MAX_OBJECTS],
    ["as many fields as a text may have", MAX_TEXT_LENGTH],
  ])("%s, other requests take less than 10 times as long as alone", async (what, query) => {
    const agent = new Agent();
    expect((await askGreedily(agent, query)).status).toBe(200);
    const alone: number[] = [];
    const besides: number[] = [];
    // Alternates, because other work of the machine slows both.
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(...(await timeOthers()));
      besides.push(...(await timeOthers(query)));
    }
    const outcomes = besides.map((ms) => ({ ms, result: "right" as const }));
    console.log(describeOutcomes(`four clients that ask for ${what}`, outcomes));
    expect(median(besides) / median(alone)).toBeLessThan(10);
  });
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
    expect((await send(agent, modest, "/graphql", JSON.stringify({ query: MAX_TEXT_LENGTH }))).status).toBe(
      200,
    );
    agent.destroy();
  });
});
