import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startJobs } from "../../src/app/jobs.js";
import { prune } from "../../src/data/database/upkeep/prune.js";
import { createLogger } from "../../src/log.js";
import { addOrganization, addUser, anyHash, readAuditTrail } from "../support/audit.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { makeKey } from "../support/server.js";

let database: TestDatabase;
let organizationId: string;
let userId: string;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  [organizationId, userId] = [await addOrganization(database), await addUser(database)];
});

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

/** Adds a script's session that expired `daysExpired` days ago, with a spent refresh token; returns its id. */
async function addSession(daysExpired: number, user = userId): Promise<string> {
  const [begun, expiresAt] = [daysAgo(daysExpired + 30), daysAgo(daysExpired)];
  const { id } = await database.prisma.session.create({
    data: {
      userId: user,
      organizationId,
      kind: "token",
      tokenHash: anyHash(),
      refreshHash: anyHash(),
      createdAt: begun,
      authenticatedAt: begun,
      lastUsedAt: begun,
      tokenExpiresAt: begun,
      expiresAt,
      spentRefreshTokens: { create: { hash: anyHash() } },
    },
  });
  return id;
}

const addInvitation = (daysExpired: number) =>
  database.prisma.invitation.create({
    data: {
      organizationId,
      email: `${randomUUID()}@example.org`,
      role: "viewer",
      tokenHash: anyHash(),
      expiresAt: daysAgo(daysExpired),
    },
  });

const keptSessions = async () => {
  const kept = await database.prisma.session.findMany({
    where: { organizationId },
    orderBy: { createdAt: "asc" },
  });
  return kept.map(({ id }) => id);
};
const deletions = async () => {
  const entries = await readAuditTrail(database, organizationId);
  return entries
    .filter(({ action }) => action.endsWith(".deleted"))
    .map(({ action, target }) => [action, target.id]);
};

describe("data that expired 90 days ago", () => {
  it("is deleted: sessions with spent refresh tokens, sign-in links and invitations", async () => {
    const [, kept, living] = [await addSession(91), await addSession(89), await addSession(-1)];
    for (const days of [91, 89]) {
      await addInvitation(days);
      await database.prisma.signInLink.create({
        data: { userId, tokenHash: anyHash(), expiresAt: daysAgo(days) },
      });
    }
    await prune(database);
    expect(await keptSessions()).toEqual([kept, living]);
    expect(await database.prisma.spentRefreshToken.count({ where: { session: { userId } } })).toBe(2);
    expect(await database.prisma.signInLink.count({ where: { userId } })).toBe(1);
    expect(await database.prisma.invitation.count({ where: { organizationId } })).toBe(1);
    expect(await deletions()).toEqual([]);
  });

  it("is fully deleted across transactions, except for each user's latest session", async () => {
    const other = await addUser(database);
    for (let day = 0; day < 120; day++) await addSession(100 + day);
    const lastOfOther = await addSession(400, other);
    const [last] = (await keptSessions()).slice(-1);
    await prune(database);
    expect(await keptSessions()).toEqual([lastOfOther, last]);
    expect(await deletions()).toEqual([]);
  });

  it("is also deleted if it is a count of a key's requests", async () => {
    const { slug } = await database.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
    const { id: keyId } = await makeKey(database, slug);
    for (const days of [91, 89]) {
      await database.prisma.apiKeyUsage.create({ data: { keyId, hour: daysAgo(days), requests: 1 } });
    }
    await prune(database);
    expect(await database.prisma.apiKeyUsage.count({ where: { keyId } })).toBe(1);
  });

  it("is deleted a day after its change if it is an idempotency key with its answer", async () => {
    const keyOf = (days: number) => ({
      organizationId,
      caller: `user:${userId}`,
      keyHash: Buffer.alloc(32, days),
      fingerprint: Buffer.alloc(32),
      createdAt: daysAgo(days),
    });
    await database.prisma.idempotencyKey.createMany({ data: [keyOf(2), keyOf(0)] });
    await prune(database);
    const kept = await database.prisma.idempotencyKey.findMany({ where: { organizationId } });
    expect(kept.map(({ keyHash }) => keyHash[0])).toEqual([0]);
  });

  it("is reported by the trail with later deletions, including those by SQL", async () => {
    const [old, later] = [await addSession(91), await addSession(89)];
    const invitation = await addInvitation(-1);
    await database.prisma.session.deleteMany({ where: { organizationId } });
    await database.prisma.invitation.deleteMany({ where: { organizationId } });
    const expected = [old, later].map((id) => ["session.deleted", id]);
    expect(await deletions()).toEqual(
      expect.arrayContaining([...expected, ["invitation.deleted", invitation.id]]),
    );
  });
});

describe("a gateway", () => {
  it("prunes at every interval, and continues after a failure", async () => {
    const failures: object[] = [];
    const log = createLogger("info", { write: (line: string) => void failures.push(JSON.parse(line)) });
    let isAway = true;
    const pruning = startJobs(
      {
        ...database,
        transaction: (work) => (isAway ? Promise.reject(new Error("away")) : database.transaction(work)),
      },
      log,
      [{ name: randomUUID(), everyMs: 0, run: prune }],
      5,
    );
    await expect
      .poll(() => failures)
      .toContainEqual(expect.objectContaining({ msg: "failed to run a due job" }));
    isAway = false;
    for (const days of [100, 99]) {
      await addSession(days);
      const latest = await addSession(days - 50);
      await expect.poll(keptSessions).toEqual([latest]);
      await database.prisma.session.deleteMany({ where: { organizationId } });
    }
    await pruning.stop();
  });
});
