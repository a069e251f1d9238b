import { beforeAll, describe, expect, it } from "vitest";
import { addFacility } from "../support/fixtures.js";
import { runCommand } from "../support/run-command.js";
import { makeOrganization } from "../support/server.js";
import { useCommandDatabase } from "../support/use.js";

describe("gateway tool, as a process", () => {
  let acme: string;
  const commands = useCommandDatabase();
  beforeAll(async () => {
    acme = await commands.use(async (database) => {
      const slug = await makeOrganization(database);
      await addFacility(database, slug, { code: "PLANT", name: "Plant" });
      return slug;
    });
  });

  const run = (...args: string[]) => runCommand(["tool", ...args], { env: commands.env });
  const call = (...args: string[]) => run("call", "--organization", acme, ...args);

  it("lists the tools that the scopes allow", async () => {
    const all = JSON.parse((await run("list", "--json")).stdout);
    expect(all.length).toBeGreaterThanOrEqual(24);
    const { stdout } = await run("list", "--organization", acme, "--key-scopes", "read:market");
    const names = stdout
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(" ")[0]);
    expect(names).toEqual([
      "estimate_cbam",
      "forecast_price",
      "get_market_prices",
      "get_organization",
      "get_price_history",
      "list_events",
    ]);
    const unknown = await run("list", "--organization", "nobody");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("nobody")]);
  });

  it("calls a tool as a key would, and changes nothing", async () => {
    const { code, stdout } = await call("list_facilities", '{"limit":5}');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      items: [{ code: "PLANT", name: "Plant", country: "DE" }],
      next_cursor: null,
      as_of: { seq: expect.any(Number) },
    });
    const { stdout: caller } = await call("get_organization", "--key-scopes", "read:market");
    expect(JSON.parse(caller).organization).toMatchObject({ scopes: ["read:market"] });
  });

  it.each([
    [["list_facilities", '{"limit":51}'], 1, "limit: expected a whole number from 1 to 50, got 51. Correct"],
    [
      ["list_facilities", "{}", "--key-scopes", "read:market"],
      1,
      "No tool list_facilities is available with these",
    ],
    [["drop_tables"], 1, "No tool drop_tables is available with these scopes."],
    [["list_facilities", "[1]"], 2, "Expected a JSON object."],
    [["list_facilities", "{}", "--organization", "nobody"], 1, "nobody"],
  ])("refuses %j with %i", async (args, code, message) => {
    const ended = await call(...args);
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([code, "", expect.stringContaining(message)]);
  });
});
