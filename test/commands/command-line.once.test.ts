import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { LIST_COMMANDS } from "../../src/commands/failures.js";
import { WRITING_ROLE } from "../../src/data/database/schema/grants.js";
import { FIELDS } from "../../src/files/csv/fields.js";
import { makeCommandDatabase } from "../support/command-database.js";
import { temporaryFolder } from "../support/process.js";
import { runCommand, runLine } from "../support/run-command.js";
import { makeKey, makeOrganization } from "../support/server.js";

describe("the command line", () => {
  it("prints its version, and its help without arguments", async () => {
    expect(await runCommand(["--version"])).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+(-\w+)?( \([0-9a-f]{12}(\+changes)?\))?\n$/),
      stderr: "",
    });
    const bare = await runCommand([]);
    expect(bare).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(/^Usage: gateway /) });
    for (const command of ["serve", "doctor", "keys"]) expect(bare.stderr).toContain(`\n  ${command} `);
  });

  it("marks required options in the help, and lists the fields of an import", async () => {
    const { stdout } = await runCommand(["import", "--help"]);
    const help = stdout.replace(/\s+/g, " ");
    expect(help).toContain("--organization <slug> slug of the organization (required)");
    expect(help.match(/\(required\)/g)).toHaveLength(1);
    expect(help).toContain(`Fields: ${FIELDS.join(", ")}`);
  });
});

describe("the database of a command", () => {
  it.each([
    "keys list",
    "keys create --organization=a --name=n --tier=free --scope=read:market",
    "organizations delete acme --yes",
    "import records.csv --organization acme",
    "verify",
  ])("is not created by a command that needs existing data: %s", async (line) => {
    const DATA_DIR = join(temporaryFolder(), "data");
    const { code, stdout, stderr } = await runLine(line, { env: { DATA_DIR } });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`No database in ${DATA_DIR}. Set DATA_DIR`);
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it("is created by the first command, which reports that once", async () => {
    const DATA_DIR = join(temporaryFolder(), "data");
    const create = (slug: string) =>
      runLine(`organizations create --slug ${slug} --name Acme`, { env: { DATA_DIR } });
    expect((await create("one")).stderr).toBe(
      `Database: embedded in ${DATA_DIR}, just created. To use another, set DATA_DIR or DATABASE_URL.\n`,
    );
    expect((await create("two")).stderr).toBe(`Database: embedded in ${DATA_DIR}\n`);
  });
});

describe("in production, without DATABASE_URL and DATA_DIR", () => {
  it.each(["serve", "migrate", "load x.json", "organizations import x.jsonl", "doctor"])(
    "%s creates no database",
    async (line) => {
      const cwd = temporaryFolder();
      const env = { NODE_ENV: "production", DATA_DIR: "", PORT: "0" };
      const { code, stdout, stderr } = await runLine(line, { env, cwd });
      expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(/DATABASE_URL/)]);
      expect(existsSync(join(cwd, ".data"))).toBe(false);
    },
  );

  it("a database is created in a DATA_DIR that is set, and then found in the default folder", async () => {
    const cwd = temporaryFolder();
    const env = { NODE_ENV: "production", DATA_DIR: ".data" };
    expect((await runLine("migrate", { env, cwd })).stderr).toContain("just created");
    expect(await runLine("migrate", { env: { ...env, DATA_DIR: "" }, cwd })).toMatchObject({ code: 0 });
  });
});

describe("a misspelled setting", () => {
  it("is named by every command", async () => {
    const env = { DATA_DIR: join(temporaryFolder(), "data"), KEY_PEPER: "hunter2" };
    const { stderr } = await runCommand(["keys", "list"], { env });
    expect(stderr).toMatch(/^Warning: KEY_PEPER is not a setting\. Did you mean KEY_PEPPER\?\n/);
  });
});

describe("every command in a message", () => {
  it("can be run as printed", async () => {
    const files = (await readdir("src", { recursive: true })).filter((file) => file.endsWith(".ts"));
    const sources = await Promise.all(files.map((file) => readFile(join("src", file), "utf8")));
    const written = sources.flatMap((source) =>
      [...source.matchAll(/npm run gateway -- ([a-z][^"`',.]*)/g)].map(([, command = ""]) => command.trim()),
    );
    const named = [...written, ...Object.values(LIST_COMMANDS)];
    expect(named).toEqual(expect.arrayContaining(["migrate", "keys list", "organizations list"]));
    const commands = await makeCommandDatabase();
    onTestFinished(() => commands.close());
    const { id, slug } = await commands.use(async (database) => {
      const slug = await makeOrganization(database);
      const key = await makeKey(database, slug);
      const organization = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
      await database.prisma.import.create({
        data: { id: key.id, organizationId: organization.id, file: "records.csv" },
      });
      await database.prisma.user.create({ data: { email: "ada@example.org", name: "Ada" } });
      return { id: key.id, slug };
    });
    for (const command of new Set(named)) {
      // Messages fill in ids of keys and imports, and a role; the reader fills in the rest.
      const line = command
        .replace(/\$\{role\}/, WRITING_ROLE)
        .replace(/\$\{[^}]*\}/g, id)
        .replace("<slug>", slug)
        .replace("<email>", "ada@example.org");
      const { code, stderr } = await runLine(line, { env: commands.env });
      expect([command, code, stderr]).toEqual([command, 0, expect.any(String)]);
    }
  });
});
