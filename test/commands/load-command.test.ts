import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/run-command.js";
import { useCommandDatabase, useFolder } from "../support/use.js";

const folder = useFolder();
const commands = useCommandDatabase();

const load = (...args: string[]) => runCommand(["load", ...args], { env: commands.env, cwd: folder });
const save = (name: string, content: unknown) => writeFile(join(folder, name), JSON.stringify(content));
const slugs = () =>
  commands.use(async ({ prisma }) => {
    const rows = await prisma.organization.findMany({ orderBy: { slug: "asc" } });
    return rows.map(({ slug }) => slug);
  });

const record = { recorded_on: "2026-03-01", scope: "scope_1", co2e_tonnes: 1 };
const good = (slug: string) => ({
  organization: { slug, name: "Good Ltd" },
  emission_records: [record, { ...record, co2e_tonnes: "0.5" }],
});
const TEN_MISTAKES = {
  organization: { slug: "ten", name: "Ten mistakes", owner: "x" },
  facilities: [{ code: "A", name: "A", country: "atlantis" }],
  emission_records: [
    record,
    { ...record, recorded_on: "2026-02-30" },
    { ...record, scope: "scope_9" },
    { ...record, co2e_tonnes: -1, facility: "NOWHERE" },
  ],
  frameworks: [{ framework: "ISO", status: "compliant", last_updated: "2026-11-01T09:00:00" }],
  deadlines: [{ framework: "CDP", title: " ", due_date: "2026-12-31" }],
};

describe("gateway load", () => {
  it("prints JSON on standard output and a line of counts per file on standard error", async () => {
    await save("one.json", good("one"));
    await save("two.json", good("two"));
    const added = (count: number) => ({ added: count, updated: 0, unchanged: 0 });
    const { code, stdout, stderr } = await load("one.json", "two.json", "--json");
    expect(code).toBe(0);
    expect(stdout.endsWith("]\n")).toBe(true);
    expect(JSON.parse(stdout)).toEqual(
      ["one", "two"].map((name) => ({
        file: `${name}.json`,
        organization: name,
        sections: { organization: added(1), emission_records: added(2) },
      })),
    );
    expect(stderr).toBe(
      "one.json (one): 1 organization added; 2 emission records added\ntwo.json (two): 1 organization added; 2 emission records added\n",
    );
  });

  it("exits with 1 and lists ten mistakes as ten lines with paths, and loads no file", async () => {
    await save("before.json", good("before"));
    await save("ten.json", TEN_MISTAKES);
    await save("after.json", good("after"));
    const { code, stdout, stderr } = await load("before.json", "ten.json", "after.json", "--json");
    expect(code).toBe(1);

    const [title, ...problems] = stderr.trimEnd().split("\n");
    expect(problems.pop()).toBe("None of the 3 files was loaded.");
    expect(JSON.parse(stdout)).toEqual({
      failed: [{ file: "ten.json", problems }],
      not_loaded: ["before.json", "after.json"],
    });
    expect(title).toBe("ten.json has 10 problems; nothing was loaded:");
    expect(problems.map((line) => line.slice(0, line.indexOf(":")))).toEqual([
      "organization.owner",
      "facilities[0].country",
      "emission_records[1].recorded_on",
      "emission_records[2].scope",
      "emission_records[3].co2e_tonnes",
      "frameworks[0].framework",
      "frameworks[0].last_updated",
      "deadlines[0].title",
      "deadlines[0].status",
      "emission_records[3].facility",
    ]);
    for (const line of problems) expect(line).toMatch(/: (expected|unknown key, expected) .+[,;] got .+$/);

    const there = await slugs();
    expect(there).not.toContain("before");
    expect(there).not.toContain("ten");
    expect(there).not.toContain("after");
  });

  it("exits with 1 and loads no file if the database fails, and names the file in JSON", async () => {
    await save("first.json", good("first"));
    await save("fails.json", good("fails"));
    await save("last.json", good("last"));
    await commands.use((database) =>
      database.transaction(({ script }) =>
        script(`
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.slug = 'fails' THEN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END IF;
            RETURN NEW;
          END $$;
          CREATE TRIGGER refuse BEFORE INSERT ON organizations FOR EACH ROW EXECUTE FUNCTION refuse()`),
      ),
    );
    const problem =
      "The database is out of disk space, and nothing was changed: no space. Free some space and try again.";
    const { code, stdout, stderr } = await load("first.json", "fails.json", "last.json", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      failed: [{ file: "fails.json", problems: [problem] }],
      not_loaded: ["first.json", "last.json"],
    });
    expect(stderr).toBe(`${problem}\nNone of the 3 files was loaded.\n`);
    expect(await slugs()).not.toContain("first");
  });

  it("prints a line of counts per file on standard output, for humans", async () => {
    await save("people.json", good("people"));
    const { code, stdout } = await load("people.json");
    expect([code, stdout]).toEqual([
      0,
      "people.json (people): 1 organization added; 2 emission records added\n",
    ]);
  });

  it("exits with 1 and names a missing file", async () => {
    expect(await load("missing.json")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^Database: .*\nmissing\.json does not exist\.\n$/),
    });
  });

  it("exits with 2 without a file", async () => {
    expect(await load()).toEqual({
      code: 2,
      stdout: "",
      stderr: "error: missing required argument 'file'\n",
    });
  });
});
