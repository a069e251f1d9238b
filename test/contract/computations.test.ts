import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { requireShortBlocks } from "../support/longest-block.js";
import { type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";

let gateway: Gateway;
let organization: string;
const started: Gateway[] = [];

/** Starts a gateway that has not answered anything. */
const startAgain = async () => {
  const again = await startGateway({ database: gateway.database });
  started.push(again);
  return again;
};
const newKey = async () => (await makeKey(gateway.database, organization, { tier: "enterprise" })).key;

beforeAll(async () => {
  gateway = await startGateway();
  organization = await makeOrganization(gateway.database);
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});
afterAll(async () => {
  for (const one of started) await one.stop();
  await gateway.stop();
});

/** Number of fields that one operation may request at its root. */
const FIELDS = 19;
const WORDS =
  "electricity diesel natural gas petrol hotel flight rail freight waste water steel cement plastic paper coal biomass".split(
    " ",
  );
const wordAt = (place: number) => WORDS[place % WORDS.length] as string;

/** Creates a search of as many words as fit, most of them misspelt. Searches with different seeds differ. */
const textOf = (seed: number) =>
  Array.from({ length: 25 }, (_, place) => wordAt(seed + place).replace(/(?<=^..)./, "x"))
    .join(" ")
    .slice(0, 196) + String(seed).padStart(4, "0").slice(-4);

const search = (seed: number, text: (seed: number) => string) =>
  `{ ${Array.from({ length: FIELDS }, (_, index) => `a${index}: emissionFactors(search: "${text(FIELDS * seed + index)}", first: 1) { nodes { id } }`).join(" ")} }`;

const itemsOf = (seed: number, activity: (place: number) => string) =>
  Array.from({ length: 100 }, (_, place) => ({
    selector: { activity: activity(place + seed), region: ["GB", "US", "DE", "IN"][place % 4] },
    amount: String(1 + place + 100 * seed),
    unit: ["kWh", "litre", "km", "kg"][place % 4],
  }));

const CALCULATE = `query (${Array.from({ length: FIELDS }, (_, index) => `$v${index}: [ActivityInput!]!`).join(", ")}) {
  ${Array.from({ length: FIELDS }, (_, index) => `a${index}: calculate(items: $v${index}) { results { error { code } } }`).join("\n")}
}`;
const variablesOf = (seed: number, activity: (place: number) => string) =>
  Object.fromEntries(
    Array.from({ length: FIELDS }, (_, index) => [`v${index}`, itemsOf(FIELDS * seed + index, activity)]),
  );

/** Creates a search of as many words as fit, none of which is known or was searched before. */
const unknownWords = (seed: number) =>
  Array.from({ length: 20 }, (_, place) => ((20 * seed + place + 1) * 7_654_321).toString(36)).join(" ");

/** The embedded database runs in this process, so its statements block everyone. */
const isEmbedded = inject("template").kind === "embedded";

/** Connections on which one organization searches all the time. */
const CONNECTIONS = 6;

it.skipIf(isEmbedded)("an organization's calculations do not wait for the searches of another", async () => {
  const other = await makeOrganization(gateway.database, "other");
  const { key } = await makeKey(gateway.database, other);
  const headers = { "Content-Type": "application/json", "X-API-Key": key };
  const calculate = (attempt: number) =>
    gateway.call("/v1/calc/ghg", {
      method: "POST",
      headers,
      body: JSON.stringify({ items: itemsOf(attempt, () => "electricity").slice(0, 1) }),
    });
  // Indexes the names of factors, which is for all organizations.
  expect((await calculate(0)).status).toBe(200);
  const { key: busyKey } = await makeKey(gateway.database, organization, { tier: "enterprise" });
  let answered = 0;
  let isOver = false;
  const searchOn = async (connection: number) => {
    for (let seed = connection; !isOver; seed += CONNECTIONS) {
      await gateway.graphql(search(seed, unknownWords), busyKey);
      answered += 1;
    }
  };
  const connections = Array.from({ length: CONNECTIONS }, (_, connection) => searchOn(connection));
  await vi.waitUntil(() => answered > 0, { timeout: 60_000 });
  const statuses: number[] = [];
  /** Number of searches answered during each calculation. */
  const during: number[] = [];
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const before = answered;
    statuses.push((await calculate(attempt)).status);
    during.push(answered - before);
  }
  isOver = true;
  await Promise.all(connections);
  expect(statuses).toEqual(Array(5).fill(200));
  // All connections had sent their searches before.
  expect(Math.min(...during)).toBe(0);
});

describe.skipIf(isEmbedded)("a computation blocks the event loop for at most 50 ms", () => {
  const graphql =
    (query: (attempt: number) => string, variables: (attempt: number) => object = () => ({})) =>
    async (attempt: number) => {
      // Times out on a busy machine. That ends the work, not the blocks.
      await gateway.graphql(query(attempt + 1), await newKey(), variables(attempt + 1));
    };

  it.each([
    ["searches for one word", graphql((attempt) => search(attempt, (seed) => `${wordAt(seed)} ${seed}`))],
    ["searches for 25 misspelt words", graphql((attempt) => search(attempt, textOf))],
    [
      "searches that match every factor",
      graphql((attempt) => search(attempt, (seed) => `kWh ${1990 + seed}`)),
    ],
    [
      "calculations by names",
      graphql(
        () => CALCULATE,
        (attempt) => variablesOf(attempt, wordAt),
      ),
    ],
    [
      "calculations with unknown names",
      graphql(
        () => CALCULATE,
        (attempt) => variablesOf(attempt, (place) => `unknown ${place}`),
      ),
    ],
  ])(`${FIELDS} %s`, (_name, work) => requireShortBlocks(work));

  it("100 items of POST /v1/calc/ghg", () =>
    requireShortBlocks(async (attempt) => {
      const body = JSON.stringify({ items: itemsOf(attempt + 1, wordAt) });
      const headers = { "Content-Type": "application/json", "X-API-Key": await newKey() };
      await gateway.call("/v1/calc/ghg", { method: "POST", headers, body });
    }));

  it("the first search after a start", async () => {
    const key = await newKey();
    const gateways = await Promise.all(Array.from({ length: 5 }, startAgain));
    const query = '{ emissionFactors(search: "uk electricity") { nodes { id } } }';
    await requireShortBlocks(async (attempt) => {
      // On a busy machine, the first one may run out of time. The index is still built.
      for (let status = 500; status !== 200; ) {
        ({ status } = await (gateways[attempt] as Gateway).graphql(query, key));
        expect([200, 500]).toContain(status);
      }
    });
  });
});
