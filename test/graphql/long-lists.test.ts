import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ORGANIZATION, runSql } from "../support/graph-fixtures.js";
import { type Gateway, startGateway } from "../support/server.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;
let tenant: Awaited<ReturnType<typeof newTenant>>;

const LENGTH = 1_200;

beforeAll(async () => {
  gateway = await startGateway();
  tenant = await newTenant(gateway);
  const run = (text: string) => runSql(gateway.database, text, tenant.slug);
  await run(
    `INSERT INTO market_prices (organization_id, credit_type, exchange, price, currency, source, as_of)
     SELECT ${ORGANIZATION}, 'type-' || lpad(n::text, 5, '0'), 'EEX', 1, 'EUR', 'list', '2026-11-01'
     FROM generate_series(1, ${LENGTH}) AS n`,
  );
  await run(
    `INSERT INTO credit_batches (organization_id, reference, credit_type, quantity)
     SELECT ${ORGANIZATION}, 'batch-' || n, 'type-' || lpad(n::text, 5, '0'), 1
     FROM generate_series(1, ${LENGTH}) AS n`,
  );
  await runSql(
    gateway.database,
    `INSERT INTO benchmarks (sector, source, source_url, source_year)
     SELECT 'sector-' || lpad(n::text, 5, '0'), 'A report', 'https://example.org', 2024
     FROM generate_series(1, ${LENGTH}) AS n`,
  );
});
afterAll(() => gateway.stop());

const LISTS = [
  ["market.prices", (args: string) => `{ market { prices${args} { creditType } } }`],
  ["credits.byType", (args: string) => `{ credits { byType${args} { creditType } } }`],
  ["credits.byTypeAndVintage", (args: string) => `{ credits { byTypeAndVintage${args} { creditType } } }`],
  ["benchmarks.items", (args: string) => `{ benchmarks { items${args} { sector } } }`],
] as const;

describe.each(LISTS)("the unpaged list %s", (path, query) => {
  const [root = "", name = ""] = path.split(".");

  it("returns as many items as requested, up to 1,000, at one point each", async () => {
    for (const first of [1, 1_000]) {
      const { body, cost } = await tenant.ask(query(`(first: ${first})`));
      expect([body.errors, body.data[root][name].length, cost]).toEqual([undefined, first, 1 + first]);
    }
  });

  it("is refused, never cut, if it has more than 100 items and no size is given", async () => {
    const { status, body, cost } = await tenant.ask(query(""));
    expect([status, body.data, cost]).toEqual([200, { [root]: null }, 101]);
    expect(body.errors).toMatchObject([
      {
        message: `first: expected 1 to 1000, got none. It is required for lists of more than 100 items; this one has ${LENGTH}.`,
        path: [root, name],
        extensions: { code: "BAD_USER_INPUT", argument: "first" },
      },
    ]);
  });

  it.each([0, -1, 1_001])("is refused with a size out of bounds: %i", async (first) => {
    const { body } = await tenant.ask(query(`(first: ${first})`));
    expect(body.errors?.[0]?.message).toBe(`first: expected 1 to 1000, got ${first}`);
  });

  it("is complete without a size for an organization with few items", async () => {
    if (root === "benchmarks") return;
    const { dataOf } = await newTenant(gateway);
    expect(await dataOf(query(""))).toEqual({ [root]: { [name]: [] } });
  });
});

describe("the REST surface", () => {
  it.each([
    ["/market", "prices"],
    ["/credits", "by_type"],
    ["/benchmarks", "benchmarks"],
  ])("returns all items of a list of any length: %s", async (path, name) => {
    const { status, body } = await gateway.rest(path, tenant.key);
    expect([status, (body.data as Record<string, unknown[]>)[name]?.length]).toEqual([200, LENGTH]);
  });
});

describe("an answer", () => {
  it("of more than 10 MB is refused every time, and one of less is not", async () => {
    const { slug, ask } = await newTenant(gateway);
    await runSql(
      gateway.database,
      `INSERT INTO market_prices (organization_id, credit_type, exchange, price, currency, source, as_of)
       SELECT ${ORGANIZATION}, 'type-' || n, 'EEX', 1, 'EUR', repeat('ä', 1000), date '2026-11-01' - day
       FROM generate_series(1, 100) AS n, generate_series(1, 50) AS day`,
      slug,
    );
    // 100 instruments with `prices` prices each, of 2,000 bytes and 14 around them.
    const query = (prices: number) =>
      `{ market { instruments(first: 100) { nodes { history(first: ${prices}) { source } } } } }`;
    const answered = await ask(query(49));
    expect([answered.status, answered.body.errors]).toEqual([200, undefined]);
    for (const text of [query(50), query(50), `${query(50).slice(0, -1)} rateLimit { limit } }`]) {
      const { status, body } = await ask(text);
      expect([status, body]).toEqual([
        400,
        {
          errors: [
            {
              message: expect.stringMatching(
                /^The answer has 100\d{5} bytes; at most 10000000 are allowed\. Request fewer items or fields at once\.$/,
              ),
              extensions: {
                code: "BAD_USER_INPUT",
                measure: "bytes",
                limit: 10_000_000,
                estimate: expect.any(Number),
              },
            },
          ],
        },
      ]);
    }
  });
});
