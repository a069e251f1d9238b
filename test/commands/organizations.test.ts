import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOrganization, describeOrganizations } from "../../src/commands/organizations.js";
import { type CommandDatabase, makeCommandDatabase } from "../support/command-database.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { runGateway } from "../support/process.js";

describe("gateway organizations, as a process", () => {
  let commands: CommandDatabase;
  beforeAll(async () => {
    commands = await makeCommandDatabase();
  });
  afterAll(() => commands.close());
  const gateway = (...args: string[]) => runGateway(["organizations", ...args], { env: commands.env });

  it("creates one, lists it, and refuses its slug a second time", async () => {
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
    expect(acme).toEqual({ slug: "acme", name: "Acme Ltd" });

    expect(await gateway("create", "--slug", "acme", "--name", "Other")).toEqual({
      code: 1,
      stdout: "",
      stderr: 'The organization "acme" exists already.\n',
    });
    expect(await gateway("list")).toEqual({ code: 0, stdout: "", stderr: `${id}  acme  Acme Ltd\n` });
  });

  it("refuses a call without a slug: 2", async () => {
    expect(await gateway("create", "--name", "Acme")).toEqual({
      code: 2,
      stdout: "",
      stderr: "error: required option '--slug <slug>' not specified\n",
    });
  });
});

describe("gateway organizations", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  const SLUG = "--slug must be lower-case letters, digits and single hyphens, at most 63 characters";
  it.each([
    ["capitals", "Acme", SLUG],
    ["a blank", "acme ltd", SLUG],
    ["nothing", "", SLUG],
    ["a hyphen at its end", "acme-", SLUG],
    ["two hyphens in a row", "ac--me", SLUG],
    ["64 characters", "a".repeat(64), SLUG],
    ["a line break", "acme\n", SLUG],
  ])("create refuses a slug of %s as bad usage", async (_, slug, message) => {
    await expect(createOrganization(database, { slug, name: "Acme" })).rejects.toMatchObject({
      message,
      exitCode: 2,
    });
  });

  it("create refuses a blank name as bad usage", async () => {
    await expect(createOrganization(database, { slug: "blank", name: " \t" })).rejects.toMatchObject({
      message: "--name must not be blank",
      exitCode: 2,
    });
  });

  it("create lets one of two at once have a slug, and tells the other that it exists", async () => {
    const slug = "a".repeat(63);
    const both = await Promise.allSettled([
      createOrganization(database, { slug, name: "One" }),
      createOrganization(database, { slug, name: "Two" }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const [refused] = both.filter((result) => result.status === "rejected");
    expect(refused?.reason).toMatchObject({ message: `The organization "${slug}" exists already.` });
  });

  it("list is ordered by slug", async () => {
    for (const slug of ["zeta", "beta"]) await createOrganization(database, { slug, name: slug });
    const slugs = (await describeOrganizations(database)).map(({ slug }) => slug);
    expect(slugs).toEqual(slugs.toSorted());
    expect(slugs).toEqual(expect.arrayContaining(["beta", "zeta"]));
  });
});
