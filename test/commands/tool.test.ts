import { beforeAll, describe, expect, it } from "vitest";
import { useCommands } from "../support/commands.js";
import { addFacility } from "../support/fixtures.js";
import { makeOrganization } from "../support/server.js";

describe("gateway tool", () => {
  const { database, run, json, ends } = useCommands("tool");
  let acme: string;
  beforeAll(async () => {
    acme = await database.use(makeOrganization);
    await database.use((shared) => addFacility(shared, acme, { code: "PLANT", name: "Plant" }));
  });
  const call = (line: string) => run(`call --organization ${acme} ${line}`);

  it("lists the tools that the scopes allow", async () => {
    const listed = await json(`list --organization ${acme} --key-scopes read:market`);
    const names = listed.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["get_market_prices", "get_organization"]));
    expect((await json("list")).length).toBeGreaterThan(names.length);
    const { stdout } = await run("list --key-scopes read:market");
    expect(
      stdout
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => line.split(" ")[0]),
    ).toEqual(names);
    await ends("list --organization nobody", 1, "nobody");
  });

  it("calls a tool as a key would, and changes nothing", async () => {
    const { code, stdout } = await call(`list_facilities '{"limit":5}'`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      items: [{ code: "PLANT", name: "Plant", country: "DE" }],
      next_cursor: null,
      as_of: { seq: expect.any(Number) },
    });
    const { stdout: caller } = await call("get_organization --key-scopes read:market");
    expect(JSON.parse(caller).organization).toMatchObject({ scopes: ["read:market"] });
  });

  it.each([
    [`list_facilities '{"limit":51}'`, 1, "limit: expected a whole number from 1 to 50, got 51. Correct"],
    ["list_facilities {} --key-scopes read:market", 1, "No tool list_facilities is available with these"],
    ["drop_tables", 1, "No tool drop_tables is available with these scopes."],
    ["list_facilities [1]", 2, "Expected a JSON object."],
    ["list_facilities {} --organization nobody", 1, "nobody"],
  ])("refuses %s with %i", (line, code, message) =>
    ends(`call --organization ${acme} ${line}`, code, message),
  );
});
