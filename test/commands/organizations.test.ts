import { describe, expect, it } from "vitest";
import { readHistory } from "../../src/actions/keys/key-history.js";
import { createOrganization, removeOrganization } from "../../src/actions/people/organizations.js";
import { useCommands } from "../support/commands.js";
import { exitOf } from "../support/exit.js";
import { addRecord } from "../support/fixtures.js";
import { runInTerminal } from "../support/process.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";

/** Description of an organization with a key and two records. */
const CONTENT = "api keys 1, emission records 2";

describe("gateway organizations", () => {
  const { database, run, json, ends } = useCommands("organizations");

  it("creates, lists and renames an organization, and refuses its slug a second time", async () => {
    const { id, ...zeta } = await json("create --slug zeta --name 'Zeta Ltd'");
    expect(zeta).toEqual({ slug: "zeta", name: "Zeta Ltd", plan: "enterprise" });
    await ends(
      "create --slug zeta --name Other",
      1,
      /^Database: .*\nThe organization "zeta" already exists\.\n$/,
    );
    const beta = await json("create --slug beta --name Beta");
    expect(await json("rename zeta --name 'Zeta Metals'")).toEqual({ id, ...zeta, name: "Zeta Metals" });
    const headings = `id${" ".repeat(36)}slug  plan        name\n`;
    expect((await run("list")).stdout).toBe(
      `${headings}${beta.id}  beta  enterprise  Beta\n${id}  zeta  enterprise  Zeta Metals\n`,
    );
    await ends(
      "rename nobody --name N",
      1,
      'There is no organization "nobody". See: npm run gateway -- organizations list',
    );
    await ends("create --name Acme", 2, /^error: required option '--slug <slug>' not specified\n$/);
  });

  it("deletes one only with --yes if it cannot ask, and lists what is deleted with it", async () => {
    await database.use(async (shared) => {
      await createOrganization(shared, { slug: "gone", name: "Gone" });
      await makeKey(shared, "gone");
      for (const category of ["a", "b"]) await addRecord(shared, "gone", { category });
    });
    await ends("delete gone", 2, CONTENT, "Use --yes");
    await ends("delete gone --yes", 0, `Deleted gone (Gone): ${CONTENT}`);
    await ends("delete gone --yes", 1, 'no organization "gone"');
  });

  it.skipIf(process.platform !== "linux")("asks in a terminal, and deletes on yes alone", async () => {
    await database.use((shared) => createOrganization(shared, { slug: "asked", name: "Asked" }));
    for (const [answer, code, end] of [
      ["n\n", 1, "Nothing was deleted."],
      ["\u0003", 1, "Nothing was deleted."],
      ["y\n", 0, "Deleted asked (Asked): no data."],
    ] as const) {
      const ended = await runInTerminal(["organizations", "delete", "asked"], {
        env: database.env,
        answers: { question: "Permanently delete all of this? [y/N]", answer },
      });
      expect([answer, ended.code, ended.output]).toEqual([answer, code, expect.stringContaining(end)]);
    }
  });
});

describe("an organization", () => {
  const gateway = useGateway();
  const create = (slug: string, name = "Acme") => createOrganization(gateway.database, { slug, name });

  const SLUG = "--slug must be 1 to 63 lower-case letters and digits, with single hyphens between them.";
  it.each(["Acme", "acme ltd", "", "acme-", "ac--me", "a".repeat(64), "acme\n"])(
    "cannot have the slug %j: bad usage",
    async (slug) => expect(await exitOf(create(slug))).toEqual({ code: 2, message: SLUG }),
  );

  it("has a name of 1 to 200 characters, else it is bad usage", async () => {
    const name = "😀".repeat(200);
    expect(await create("longest", name)).toMatchObject({ name });
    for (const [wrong, message] of [
      [`${name}x`, "--name must have at most 200 characters (got 201)."],
      [" \t", "--name must not be blank."],
    ] as const)
      expect(await exitOf(create("other", wrong))).toEqual({ code: 2, message });
  });

  it("gets its slug in one of two concurrent calls", async () => {
    const slug = "a".repeat(63);
    const both = await Promise.allSettled([create(slug, "One"), create(slug, "Two")]);
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(both).toContainEqual({
      status: "rejected",
      reason: expect.objectContaining({ message: `The organization "${slug}" already exists.` }),
    });
  });

  it("takes its keys with it immediately, affects no others, and leaves its history", async () => {
    const { database } = gateway;
    const [slug, other] = [await makeOrganization(database), await makeOrganization(database)];
    const [gone, kept] = [await makeKey(database, slug), await makeKey(database, other)];
    for (const owner of [slug, other]) await addRecord(database, owner);
    const refused = removeOrganization(database, slug, () => Promise.reject(new Error("no")));
    await expect(refused).rejects.toThrow("no");
    expect((await gateway.rest("/emissions", gone.key)).status).toBe(200);

    const deletion = await removeOrganization(database, slug, async () => undefined);
    expect(deletion).toMatchObject({ slug, deleted: { api_keys: 1, emission_records: 1, facilities: 0 } });
    expect((await gateway.rest("/emissions", gone.key)).status).toBe(401);
    expect((await gateway.rest("/emissions", kept.key)).body.data).toMatchObject({ record_count: 1 });
    const [last] = (await readHistory({ database }, { id: gone.id })).toReversed();
    expect(last).toMatchObject({ kind: "deleted", command: "organizations delete" });
  });
});
