import { describe, expect, it } from "vitest";
import { readHistory } from "../../src/actions/keys/key-history.js";
import {
  changeOrganizationName,
  createOrganization,
  listOrganizations,
  removeOrganization,
} from "../../src/actions/people/organizations.js";
import { exitOf } from "../support/exit.js";
import { addRecord } from "../support/fixtures.js";
import { runInTerminal } from "../support/process.js";
import { runCommand } from "../support/run-command.js";
import { makeKey, makeOrganization, startGateway } from "../support/server.js";
import { useCommandDatabase, useDatabase } from "../support/use.js";

/** Description of an organization with a key and two records. */
const CONTENT = "api keys 1, emission records 2";

describe("gateway organizations, as a process", () => {
  const commands = useCommandDatabase();
  const gateway = (...args: string[]) => runCommand(["organizations", ...args], { env: commands.env });

  it("creates an organization, lists it, and refuses its slug a second time", async () => {
    const { code, stdout, stderr } = await gateway(
      "create",
      "--slug",
      "acme",
      "--name",
      "Acme Ltd",
      "--json",
    );
    expect([code, stderr]).toEqual([0, ""]);
    const { id, ...acme } = JSON.parse(stdout) as { id: string };
    expect(acme).toEqual({ slug: "acme", name: "Acme Ltd", plan: "enterprise" });

    expect(await gateway("create", "--slug", "acme", "--name", "Other")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^Database: .*\nThe organization "acme" already exists\.\n$/),
    });
    const headings = `id${" ".repeat(36)}slug  plan        name\n`;
    expect((await gateway("list")).stdout).toBe(`${headings}${id}  acme  enterprise  Acme Ltd\n`);

    const renamed = await gateway("rename", "acme", "--name", "Acme Metals", "--json");
    expect(JSON.parse(renamed.stdout)).toEqual({ id, slug: "acme", name: "Acme Metals", plan: "enterprise" });
    expect((await gateway("list")).stdout).toBe(`${headings}${id}  acme  enterprise  Acme Metals\n`);
  });

  it("deletes one only with --yes if it cannot ask, and lists what is deleted with it", async () => {
    await commands.use(async (database) => {
      await createOrganization(database, { slug: "gone", name: "Gone" });
      await makeKey(database, "gone");
      for (const category of ["a", "b"]) await addRecord(database, "gone", { category });
    });
    const refused = await gateway("delete", "gone");
    expect(refused).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(CONTENT) });
    expect(refused.stderr).toContain("Use --yes");
    const deleted = await gateway("delete", "gone", "--yes");
    expect([deleted.code, deleted.stdout]).toEqual([
      0,
      expect.stringContaining(`Deleted gone (Gone): ${CONTENT}`),
    ]);
    const again = await gateway("delete", "gone", "--yes");
    expect(again).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining('no organization "gone"') });
  });

  it.skipIf(process.platform !== "linux")("asks in a terminal, and deletes on yes alone", async () => {
    await commands.use((database) => createOrganization(database, { slug: "asked", name: "Asked" }));
    for (const [answer, code, end] of [
      ["n\n", 1, "Nothing was deleted."],
      ["\u0003", 1, "Nothing was deleted."],
      ["\u0004", 1, "Nothing was deleted."],
      ["y\n", 0, "Deleted asked (Asked): no data."],
    ] as const) {
      const ended = await runInTerminal(["organizations", "delete", "asked"], {
        env: commands.env,
        answers: { question: "Permanently delete all of this? [y/N]", answer },
      });
      expect([answer, ended.code, ended.output]).toEqual([answer, code, expect.stringContaining(end)]);
    }
  });

  it("exits with 2 without a slug", async () => {
    expect(await gateway("create", "--name", "Acme")).toEqual({
      code: 2,
      stdout: "",
      stderr: "error: required option '--slug <slug>' not specified\n",
    });
  });
});

describe("gateway organizations", () => {
  const database = useDatabase();

  const SLUG = "--slug must be 1 to 63 lower-case letters and digits, with single hyphens between them.";
  it.each([
    ["capitals", "Acme", SLUG],
    ["a blank", "acme ltd", SLUG],
    ["nothing", "", SLUG],
    ["a hyphen at its end", "acme-", SLUG],
    ["two hyphens in a row", "ac--me", SLUG],
    ["64 characters", "a".repeat(64), SLUG],
    ["a line break", "acme\n", SLUG],
  ])("create refuses a slug of %s as bad usage", async (_, slug, message) => {
    expect(await exitOf(createOrganization(database, { slug, name: "Acme" }))).toEqual({ code: 2, message });
  });

  it("create accepts a name of 200 characters, and refuses 201 as bad usage", async () => {
    const name = "😀".repeat(200);
    expect(await createOrganization(database, { slug: "longest", name })).toMatchObject({ name });
    expect(await exitOf(createOrganization(database, { slug: "longer", name: `${name}x` }))).toEqual({
      code: 2,
      message: "--name must have at most 200 characters (got 201).",
    });
  });

  it("create refuses a blank name as bad usage", async () => {
    expect(await exitOf(createOrganization(database, { slug: "blank", name: " \t" }))).toEqual({
      code: 2,
      message: "--name must not be blank.",
    });
  });

  it("create gives a slug to one of two concurrent calls, and refuses the other because it exists", async () => {
    const slug = "a".repeat(63);
    const both = await Promise.allSettled([
      createOrganization(database, { slug, name: "One" }),
      createOrganization(database, { slug, name: "Two" }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const [refused] = both.filter((result) => result.status === "rejected");
    expect(refused?.reason).toMatchObject({ message: `The organization "${slug}" already exists.` });
  });

  it("delete ends its keys immediately in a running gateway, affects no others, and keeps the history", async () => {
    const gateway = await startGateway({ database });
    try {
      const [slug, other] = [await makeOrganization(database), await makeOrganization(database)];
      const [gone, kept] = [await makeKey(database, slug), await makeKey(database, other)];
      for (const owner of [slug, other]) await addRecord(database, owner);
      expect((await gateway.rest("/emissions", gone.key)).status).toBe(200);

      const refused = removeOrganization(database, slug, async () => {
        throw new Error("no");
      });
      await expect(refused).rejects.toThrow("no");
      expect((await gateway.rest("/emissions", gone.key)).status).toBe(200);

      const deletion = await removeOrganization(database, slug, async () => undefined);
      expect(deletion).toMatchObject({ slug, deleted: { api_keys: 1, emission_records: 1, facilities: 0 } });
      expect((await gateway.rest("/emissions", gone.key)).status).toBe(401);
      expect((await gateway.rest("/emissions", kept.key)).body.data).toMatchObject({ record_count: 1 });
      const history = await readHistory({ database }, { id: gone.id });
      expect(history.map(({ kind, command }) => [kind, command]).at(-1)).toEqual([
        "deleted",
        "organizations delete",
      ]);
    } finally {
      await gateway.stop();
    }
  });

  it("rename refuses an unknown slug", async () => {
    expect(await exitOf(changeOrganizationName(database, "nobody", "Name"))).toEqual({
      code: 1,
      message: 'There is no organization "nobody". See: npm run gateway -- organizations list',
    });
  });

  it("list is sorted by slug", async () => {
    for (const slug of ["zeta", "beta"]) await createOrganization(database, { slug, name: slug });
    const slugs = (await listOrganizations(database)).map(({ slug }) => slug);
    expect(slugs).toEqual(slugs.toSorted());
    expect(slugs).toEqual(expect.arrayContaining(["beta", "zeta"]));
  });
});
