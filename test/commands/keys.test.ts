import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isWellFormedKey } from "../../src/access/secrets/api-key.js";
import { changeKey } from "../../src/actions/keys/change-key.js";
import { createKey } from "../../src/actions/keys/create-key.js";
import { listKeys } from "../../src/actions/keys/list-keys.js";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import { rotateKey } from "../../src/actions/keys/rotate-key.js";
import { MAX_KEYS } from "../../src/domain/keys/key-limits.js";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { exitOf } from "../support/exit.js";
import { runCommand } from "../support/run-command.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { useCommandDatabase } from "../support/use.js";

const HOUR = 3_600_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);

describe("gateway keys, as a process", () => {
  let acme: string;
  /** Created by the first test, checked by the second. */
  let created: { id: string; key: string };
  const commands = useCommandDatabase();
  beforeAll(async () => {
    acme = await commands.use(makeOrganization);
  });

  const gateway = (...args: string[]) => runCommand(args, { env: commands.env });
  /** Runs a valid `keys create` with `changed` options; null omits an option. */
  const create = (changed: Record<string, string | null> = {}) => {
    const options = { organization: acme, name: "n", tier: "free", scope: "read:market", ...changed };
    const given = Object.entries(options).filter(([, value]) => value !== null);
    return gateway("keys", "create", ...given.flatMap(([name, value]) => [`--${name}`, String(value)]));
  };

  it("creates a working key, prints only JSON, and stores no secret", async () => {
    const { code, stdout, stderr } = await gateway(
      "keys",
      "create",
      "--organization",
      acme,
      "--name",
      "Reports",
      "--tier",
      "pro",
      "--json",
      "--scope",
      "read:market",
      "read:credits",
      "--scope",
      "read:market",
      "--expires-at",
      "2999-01-31T05:30:00+05:30",
    );
    expect([code, stderr]).toEqual([0, ""]);
    created = JSON.parse(stdout);
    expect(stdout).toBe(`${JSON.stringify(created)}\n`);
    expect(Object.entries(created)).toEqual([
      ["id", expect.stringMatching(/^[0-9a-f-]{36}$/)],
      ["key", expect.stringMatching(/^cgw_live_[0-9A-Za-z]{38}$/)],
      ["organization", acme],
      ["name", "Reports"],
      ["tier", "pro"],
      ["scopes", ["read:market", "read:credits"]],
      ["expires_at", "2999-01-31T00:00:00.000Z"],
    ]);
    expect(isWellFormedKey(created.key)).toBe(true);

    await commands.use(async (database) => {
      const app = await startGateway({ database });
      try {
        const { status, headers } = await app.rest("/credits", created.key);
        expect([status, headers.get("x-ratelimit-limit")]).toEqual([200, "1000"]);
        expect((await app.rest("/emissions", created.key)).status).toBe(401);
      } finally {
        await app.stop();
      }
      const rows = JSON.stringify(await database.prisma.apiKey.findMany());
      expect(rows).not.toContain(created.key.slice(9, 40));
    });
  });

  it("lists and revokes it, without the secret", async () => {
    const listed = await gateway("keys", "list", "--organization", acme);
    const display = `${created.key.slice(0, 13)}…${created.key.slice(-4)}`;
    const [headings = "", row = "", ...more] = listed.stdout.trimEnd().split("\n");
    expect([listed.code, row.split(/ {2,}/), more]).toEqual([
      0,
      [
        created.id,
        display,
        acme,
        "active",
        "pro",
        "2999-01-31T00:00:00.000Z",
        "-",
        "read:market,read:credits",
        "Reports",
      ],
      [],
    ]);
    for (const [heading, cell] of [
      ["key", display],
      ["expires", "2999"],
      ["replaced by", "-  "],
      ["name", "Reports"],
    ] as const)
      expect(row.slice(headings.indexOf(heading)).startsWith(cell), heading).toBe(true);
    expect(listed.stdout).not.toContain(created.key.slice(13, -4));

    const revoked = await gateway("keys", "revoke", created.id);
    expect(revoked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^cgw_live_.* was revoked at 20/),
    });
    const json = await gateway("keys", "list", "--organization", acme, "--json");
    expect(JSON.parse(json.stdout)).toEqual([
      expect.objectContaining({ id: created.id, status: "revoked", revoked_at: expect.any(String) }),
    ]);
    expect(json.stdout + json.stderr).not.toContain(created.key.slice(13, -4));
  });

  it("prints only the key with --quiet", async () => {
    const made = await gateway(
      "keys",
      "create",
      "--organization",
      acme,
      "--name",
      "Q",
      "--tier",
      "free",
      "--scope",
      "read:market",
      "--quiet",
    );
    const alone = { code: 0, stdout: expect.stringMatching(/^cgw_live_[0-9A-Za-z]{38}\n$/), stderr: "" };
    expect(made).toEqual(alone);
    const list = await gateway("keys", "list", "--json");
    const { id } = JSON.parse(list.stdout).find(({ name }: { name: string }) => name === "Q");
    const rotated = await gateway("keys", "rotate", id, "--overlap", "1", "--quiet");
    expect(rotated).toEqual(alone);
    expect(rotated.stdout).not.toBe(made.stdout);
  });

  it("changes an expiry, also to never", async () => {
    const made = await create({ name: "Expiring" });
    const id = /Id: (\S+)\. Name Expiring, tier free, .*, expires never\.\n$/.exec(made.stdout)?.[1] ?? "";
    const update = (expiry: string) => gateway("keys", "update", id, "--expires-at", expiry, "--json");
    expect(JSON.parse((await update("2999-12-31")).stdout).expires_at).toBe("2999-12-31T00:00:00.000Z");
    expect(JSON.parse((await update("never")).stdout).expires_at).toBeNull();
    expect(await update("2020-01-01")).toEqual({
      code: 2,
      stdout: "",
      stderr: "--expires-at must be in the future (got 2020-01-01T00:00:00.000Z).\n",
    });
  });

  it.each([
    [
      "an organization that does not exist",
      { organization: "nobody" },
      1,
      'There is no organization "nobody". See: npm run gateway -- organizations list',
    ],
    [
      "an unknown tier",
      { tier: "gold" },
      2,
      "argument 'gold' is invalid. Allowed choices are free, pro, enterprise.",
    ],
    [
      "an unknown scope",
      { scope: "read:all" },
      2,
      `argument 'read:all' is invalid. Allowed choices are ${KEY_SCOPES.join(", ")}.`,
    ],
    ["no scope", { scope: null }, 2, "required option '--scope <scope...>' not specified"],
    ["a blank name", { name: " " }, 2, "'--name <name>' argument ' ' is invalid. It must not be blank."],
    ["a name of 81 characters", { name: "🏭".repeat(81) }, 2, "It must have at most 80 characters (got 81)."],
    [
      "an invalid expiry",
      { "expires-at": "tomorrow" },
      2,
      "argument 'tomorrow' is invalid. Expected ISO 8601, such as 2027-01-31T00:00:00Z, or never.",
    ],
  ] as const)("create refuses %s, and says what it expected", async (_, changed, code, message) => {
    const before = await commands.use(({ prisma }) => prisma.apiKey.count());
    const ended = await create(changed);
    expect(ended).toEqual({ code, stdout: "", stderr: expect.stringContaining(message) });
    // A command that opens the database prints its name first.
    expect(ended.stderr.trim().split("\n")).toHaveLength(code === 2 ? 1 : 2);
    expect(await commands.use(({ prisma }) => prisma.apiKey.count())).toBe(before);
  });

  it.each([
    [
      "keys rotate with an unknown overlap",
      ["keys", "rotate", randomUUID(), "--overlap", "72"],
      "argument '72' is invalid. Allowed choices are 0, 1, 24, 168.",
    ],
    [
      "keys list with a blank organization",
      ["keys", "list", "--organization", ""],
      "argument '' is invalid. It must not be blank.",
    ],
    [
      "keys history with a blank organization",
      ["keys", "history", "--organization", "  "],
      "argument '  ' is invalid. It must not be blank.",
    ],
    ["keys revoke without an id", ["keys", "revoke"], "missing required argument 'id'"],
    ["an unknown command", ["kyes"], "error: unknown command 'kyes'\n(Did you mean keys?)"],
  ])("%s is bad usage: 2", async (_, args, message) => {
    expect(await gateway(...args)).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
  });

  it("exits with 0 for help, on standard output", async () => {
    const { code, stdout, stderr } = await gateway("keys", "create", "--help");
    expect([code, stderr]).toEqual([0, ""]);
    for (const word of ["--organization", "--tier", "--expires-at", ...KEY_SCOPES])
      expect(stdout).toContain(word);
  });
});

describe("gateway keys, next to a running gateway", () => {
  let gateway: Gateway;
  let acme: string;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.setNow(NOW);
    acme = await makeOrganization(gateway.database);
  });

  const at = (now = NOW) => ({ database: gateway.database, pepper: undefined, now });
  const make = (overrides: { name?: string; expiresAt?: Date } = {}) =>
    createKey(at(), {
      organization: acme,
      name: "Original",
      tier: "pro" as const,
      scopes: ["read:market"] as const,
      expiresAt: null,
      ...overrides,
    });
  const status = async (key: string, now = NOW) => {
    gateway.setNow(now);
    return (await gateway.rest("/market", key)).status;
  };
  const listed = async (id: string, now = NOW) =>
    (await listKeys(at(now), acme)).find((key) => key.id === id);

  it("list distinguishes active, expired and revoked, in order of creation, without secrets", async () => {
    const slug = await makeOrganization(gateway.database);
    const request = {
      organization: slug,
      name: "n",
      tier: "free" as const,
      scopes: KEY_SCOPES,
      expiresAt: null,
    };
    const active = await createKey(at(), request);
    const short = { ...request, expiresAt: later(HOUR) };
    const expiring = await createKey(at(later(1)), { ...short, name: "expiring" });
    const revoked = await createKey(at(later(2)), { ...short, name: "revoked" });
    await revokeKeyById(at(later(3)), revoked.id);

    const list = await listKeys(at(later(HOUR)), slug);
    expect(list.map(({ id, status }) => [id, status])).toEqual([
      [active.id, "active"],
      [expiring.id, "expired"],
      [revoked.id, "revoked"],
    ]);
    expect(list[0]).toEqual({
      id: active.id,
      display: `${active.key.slice(0, 13)}…${active.key.slice(-4)}`,
      organization: slug,
      name: "n",
      tier: "free",
      scopes: KEY_SCOPES,
      status: "active",
      createdAt: new Date("2026-11-20T10:00:00.000Z"),
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      replacedBy: null,
    });
    expect((await listKeys(at(later(HOUR - 1)), slug))[1]?.status).toBe("active");
  });

  it("revoke takes effect immediately; a second time it changes nothing and keeps the time", async () => {
    const { id, key } = await make();
    expect(await status(key)).toBe(200);
    const first = await revokeKeyById(at(), id);
    expect(await status(key)).toBe(401);
    expect(first).toMatchObject({ status: "revoked", revokedAt: NOW });
    expect(await revokeKeyById(at(later(HOUR)), id)).toEqual(first);
  });

  it("create refuses a past expiry, and update no change, as bad usage", async () => {
    expect(await exitOf(make({ expiresAt: NOW }))).toEqual({
      code: 2,
      message: "--expires-at must be in the future (got 2026-11-20T10:00:00.000Z).",
    });
    expect(await exitOf(changeKey(at(), randomUUID(), {}))).toEqual({
      code: 2,
      message: "Nothing to change: give a new tier, scopes, name or expiry.",
    });
  });

  it("create, update and rotate follow the same rules as users' keys", async () => {
    const { id } = await make();
    const taken = { code: 1, message: 'The organization already has a key named "Original".' };
    expect(await exitOf(make())).toEqual(taken);
    const other = await make({ name: "Other" });
    expect(await exitOf(changeKey(at(), other.id, { name: "Original" }))).toEqual(taken);
    expect(await exitOf(rotateKey(at(), id, 2))).toEqual({
      code: 2,
      message: "--overlap-hours must be 0, 1, 24 or 168 (got 2).",
    });
    for (let made = 2; made < MAX_KEYS; made += 1) await make({ name: `Key ${made}` });
    const full = {
      code: 1,
      message: "The organization already has 20 active keys, the maximum. Revoke one first.",
    };
    expect(await exitOf(make({ name: "One more" }))).toEqual(full);
    expect(await exitOf(rotateKey(at(), id, 1))).toEqual(full);
    expect(await rotateKey(at(), id, 0)).toMatchObject({ name: "Original" });
  });

  it("rotate creates a key with the same organization, name, tier, scopes and expiry, and ends the old one immediately", async () => {
    const old = await make({ expiresAt: later(10 * HOUR) });
    const fresh = await rotateKey(at(), old.id, 0);
    expect(fresh).toEqual({ ...old, id: fresh.id, key: fresh.key });
    expect([fresh.id === old.id, fresh.key === old.key]).toEqual([false, false]);
    expect([await status(old.key), await status(fresh.key)]).toEqual([401, 200]);
    expect((await listed(old.id))?.status).toBe("revoked");
  });

  it("rotate with an overlap keeps the old key working for exactly that long", async () => {
    const old = await make();
    const fresh = await rotateKey(at(), old.id, 1);
    expect(fresh.expiresAt).toBeNull();
    expect(await status(old.key, later(HOUR - 1))).toBe(200);
    expect(await status(old.key, later(HOUR))).toBe(401);
    expect(await status(fresh.key, later(HOUR))).toBe(200);
    expect(await listed(old.id, later(HOUR))).toMatchObject({ status: "expired", revokedAt: null });
  });

  it("list and update show which key replaced another, and list without an organization lists all", async () => {
    const old = await make();
    const fresh = await rotateKey(at(), old.id, 1);
    const all = await listKeys(at(), undefined);
    const replacements = Object.fromEntries(all.map(({ id, replacedBy }) => [id, replacedBy]));
    expect([replacements[old.id], replacements[fresh.id]]).toEqual([fresh.id, null]);
    expect(await changeKey(at(), old.id, { name: "Old" })).toMatchObject({ replacedBy: fresh.id });
    const other = await makeOrganization(gateway.database);
    const foreign = await makeKey(gateway.database, other);
    const listedIds = async (slug?: string) => (await listKeys(at(), slug)).map(({ id }) => id);
    expect(await listedIds()).toEqual(expect.arrayContaining([old.id, fresh.id, foreign.id]));
    expect(await listedIds(other)).toEqual([foreign.id]);
  });

  it("update of an expiry takes effect immediately, revives an expired key, and refuses a revoked one", async () => {
    const { id, key } = await make({ expiresAt: later(HOUR) });
    expect(await status(key, later(HOUR))).toBe(401);
    await changeKey(at(later(HOUR)), id, { expiresAt: later(2 * HOUR) });
    expect(await status(key, later(HOUR))).toBe(200);
    expect(await status(key, later(2 * HOUR))).toBe(401);
    await changeKey(at(later(HOUR)), id, { expiresAt: null });
    expect(await status(key, later(2 * HOUR))).toBe(200);
    await revokeKeyById(at(later(HOUR)), id);
    await expect(changeKey(at(later(HOUR)), id, { expiresAt: null })).rejects.toThrow(
      `The key ${id} is permanently revoked: create a new one instead.`,
    );
  });

  it("rotate with an overlap never extends a key's life", async () => {
    const old = await make({ expiresAt: later(HOUR) });
    await rotateKey(at(), old.id, 24);
    expect((await listed(old.id))?.expiresAt).toEqual(later(HOUR));
  });

  it("rotate refuses a replaced key in its overlap, whose expiry is no longer its own", async () => {
    const old = await make();
    const fresh = await rotateKey(at(), old.id, 24);
    await expect(rotateKey(at(), old.id, 24)).rejects.toThrow(
      `The key ${old.id} was replaced by ${fresh.id}: rotate that one instead.`,
    );
    const next = await rotateKey(at(), fresh.id, 0);
    expect(next.expiresAt).toBeNull();
  });

  it("rotate, twice at once, creates one key, and reports to the other that it came too late", async () => {
    const old = await make();
    const before = await gateway.database.prisma.apiKey.count();
    const both = await Promise.allSettled([rotateKey(at(), old.id, 0), rotateKey(at(), old.id, 0)]);
    expect(both.map((result) => result.status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await gateway.database.prisma.apiKey.count()).toBe(before + 1);
  });

  it("revoke takes effect immediately, whatever the caller's clock says", async () => {
    const made = await make();
    await revokeKeyById(at(later(HOUR)), made.id);
    expect(await status(made.key)).toBe(401);
  });

  it("rotate refuses a revoked or expired key, and creates none", async () => {
    const revoked = await make();
    await revokeKeyById(at(), revoked.id);
    const expired = await make({ expiresAt: later(HOUR) });
    const before = await gateway.database.prisma.apiKey.count();
    await expect(rotateKey(at(later(HOUR)), revoked.id, 0)).rejects.toThrow(
      `The key ${revoked.id} is revoked: create a new one instead.`,
    );
    await expect(rotateKey(at(later(HOUR)), expired.id, 0)).rejects.toThrow(
      `The key ${expired.id} is expired: create a new one instead.`,
    );
    expect(await gateway.database.prisma.apiKey.count()).toBe(before);
  });

  it("update changes tier, scopes and name immediately, each separately", async () => {
    const { id, key } = await make();
    const limit = async () => (await gateway.rest("/market", key)).headers.get("x-ratelimit-limit");
    expect(await limit()).toBe("1000");

    const before = await listed(id);
    expect(await changeKey(at(), id, { tier: "enterprise" })).toMatchObject({ tier: "enterprise" });
    expect(await limit()).toBe("10000");
    await changeKey(at(), id, { name: "Renamed" });
    await changeKey(at(), id, { scopes: ["read:credits"] });
    expect(await status(key)).toBe(401);
    expect((await gateway.rest("/credits", key)).status).toBe(200);
    expect({ ...(await listed(id)), lastUsedAt: null }).toEqual({
      ...before,
      tier: "enterprise",
      name: "Renamed",
      scopes: ["read:credits"],
      lastUsedAt: null,
    });
  });

  it("revoke, rotate and update refuse an unknown id or non-UUID without repeating it: it may be a key", async () => {
    const unknown = randomUUID();
    const { key } = await make();
    const works = [
      (id: string) => revokeKeyById(at(), id),
      (id: string) => rotateKey(at(), id, 0),
      (id: string) => changeKey(at(), id, { tier: "free" }),
    ];
    for (const work of works) {
      await expect(work(unknown)).rejects.toThrow(`There is no key with the id ${unknown}.`);
      expect(await exitOf(work(key))).toEqual({
        code: 1,
        message: "Expected the id of a key, which is a UUID. See: npm run gateway -- keys list",
      });
    }
  });
});
