import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectMcp, listArguments, type McpClient } from "../support/mcp.js";
import {
  type Gateway,
  makeKey,
  makeOrganization,
  startGateway,
  startSampleGateway,
} from "../support/server.js";

let gateway: Gateway;
let key: string;
let mcp: McpClient;
const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);

beforeAll(async () => {
  ({ gateway, key } = await startSampleGateway());
  mcp = await connectMcp(gateway, { "X-API-Key": key });
});
afterAll(async () => {
  await mcp.client.close();
  await gateway.stop();
});

describe("tools of POST /mcp", () => {
  it("are listed and called, with results that match their schemas", async () => {
    const given = await listArguments(mcp);
    const { tools } = await mcp.client.listTools();
    expect(tools.length).toBeGreaterThanOrEqual(28);
    expect(JSON.stringify(tools).length).toBeLessThanOrEqual(114_000);
    expect(
      JSON.stringify(tools.map(({ name, description, inputSchema }) => [name, description, inputSchema]))
        .length,
    ).toBeLessThanOrEqual(30_720);
    for (const { name, inputSchema, outputSchema, annotations } of tools) {
      expect(annotations, name).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      const { limit } = (inputSchema.properties ?? {}) as Record<string, { maximum?: number }>;
      if (limit) expect(limit, name).toMatchObject({ minimum: 1, maximum: 50, default: expect.any(Number) });
      const input = given[name] ?? {};
      expect(ajv.validate(inputSchema, input), `${name}: ${ajv.errorsText()}`).toBe(true);
      const result = await mcp.call(name, input);
      expect(result.isError, `${name}: ${result.content[0]?.text}`).toBeUndefined();
      const isValid = ajv.validate(outputSchema as object, result.structuredContent);
      expect(isValid, `${name}: ${ajv.errorsText()}`).toBe(true);
      expect(JSON.parse(result.content[0]?.text ?? "")).toEqual(result.structuredContent);
      expect(result.structuredContent.as_of.seq).toBeGreaterThan(0);
      expect(result._meta).toMatchObject({
        "carbon-gateway/cost": expect.any(Number),
        "carbon-gateway/budget": {
          limit: 10_000,
          remaining: expect.any(Number),
          resets_in_s: expect.any(Number),
        },
        "carbon-gateway/request_id": expect.any(String),
      });
    }
  });

  it("are described one after another, so that other requests are served in between", async () => {
    const fresh = await startGateway();
    const { key: own } = await makeKey(fresh.database, await makeOrganization(fresh.database));
    const other = await connectMcp(fresh, { "X-API-Key": own });
    let isListed = false;
    const listing = other.client.listTools().finally(() => {
      isListed = true;
    });
    let answered = 0;
    for (; !isListed; answered += 1) await fresh.call("/health/live");
    await listing;
    expect(answered).toBeGreaterThan(4);
    await other.client.close();
    await fresh.stop();
  });

  it("answer with the same figures as GraphQL", async () => {
    const { body } = await gateway.graphql(
      `{ emissions(range: { from: "2026-01-01", to: "2026-06-30" }) { totalCo2eTonnesExact largestParts { part sharePercent } } }`,
      key,
    );
    const range = { from: "2026-01-01", to: "2026-06-30" };
    const summary = await mcp.call("get_emissions_summary", range);
    expect(summary.structuredContent.total_co2e_tonnes_exact).toBe(body.data.emissions.totalCo2eTonnesExact);
    const ranked = await mcp.call("rank_emission_sources", range);
    expect(ranked.structuredContent.largest_parts.map(({ part }: { part: string }) => part)).toEqual(
      body.data.emissions.largestParts.map(({ part }: { part: string }) => part),
    );
    const shares = ranked.structuredContent.largest_parts.map(
      (one: { share_percent: number }) => one.share_percent,
    );
    expect(shares.reduce((sum: number, share: number) => sum + share, 0)).toBeCloseTo(100, 0);
  });

  it.each([
    [
      "get_emissions_summary",
      { from: "2026-01-01" },
      "to",
      "to: expected a value, because from has one, got nothing. Correct the argument, and call the tool again.",
    ],
    [
      "get_emissions_summary",
      { from: "1900-01-01", to: "2026-11-23" },
      "from",
      "from: expected at most 100 years, got 1900-01-01 to 2026-11-23. Correct the argument, and call the tool again.",
    ],
    [
      "get_emissions_summary",
      { facility_codes: ["PUNE"] },
      "facility_codes",
      'facility_codes: expected the code of a facility, got "PUNE". Get the code from list_facilities.',
    ],
    [
      "list_facilities",
      { limit: 51 },
      "limit",
      "limit: expected a whole number from 1 to 50, got 51. Correct the argument, and call the tool again.",
    ],
    ["list_facilities", { cursor: "nothing" }, "cursor", undefined],
    [
      "list_events",
      { after: "yesterday" },
      "after",
      'after: expected the id of an event or next_cursor, such as 4711-81070dcecdfac070, or a day, got "yesterday". Correct the argument, and call the tool again.',
    ],
    [
      "list_facilities",
      { serch: "x" },
      "serch",
      "serch: unknown field. Did you mean search? Correct the argument, and call the tool again.",
    ],
    [
      "list_facilities",
      { constructor: "x" },
      "constructor",
      "constructor: unknown field. Correct the argument, and call the tool again.",
    ],
    [
      "list_facilities",
      { "": "x" },
      '""',
      '"": unknown field. Correct the argument, and call the tool again.',
    ],
    [
      "get_emission_record",
      { id: "x" },
      "id",
      'id: expected a UUID, got "x". Correct the argument, and call the tool again.',
    ],
    [
      "calculate_emissions",
      { activities: [] },
      "activities",
      "activities: expected 1 to 20 items, got none. Correct the argument, and call the tool again.",
    ],
  ])(
    "refuse wrong arguments with a message that says how to correct them: %s %o",
    async (name, given, argument, text) => {
      const { isError, content, structuredContent, _meta } = await mcp.call(name, given);
      expect(isError).toBe(true);
      expect(structuredContent).toBeUndefined();
      expect(_meta["carbon-gateway/error"]).toMatchObject({ argument });
      if (text !== undefined) expect(content[0]?.text).toBe(text);
    },
  );

  it("accept null as an omitted argument, and only objects as arguments", async () => {
    expect((await mcp.call("list_facilities", { search: null })).isError).toBeUndefined();
    await expect(mcp.client.callTool({ name: "list_facilities", arguments: [] as never })).rejects.toThrow();
    await expect(mcp.call("drop_tables")).rejects.toThrow("Unknown tool: drop_tables");
  });
});

describe("long texts and failures of POST /mcp", () => {
  it("do not truncate the cursor after a long title", async () => {
    const title = (letter: string) => letter.repeat(1_000);
    await gateway.database.transaction(({ script }) =>
      script(`WITH model AS (SELECT * FROM compliance_deadlines LIMIT 1)
        INSERT INTO compliance_deadlines (organization_id, framework, title, due_date, status)
        SELECT organization_id, framework, t, '2030-01-01', status FROM model, unnest(ARRAY['${title("a")}', '${title("b")}']) AS t`),
    );
    const range = { due_from: "2030-01-01", due_to: "2030-01-01", limit: 1 };
    const first = (await mcp.call("list_deadlines", range)).structuredContent;
    expect(first.items[0].title).toHaveLength(500);
    const next = await mcp.call("list_deadlines", { ...range, cursor: first.next_cursor });
    expect(next.structuredContent?.items[0].title, next.content[0]?.text).toMatch(/^b+…$/);
  });

  it("mask internal failures", async () => {
    const rename = (from: string, to: string) =>
      gateway.database.transaction(({ script }) => script(`ALTER TABLE ${from} RENAME TO ${to}`));
    await rename("facilities", "moved_facilities");
    try {
      await expect(
        mcp.client.complete({
          ref: { type: "ref/prompt", name: "find_gaps" },
          argument: { name: "facility", value: "unseen" },
        }),
      ).rejects.toMatchObject({
        message: expect.stringContaining("Internal error. Quote"),
        data: { code: "INTERNAL_ERROR", request_id: expect.any(String) },
      });
    } finally {
      await rename("moved_facilities", "facilities");
    }
  });
});

describe("prompts, resources and completion of POST /mcp", () => {
  it("are listed and read", async () => {
    const { prompts } = await mcp.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      "quarterly_review",
      "find_gaps",
      "prepare_verification",
      "cbam_what_if",
    ]);
    const known = new Set((await mcp.client.listTools()).tools.map(({ name }) => name));
    const values = { quarter: "2026-Q3", year: "2025", from: "2025-01-01", to: "2025-12-31" };
    for (const { name, arguments: all = [] } of prompts) {
      const given = Object.fromEntries(
        Object.entries(values).filter(([one]) => all.some((each) => each.name === one)),
      );
      const { messages } = await mcp.client.getPrompt({ name, arguments: given });
      const text = JSON.stringify(messages);
      const named = text.match(/\b(?:get|list|find|search|rank|estimate)_\w+/g) ?? [];
      expect(named.length, name).toBeGreaterThan(1);
      expect(named.filter((one) => !known.has(one) && one !== "find_gaps")).toEqual([]);
    }
    await expect(
      mcp.client.getPrompt({ name: "find_gaps", arguments: { year: "ignore all" } }),
    ).rejects.toThrow("year");
    const { resources } = await mcp.client.listResources();
    for (const { uri } of resources) {
      const { contents } = await mcp.client.readResource({ uri });
      expect(contents[0], uri).toMatchObject({ uri, text: expect.stringMatching(/.{100}/s) });
    }
    const { contents } = await mcp.client.readResource({ uri: "carbon://publications/desnz-2025" });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
      id: "desnz-2025",
      year: 2025,
      licence: "Open Government Licence v3.0",
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    await expect(mcp.client.readResource({ uri: "carbon://publications/../x" })).rejects.toThrow();
  });

  it("complete frameworks, the caller's facilities and the publications", async () => {
    const frameworks = await mcp.client.complete({
      ref: { type: "ref/prompt", name: "quarterly_review" },
      argument: { name: "framework", value: "c" },
    });
    expect(frameworks.completion).toEqual({ values: ["CCTS", "CDP"], hasMore: false });
    const { messages } = await mcp.client.getPrompt({
      name: "quarterly_review",
      arguments: { quarter: "2026-Q3", framework: "CDP" },
    });
    expect(JSON.stringify(messages)).toContain("list_deadlines for the 90 days after the quarter, for CDP.");
    const facilities = await mcp.client.complete({
      ref: { type: "ref/prompt", name: "find_gaps" },
      argument: { name: "facility", value: "PUNE" },
    });
    expect(facilities.completion.values).toEqual(["IN-PUNE"]);
    const publications = await mcp.client.complete({
      ref: { type: "ref/resource", uri: "carbon://publications/{id}" },
      argument: { name: "id", value: "desnz" },
    });
    expect(publications.completion.values).toContain("desnz-2026");
  });
});
