import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { printable } from "../../src/commands/output/terminal.js";
import { type CommandDatabase, makeCommandDatabase } from "../support/command-database.js";
import { addRecord } from "../support/fixtures.js";
import { runSql } from "../support/graph-fixtures.js";
import { temporaryFolder } from "../support/process.js";
import { runCommand } from "../support/run-command.js";
import { makeKey, makeOrganization } from "../support/server.js";

/** Sequences that clear the screen, set the title and the colour (also by C1), move back, and reverse the text direction. */
const SEQUENCES = "\u001b[2J\u001b]0;title\u0007\u009b31m\b\r\u007f\u202e\u2066\u2028";
/** A name that imitates a separate line. */
const NAME = `Acme${SEQUENCES}\nforged  active  enterprise\t`;
const FORMULA = '=HYPERLINK("https://evil.example","x")';

/** Matches characters that a terminal interprets, except line ends. */
const INTERPRETED = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

describe("foreign text in the terminal of a command", () => {
  let commands: CommandDatabase;
  let organization: string;
  let key: { id: string };
  beforeAll(async () => {
    commands = await makeCommandDatabase();
    await commands.use(async (database) => {
      organization = await makeOrganization(database);
      key = await makeKey(database, organization);
      // Commands refuse such names, but older versions and SQL did not.
      await database.transaction(async (sql) => {
        await sql.query("UPDATE organizations SET name = $2 WHERE slug = $1", [organization, NAME]);
        await sql.query("UPDATE api_keys SET name = $2 WHERE id = $1::uuid", [key.id, NAME]);
        await sql.query("SELECT set_config('gateway.command', $1, true)", [NAME]);
        await sql.query("UPDATE api_keys SET tier = 'free' WHERE id = $1::uuid", [key.id]);
      });
    });
  });
  afterAll(() => commands.close());

  const gateway = (...args: string[]) => runCommand(args, { env: commands.env });

  it.each([
    ["organizations list", (): string[] => ["organizations", "list"], 2],
    ["keys list", () => ["keys", "list", "--organization", organization], 2],
    ["keys history", () => ["keys", "history", key.id], 4],
    ["keys revoke", () => ["keys", "revoke", key.id], 1],
  ])("is shown but not interpreted, on one line: %s", async (_what, args, lines) => {
    const { stdout } = await gateway(...args());
    expect(stdout).toContain("\\u001b[2J");
    expect(stdout.match(INTERPRETED)).toBeNull();
    expect(stdout.trimEnd().split("\n")).toHaveLength(lines);
  });

  it("is shown but not interpreted in an invalid option", async () => {
    const { stdout, stderr } = await gateway("organizations", "list", `--${SEQUENCES}`);
    expect([stdout, stderr]).toEqual(["", expect.stringContaining("\\u001b[2J")]);
    expect(stderr.match(INTERPRETED)).toBeNull();
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("is the same text in JSON, which no terminal interprets either", async () => {
    const { stdout } = await gateway("organizations", "list", "--json");
    expect(stdout.match(INTERPRETED)).toBeNull();
    expect(JSON.parse(stdout)).toEqual([
      { id: expect.any(String), slug: organization, name: NAME, plan: "enterprise" },
    ]);
  });

  it("is shown but not interpreted in the problems of a bundle and of a CSV file", async () => {
    const folder = temporaryFolder();
    const bundle = join(folder, "bundle.json");
    const organizationOf = { slug: organization, name: "Acme" };
    const facilities = [{ code: "F", name: "F", country: SEQUENCES }];
    writeFileSync(bundle, JSON.stringify({ organization: organizationOf, facilities, [SEQUENCES]: 1 }));
    const csv = join(folder, "records.csv");
    writeFileSync(csv, `recorded_on,scope,co2e_tonnes,"${SEQUENCES}"\n2026-01-01,"${SEQUENCES}",1,x\n`);
    for (const args of [
      ["load", bundle],
      ["import", csv, "--organization", organization],
    ]) {
      const { code, stderr } = await gateway(...args);
      expect([args[0], code]).toEqual([args[0], 1]);
      expect(stderr).toContain("\\u001b[2J");
      expect(stderr.match(INTERPRETED)).toBeNull();
    }
  });
});

describe("foreign text with several lines", () => {
  it("stays separate in the output of verify and import", async () => {
    const commands = await makeCommandDatabase();
    onTestFinished(() => commands.close());
    const slug = await commands.use(async (database) => {
      const organization = await makeOrganization(database);
      await addRecord(database, organization, { category: "fuel\n0 sums differ" });
      await runSql(database, "UPDATE emission_days SET co2e_tonnes = co2e_tonnes + 1 WHERE part <> ''");
      return organization;
    });
    const verified = await runCommand(["verify"], { env: commands.env });
    expect(verified.stdout).toContain("fuel\\u000a0 sums differ");
    expect(verified.stdout).not.toMatch(/^0 sums/m);
    const csv = join(temporaryFolder(), "records.csv");
    writeFileSync(csv, 'recorded_on,scope,co2e_tonnes,"x\nforged"\n2026-01-01,scope_1,1,\n');
    const imported = await runCommand(["import", csv, "--organization", slug], { env: commands.env });
    expect([imported.code, imported.stdout]).toEqual([0, expect.stringContaining("x\\u000aforged")]);
  });
});

describe("text that is merely unusual", () => {
  it.each([FORMULA, "Zürich – 東京 – Ωmega – 👩‍🏭", "می‌خواهم"])("is shown as it is: %s", (text) => {
    expect(printable(text)).toBe(text);
  });
});
