import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { isWellFormedKey } from "../../src/access/secrets/api-key.js";
import { changeKey } from "../../src/actions/keys/change-key.js";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { useCommands } from "../support/commands.js";
import { exitOf } from "../support/exit.js";
import { makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { useGateway } from "../support/use.js";

const HOUR = 3_600_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);
const displayOf = (key: string) => `${key.slice(0, 13)}…${key.slice(-4)}`;

describe("gateway keys", () => {
  const { database, run, json, ends } = useCommands("keys");
  let acme: string;
  beforeAll(async () => {
    acme = await database.use(makeOrganization);
  });
  /** Returns the arguments of `keys create`; null omits an option. */
  const creation = (changed: Record<string, string | null> = {}) => {
    const options = { organization: acme, name: "n", tier: "free", scope: "read:market", ...changed };
    const given = Object.entries(options).filter(([, value]) => value !== null);
    return `create ${given.map(([name, value]) => `--${name} '${value}'`).join(" ")}`;
  };

  it("creates a working key, prints it once, stores no secret, lists it and revokes it", async () => {
    const scopes = "--scope read:market read:credits --scope read:market";
    const settings = `--name Reports --tier pro ${scopes} --expires-at 2999-01-31T05:30:00+05:30`;
    const created = await json(`create --organization ${acme} ${settings}`);
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: expect.stringMatching(/^cgw_live_[0-9A-Za-z]{38}$/),
      organization: acme,
      name: "Reports",
      tier: "pro",
      scopes: ["read:market", "read:credits"],
      expires_at: "2999-01-31T00:00:00.000Z",
    });
    expect(isWellFormedKey(created.key)).toBe(true);
    await database.use(async (shared) => {
      const app = await startGateway({ database: shared });
      const { status, headers } = await app.rest("/credits", created.key);
      expect([status, headers.get("x-ratelimit-limit")]).toEqual([200, "1000"]);
      expect((await app.rest("/emissions", created.key)).status).toBe(401);
      await app.stop();
      const rows = JSON.stringify(await shared.prisma.apiKey.findMany());
      expect(rows).not.toContain(created.key.slice(9, 40));
    });

    const listed = await run(`list --organization ${acme}`);
    const [headings = "", row = "", ...more] = listed.stdout.trimEnd().split("\n");
    const cells = [
      created.id,
      displayOf(created.key),
      acme,
      "active",
      "pro",
      "2999-01-31T00:00:00.000Z",
      "-",
    ];
    expect([row.split(/ {2,}/), more]).toEqual([[...cells, "read:market,read:credits", "Reports"], []]);
    for (const [heading, cell] of [
      ["key", displayOf(created.key)],
      ["expires", "2999"],
      ["replaced by", "-  "],
      ["name", "Reports"],
    ] as const)
      expect(row.slice(headings.indexOf(heading)).startsWith(cell), heading).toBe(true);

    await ends(`revoke ${created.id}`, 0, /^cgw_live_.* was revoked at 20/);
    const revoked = await json(`list --organization ${acme}`);
    expect(revoked).toMatchObject([{ id: created.id, status: "revoked", revoked_at: expect.any(String) }]);
    expect(listed.stdout + JSON.stringify(revoked)).not.toContain(created.key.slice(13, -4));
  });

  it("prints only the key with --quiet, and names replacements in the list of all organizations", async () => {
    const alone = { code: 0, stdout: expect.stringMatching(/^cgw_live_[0-9A-Za-z]{38}\n$/), stderr: "" };
    const made = await run(`${creation({ name: "Q" })} --quiet`);
    expect(made).toEqual(alone);
    const named = async () => {
      const all: { id: string; name: string; replaced_by: string | null }[] = await json("list");
      return all.filter(({ name }) => name === "Q");
    };
    const [{ id = "" } = {}] = await named();
    const rotated = await run(`rotate ${id} --overlap 1 --quiet`);
    expect(rotated).toEqual(alone);
    expect(rotated.stdout).not.toBe(made.stdout);
    const [old, fresh] = await named();
    expect([old?.replaced_by, fresh?.replaced_by]).toEqual([fresh?.id, null]);
    await ends(`rotate ${id}`, 1, `The key ${id} was replaced by ${fresh?.id}: rotate that one instead.`);
  });

  it("changes each setting separately, also an expiry to never", async () => {
    const made = await run(creation({ name: "Changing" }));
    const id = /Id: (\S+)\. Name Changing, tier free, .*, expires never\.\n$/.exec(made.stdout)?.[1] ?? "";
    const { id: _, tier, ...kept } = await json(`update ${id} --tier pro`);
    expect(tier).toBe("pro");
    for (const [options, changed] of [
      ["--name Changed", { name: "Changed" }],
      ["--expires-at 2999-12-31", { expires_at: "2999-12-31T00:00:00.000Z" }],
      ["--expires-at never", { expires_at: null }],
      ["--scope read:credits", { scopes: ["read:credits"] }],
    ] as const) {
      Object.assign(kept, changed);
      expect(await json(`update ${id} ${options}`)).toEqual({ id, tier, ...kept });
    }
    await ends(
      `update ${id} --expires-at 2020-01-01`,
      2,
      "--expires-at must be in the future (got 2020-01-01",
    );
    await ends(`update ${id}`, 2, "Nothing to change: give a new tier, scopes, name or expiry.");
    await ends(creation({ name: "Changed" }), 1, 'The organization already has a key named "Changed".');
    await run(`revoke ${id}`);
    await ends(`rotate ${id}`, 1, `The key ${id} is revoked: create a new one instead.`);
  });

  const choices = (value: string, allowed: string) =>
    `argument '${value}' is invalid. Allowed choices are ${allowed}.`;
  it.each([
    [
      { organization: "nobody" },
      1,
      'There is no organization "nobody". See: npm run gateway -- organizations list',
    ],
    [{ tier: "gold" }, 2, choices("gold", "free, pro, enterprise")],
    [{ scope: "read:all" }, 2, choices("read:all", KEY_SCOPES.join(", "))],
    [{ scope: null }, 2, "required option '--scope <scope...>' not specified"],
    [{ name: " " }, 2, "'--name <name>' argument ' ' is invalid. It must not be blank."],
    [{ name: "🏭".repeat(81) }, 2, "It must have at most 80 characters (got 81)."],
    [{ "expires-at": "tomorrow" }, 2, "Expected ISO 8601, such as 2027-01-31T00:00:00Z, or never."],
  ])("create refuses %j with %i, and says what it expected", async (changed, code, message) => {
    const count = () => database.use(({ prisma }) => prisma.apiKey.count());
    const before = await count();
    const ended = await run(creation(changed));
    expect(ended).toEqual({ code, stdout: "", stderr: expect.stringContaining(message) });
    // A command that opens the database prints its name first.
    expect(ended.stderr.trim().split("\n")).toHaveLength(code === 2 ? 1 : 2);
    expect(await count()).toBe(before);
  });

  it.each([
    [`rotate ${randomUUID()} --overlap 72`, choices("72", "0, 1, 24, 168")],
    ["list --organization ''", "argument '' is invalid. It must not be blank."],
    ["history --organization '  '", "argument '  ' is invalid. It must not be blank."],
    ["revoke", "missing required argument 'id'"],
    ["lits", "error: unknown command 'lits'\n(Did you mean list?)"],
  ])("%s is bad usage: 2", (line, message) => ends(line, 2, message));

  it.each(["revoke ID", "rotate ID", "update ID --tier free"])(
    "%s refuses an unknown id, and repeats it only if it cannot be a key",
    async (line) => {
      const unknown = randomUUID();
      await ends(line.replace("ID", unknown), 1, `There is no key with the id ${unknown}.`);
      const noId = /\nExpected the id of a key, which is a UUID\. See: npm run gateway -- keys list\n$/;
      const ended = await run(line.replace("ID", "cgw_live_secret"));
      expect(ended).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(noId) });
      expect(ended.stderr).not.toContain("secret");
    },
  );

  it("exits with 0 for help, on standard output", () =>
    ends("create --help", 0, "--organization", "--tier", "--expires-at", ...KEY_SCOPES));
});

describe("gateway keys, next to a running gateway", () => {
  const gateway = useGateway();

  it("revoke takes effect immediately whatever the caller's clock says, and update revives an expired key", async () => {
    const { database } = gateway;
    const at = (now: Date) => ({ database, pepper: undefined, now });
    const made = await makeKey(database, await makeOrganization(database), { expiresAt: later(HOUR) });
    const status = async () => (await gateway.rest("/market", made.key)).status;
    gateway.setNow(later(HOUR));
    expect(await status()).toBe(401);
    await changeKey(at(later(HOUR)), made.id, { expiresAt: null });
    expect(await status()).toBe(200);
    const first = await revokeKeyById(at(later(2 * HOUR)), made.id);
    expect(await status()).toBe(401);
    expect(await revokeKeyById(at(later(3 * HOUR)), made.id)).toEqual(first);
    expect(await exitOf(changeKey(at(later(HOUR)), made.id, { expiresAt: null }))).toEqual({
      code: 1,
      message: `The key ${made.id} is permanently revoked: create a new one instead.`,
    });
  });
});
