import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useCommands } from "../support/commands.js";
import { useFolder } from "../support/use.js";

const folder = useFolder();
const { database, run, ends } = useCommands("load", folder);
const record = { recorded_on: "2026-03-01", scope: "scope_1", co2e_tonnes: 1 };

/** Saves a bundle of an organization with two records, or with others, in a file of its name. */
function save(slug: string, records: readonly object[] = [record, { ...record, co2e_tonnes: "0.5" }]) {
  const bundle = { organization: { slug, name: "Good Ltd" }, emission_records: records };
  return writeFile(join(folder, `${slug}.json`), JSON.stringify(bundle));
}
const countOf = (...slugs: string[]) =>
  database.use(({ prisma }) => prisma.organization.count({ where: { slug: { in: slugs } } }));
const countsOf = (slug: string) => `${slug}.json (${slug}): 1 organization added; 2 emission records added\n`;

describe("gateway load", () => {
  it("prints a line of counts per file, on standard error if JSON is on standard output", async () => {
    for (const slug of ["one", "two", "people"]) await save(slug);
    const added = (count: number) => ({ added: count, updated: 0, unchanged: 0 });
    const { code, stdout, stderr } = await run("one.json two.json --json");
    expect([code, stderr]).toEqual([0, countsOf("one") + countsOf("two")]);
    const sections = { organization: added(1), emission_records: added(2) };
    expect(JSON.parse(stdout)).toEqual(
      ["one", "two"].map((organization) => ({ file: `${organization}.json`, organization, sections })),
    );
    expect(stdout.endsWith("]\n")).toBe(true);
    expect(await run("people.json")).toMatchObject({ code: 0, stdout: countsOf("people") });
  });

  it("exits with 1 and lists each problem with its path on a line, and loads no file", async () => {
    for (const slug of ["before", "after"]) await save(slug);
    await save("wrong", [record, { ...record, scope: "scope_9" }, { ...record, facility: "NOWHERE" }]);
    const { code, stdout, stderr } = await run("before.json wrong.json after.json --json");
    const [title, ...problems] = stderr.trimEnd().split("\n");
    expect(code).toBe(1);
    expect(title).toBe("wrong.json has 2 problems; nothing was loaded:");
    expect(problems.pop()).toBe("None of the 3 files was loaded.");
    expect(JSON.parse(stdout)).toEqual({
      failed: [{ file: "wrong.json", problems }],
      not_loaded: ["before.json", "after.json"],
    });
    expect(problems).toEqual([
      expect.stringMatching(/^emission_records\[1\]\.scope: expected .+, got "scope_9"$/),
      expect.stringMatching(/^emission_records\[2\]\.facility: expected .+, got "NOWHERE"$/),
    ]);
    expect(await countOf("before", "wrong", "after")).toBe(0);
  });

  it("exits with 1 and loads no file if the database fails, and names the file in JSON", async () => {
    for (const slug of ["first", "fails", "last"]) await save(slug);
    const refuse = `
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.slug = 'fails' THEN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON organizations FOR EACH ROW EXECUTE FUNCTION refuse()`;
    await database.use((shared) => shared.transaction(({ script }) => script(refuse)));
    const problem =
      "The database is out of disk space, and nothing was changed: no space. Free some space and try again.";
    const { code, stdout, stderr } = await run("first.json fails.json last.json --json");
    expect([code, stderr]).toEqual([1, `${problem}\nNone of the 3 files was loaded.\n`]);
    expect(JSON.parse(stdout)).toEqual({
      failed: [{ file: "fails.json", problems: [problem] }],
      not_loaded: ["first.json", "last.json"],
    });
    expect(await countOf("first")).toBe(0);
  });

  it("exits with 1 and names a missing file, and with 2 without a file", async () => {
    await ends("missing.json", 1, /^Database: .*\nmissing\.json does not exist\.\n$/);
    await ends("", 2, /^error: missing required argument 'file'\n$/);
  });
});
