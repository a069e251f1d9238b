import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addPrice, addTenantData } from "../support/fixtures.js";
import { connectMcp, type McpClient } from "../support/mcp.js";
import { type Gateway, makeKey, startGateway } from "../support/server.js";

const UNKNOWN = "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a";

let gateway: Gateway;
let alpha: McpClient;
let bravo: McpClient;
/** Ids of the other tenant's rows. */
let ids: { readonly record: string; readonly factor: string; readonly event: string };

beforeAll(async () => {
  gateway = await startGateway();
  const { database } = gateway;
  await addTenantData(database, { name: "ALPHA", digits: 4_242_424, framework: "EU_CBAM" });
  await addTenantData(database, { name: "BRAVO", digits: 7_373_737, framework: "TCFD" });
  const past = { creditType: "BRAVO credits", exchange: "BRAVO exchange", asOf: "2026-10-15" };
  await addPrice(database, "bravo", past);
  const connect = async (slug: string) =>
    connectMcp(gateway, { "X-API-Key": (await makeKey(database, slug)).key });
  [alpha, bravo] = [await connect("alpha"), await connect("bravo")];
  const organization = { slug: "bravo" };
  const [record, factor] = await Promise.all([
    database.prisma.emissionRecord.findFirstOrThrow({ where: { organization } }),
    database.prisma.emissionFactor.findFirstOrThrow({ where: { organization } }),
  ]);
  const { next_cursor: event } = (await bravo.call("list_events", { limit: 1 })).structuredContent;
  ids = { record: record.id, factor: factor.id, event };
});
afterAll(async () => {
  await alpha.client.close();
  await bravo.client.close();
  await gateway.stop();
});

type Given = Record<string, unknown>;
/** A tool, arguments that name a row, a name of the other tenant's row, and an unknown name. */
type Naming = readonly [tool: string, given: (name: string) => Given, taken: string, free: string];

const select = (selector: Given): Given => ({ activities: [{ amount: 1, unit: "kg", selector }] });

/** Lists every argument of a tool that can name a tenant's row. */
const listNamings = (): readonly Naming[] => {
  const code: readonly [string, string] = ["BRAVO code", "WHISKEY code"];
  const types: readonly [string, string] = ["BRAVO credits", "WHISKEY credits"];
  const exchanges: readonly [string, string] = ["BRAVO exchange", "WHISKEY exchange"];
  const categories: readonly [string, string] = ["BRAVO category", "WHISKEY category"];
  return [
    ["get_emission_record", (id) => ({ id }), ids.record, UNKNOWN],
    [
      "calculate_emissions",
      (factor_id) => ({ activities: [{ amount: 1, unit: "kg", factor_id }] }),
      ids.factor,
      UNKNOWN,
    ],
    [
      "calculate_emissions",
      (source_factor_id) => select({ source_factor_id }),
      "BRAVO factor",
      "WHISKEY factor",
    ],
    [
      "calculate_emissions",
      (activity) => select({ activity, region: "UK" }),
      "BRAVO activity",
      "WHISKEY activity",
    ],
    ["calculate_emissions", (region) => select({ activity: "x", region }), "BRAVO region", "WHISKEY region"],
    ["list_events", (after) => ({ after }), ids.event, ids.event.replace(/-.*/, "-0123456789abcdef")],
    ["get_facility", (name) => ({ code: name }), ...code],
    ...["get_emissions_summary", "get_emissions_trend", "forecast_emissions", "search_emission_records"].map(
      (tool): Naming => [tool, (name) => ({ facility_codes: [name] }), ...code],
    ),
    ["search_emission_records", (name) => ({ categories: [name] }), ...categories],
    ["search_emission_records", (search) => ({ search }), ...categories],
    ["list_facilities", (search) => ({ search }), ...code],
    ["search_emission_factors", (search) => ({ search }), "BRAVO activity", "WHISKEY activity"],
    ["search_emission_factors", (region) => ({ region }), "BRAVO region", "WHISKEY region"],
    ["get_credit_portfolio", (name) => ({ credit_types: [name] }), ...types],
    ["list_retirements", (name) => ({ credit_types: [name] }), ...types],
    ["list_sales", (name) => ({ credit_types: [name] }), ...types],
    ["forecast_price", (credit_type) => ({ credit_type, exchange: "BRAVO exchange" }), ...types],
    ["forecast_price", (exchange) => ({ credit_type: "BRAVO credits", exchange }), ...exchanges],
    ["get_market_prices", (name) => ({ credit_types: [name] }), ...types],
    ["get_market_prices", (name) => ({ exchanges: [name] }), ...exchanges],
    ["get_price_history", (credit_type) => ({ credit_type }), ...types],
    ["get_price_history", (name) => ({ credit_type: "BRAVO credits", exchanges: [name] }), ...exchanges],
  ];
};

/** Returns a tool's answer with `name` replaced by X, without its request id and remaining budget. */
async function answerTo({ call }: McpClient, tool: string, given: Given, name: string): Promise<string> {
  const { _meta, ...result } = await call(tool, given);
  const { "carbon-gateway/request_id": _, "carbon-gateway/budget": __, ...meta } = _meta;
  return JSON.stringify({ ...result, meta }).replaceAll(name, "X");
}

describe("a tool of POST /mcp", () => {
  it("answers another tenant's ids, codes and names exactly like unknown ones", async () => {
    for (const [tool, given, taken, free] of listNamings()) {
      const [own, other] = [
        await answerTo(alpha, tool, given(taken), taken),
        await answerTo(alpha, tool, given(free), free),
      ];
      expect(own, `${tool} ${taken}`).toBe(other);
      // The owner's answer differs.
      expect(await answerTo(bravo, tool, given(taken), taken), `${tool} ${taken}`).not.toBe(own);
    }
  });

  it("returns no row of another tenant, not even with its cursors", async () => {
    const { tools } = await alpha.client.listTools();
    const needed: Readonly<Record<string, (tenant: string) => Given>> = {
      calculate_emissions: () => select({ activity: "x", region: "UK" }),
      estimate_cbam: () => ({
        year: 2026,
        quarter: "Q3",
        lines: [{ cn_code: "72031000", country: "IN", mass_t: 1 }],
      }),
      get_facility: (tenant) => ({ code: `${tenant} code` }),
      get_emission_record: () => ({ id: ids.record }),
      get_price_history: (tenant) => ({ credit_type: `${tenant} credits` }),
    };
    let shown = 0;
    for (const { name, inputSchema } of tools) {
      const given = (tenant: string) => needed[name]?.(tenant) ?? {};
      const own = JSON.stringify(await alpha.call(name, given("ALPHA")));
      expect(own, name).not.toMatch(/BRAVO|7373737/);
      const theirs = await bravo.call(name, given("BRAVO"));
      if (/BRAVO|7373737/.test(JSON.stringify(theirs))) shown += 1;
      if (!Object.hasOwn(inputSchema.properties ?? {}, "cursor")) continue;
      const { next_cursor } =
        (await bravo.call(name, { ...given("BRAVO"), limit: 1 })).structuredContent ?? {};
      if (!next_cursor) continue;
      const beyond = JSON.stringify(await alpha.call(name, { ...given("ALPHA"), cursor: next_cursor }));
      expect(beyond, name).not.toMatch(/BRAVO|7373737/);
    }
    // The search does find the owner's rows.
    expect(shown).toBeGreaterThan(14);
  });
});
