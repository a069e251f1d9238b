import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addFacility } from "../support/fixtures.js";
import { type Gateway, startGateway } from "../support/server.js";
import { recordStatements } from "../support/statements.js";
import { createTestMutations } from "../support/test-mutations.js";
import { newTenant } from "./tenant.js";

// Rules of all mutations. The mutations exist only in this test; the executor, Apollo Server and database are real.

const ADD = "mutation { addRecord(tonnes: 1) { recordCount totalCo2eTonnes } }";
const COUNT = "{ emissions { recordCount } }";
const CALLERS = 20;

const writing = createTestMutations();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ extension: writing.extension });
  writing.writeTo(gateway.database);
});
afterAll(() => gateway.stop());

/** Returns the number of mutations that `work` runs, with its result. */
async function countCalls<T>(work: () => Promise<T>): Promise<[calls: number, answer: T]> {
  const before = writing.calls();
  const answer = await work();
  return [writing.calls() - before, answer];
}

describe("a mutation", () => {
  it("runs every time it is sent, and is never answered from the cache", async () => {
    const { dataOf } = await newTenant(gateway);
    for (const count of [1, 2, 3]) {
      expect(await dataOf(ADD)).toEqual({ addRecord: { recordCount: count, totalCo2eTonnes: count } });
    }
    expect(await dataOf(COUNT)).toEqual({ emissions: { recordCount: 3 } });
  });

  it("runs once per caller, even if they send it concurrently", async () => {
    const { ask, dataOf } = await newTenant(gateway);
    const [calls, answers] = await countCalls(() =>
      Promise.all(Array.from({ length: CALLERS }, () => ask(ADD))),
    );
    expect(answers.map(({ body }) => body.errors)).toEqual(Array(CALLERS).fill(undefined));
    expect(calls).toBe(CALLERS);
    expect(await dataOf(COUNT)).toEqual({ emissions: { recordCount: CALLERS } });
  });

  it("runs once per caller even if it fails", async () => {
    const { ask, dataOf } = await newTenant(gateway);
    const fail = () => ask("mutation { addRecord(tonnes: 1, fails: true) { recordCount } }");
    const [calls, answers] = await countCalls(() => Promise.all([fail(), fail(), fail()]));
    expect(calls).toBe(3);
    for (const { body } of answers) {
      expect(body).toMatchObject({
        data: { addRecord: null },
        errors: [{ path: ["addRecord"], extensions: { code: "INTERNAL_ERROR" } }],
      });
    }
    expect(await dataOf(COUNT)).toEqual({ emissions: { recordCount: 3 } });
  });

  it("shows its writes in its result, and those of earlier fields in later ones", async () => {
    const { dataOf } = await newTenant(gateway);
    const name = (alias: string, to: string) =>
      `${alias}: nameFacility(code: "A", name: "${to}") { recordCount facility(code: "A") { name } }`;
    const data = await dataOf(`mutation {
      ${name("created", "First")}
      one: addRecord(tonnes: 2) { totalCo2eTonnes facility(code: "A") { name } }
      ${name("renamed", "Second")}
      two: addRecord(tonnes: 3) { totalCo2eTonnes facility(code: "A") { name } }
    }`);
    expect(data).toEqual({
      created: { recordCount: 0, facility: { name: "First" } },
      one: { totalCo2eTonnes: 2, facility: { name: "First" } },
      renamed: { recordCount: 1, facility: { name: "Second" } },
      two: { totalCo2eTonnes: 5, facility: { name: "Second" } },
    });
  });

  it("shows in later fields what a failed field wrote", async () => {
    const { ask } = await newTenant(gateway);
    const { body } = await ask(`mutation {
      failed: addRecord(tonnes: 1, fails: true) { recordCount }
      later: addRecord(tonnes: 1) { recordCount }
    }`);
    expect(body.data).toEqual({ failed: null, later: { recordCount: 2 } });
  });

  it("reads the database even if its rows are cached", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    await addFacility(gateway.database, slug, { code: "A", name: "First" });
    const read = 'emissions { facility(code: "A") { name } }';
    await dataOf(`{ ${read} }`);
    const cached = await recordStatements(() => dataOf(`{ again: ${read} }`));
    expect(cached.statements).toEqual([]);
    const { statements } = await recordStatements(() =>
      dataOf(`mutation { nameFacility(code: "A", name: "First") { facility(code: "A") { name } } }`),
    );
    // Once to decide what to write, once for the result. Prisma's writes name the schema, so they are not counted.
    const reads = statements.filter(({ text }) => text.includes("facilities") && !text.includes('"public"'));
    expect(reads).toHaveLength(2);
  });

  it("needs its scope, and is counted once", async () => {
    const { ask } = await newTenant(gateway, { scopes: ["read:market"] });
    const [calls, { headers, body }] = await countCalls(() => ask(ADD));
    expect([calls, headers.get("x-ratelimit-remaining")]).toEqual([0, "9999"]);
    expect(body).toMatchObject({
      data: { addRecord: null },
      errors: [{ extensions: { code: "INVALID_KEY", reason: "insufficient_scope" } }],
    });
  });

  it("is refused in the URL of a GET", async () => {
    const { key } = await newTenant(gateway);
    const headers = { "X-API-Key": key };
    const path = `/graphql?query=${encodeURIComponent(ADD)}`;
    const [calls, { status }] = await countCalls(() => gateway.call(path, { headers }));
    expect([calls, status]).toEqual([0, 405]);
  });
});
