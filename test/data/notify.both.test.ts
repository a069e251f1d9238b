import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Notice, notify } from "../../src/actions/notifications/notify.js";
import { write } from "../../src/data/database/transaction.js";
import type { Role } from "../../src/domain/people/roles.js";
import { addOrganization, addUser } from "../support/audit.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { NOW } from "../support/server.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** Adds an organization with a member of each role; returns the ids. */
async function makeMembers() {
  const organizationId = await addOrganization(database);
  const add = async (role: Role) => {
    const userId = await addUser(database);
    await database.prisma.membership.create({ data: { organizationId, userId, role } });
    return userId;
  };
  return {
    organizationId,
    owner: await add("owner"),
    admin: await add("admin"),
    viewer: await add("viewer"),
  };
}

const settle = (userId: string, settings: object, webhookUrl: string | null = null) =>
  database.prisma.notificationPreferences.create({ data: { userId, settings, webhookUrl } });

/** Notifies an organization's members in a request of another user. */
function notifyMembers(organizationId: string, notice: Partial<Notice>): Promise<void> {
  const actor = { type: "user", id: randomUUID() } as const;
  const request = { actor, organizationId, requestId: randomUUID() };
  return write(database, request, (sql) =>
    notify(sql, {
      organizationId,
      to: { membersWith: "read:compliance" },
      key: "deadline 1",
      category: "deadline",
      severity: "medium",
      title: "A deadline is near",
      body: "Report.",
      link: "/console/compliance",
      now: NOW,
      ...notice,
    }),
  );
}

const notificationsOf = async (userId: string) => {
  const rows = await database.prisma.notification.findMany({
    where: { userId },
    orderBy: { key: "asc" },
    include: { deliveries: { orderBy: { channel: "asc" } } },
  });
  return rows.map(({ key, inApp, deliveries }) => [
    key,
    inApp,
    ...deliveries.map(({ channel, nextAt }) => `${channel} ${nextAt?.toISOString()}`),
  ]);
};
const AT_ONCE = "email 2026-11-20T10:00:00.000Z";

describe("an event", () => {
  it("notifies members whose role has a scope, in the console and by e-mail", async () => {
    const { organizationId, owner, admin, viewer } = await makeMembers();
    await notifyMembers(organizationId, {
      to: { membersWith: "request:verification" },
      category: "verification",
    });
    expect(await Promise.all([owner, admin, viewer].map(notificationsOf))).toEqual([
      [["deadline 1", true, AT_ONCE]],
      [["deadline 1", true, AT_ONCE]],
      [],
    ]);
  });

  it("notifies once, and never if its transaction is rolled back", async () => {
    const { organizationId, owner } = await makeMembers();
    await notifyMembers(organizationId, {});
    await notifyMembers(organizationId, { title: "Again" });
    const failing = write(
      database,
      { actor: { type: "user", id: owner }, organizationId, requestId: "" },
      async (sql) => {
        await notify(sql, {
          organizationId,
          to: { users: [owner] },
          key: "other",
          category: "verification",
          severity: "low",
          title: "Never",
          body: "",
          link: null,
          now: NOW,
        });
        throw new Error("undone");
      },
    );
    await expect(failing).rejects.toThrow("undone");
    expect(await notificationsOf(owner)).toEqual([["deadline 1", true, AT_ONCE]]);
  });

  it("notifies by each user's settings: channel, category and minimum severity", async () => {
    const { organizationId, owner, admin, viewer } = await makeMembers();
    await settle(
      owner,
      { channels: { in_app: { enabled: false }, webhook: { enabled: true } } },
      "https://a.example",
    );
    await settle(admin, { categories: { anomaly: { min_severity: "high" } } });
    await settle(viewer, {
      channels: { in_app: { enabled: false } },
      categories: { anomaly: { email: false } },
    });
    await notifyMembers(organizationId, { key: "a", category: "anomaly" });
    await notifyMembers(organizationId, { key: "b", category: "security" });
    expect(await notificationsOf(owner)).toEqual([
      ["a", false, AT_ONCE, "webhook 2026-11-20T10:00:00.000Z"],
      ["b", true, AT_ONCE, "webhook 2026-11-20T10:00:00.000Z"],
    ]);
    for (const person of [admin, viewer]) {
      expect(await notificationsOf(person)).toEqual([
        ["a", false],
        ["b", true, AT_ONCE],
      ]);
    }
  });

  it("is e-mailed at the hour that each user chose, in their time zone, but sent to webhooks immediately", async () => {
    const { organizationId, owner, admin } = await makeMembers();
    const webhook = { webhook: { enabled: true } };
    await settle(
      owner,
      { channels: webhook, digest: { frequency: "daily", timezone: "Asia/Kolkata" } },
      "https://a.example",
    );
    await settle(admin, {
      digest: { frequency: "weekly", weekday: "friday", hour: 11, timezone: "Europe/Berlin" },
    });
    await notifyMembers(organizationId, {});
    expect(await notificationsOf(owner)).toEqual([
      ["deadline 1", true, "email 2026-11-21T02:30:00.000Z", "webhook 2026-11-20T10:00:00.000Z"],
    ]);
    // It is Friday 11:00 in Berlin, so the next digest is a week later.
    expect(await notificationsOf(admin)).toEqual([["deadline 1", true, "email 2026-11-27T10:00:00.000Z"]]);
  });

  it("never notifies disabled users, and notifies a single user without an organization", async () => {
    const { organizationId, owner, viewer } = await makeMembers();
    await database.prisma.user.update({ where: { id: viewer }, data: { disabledAt: NOW } });
    await notifyMembers(organizationId, {
      organizationId: null,
      to: { users: [owner, viewer] },
      category: "security",
    });
    expect([await notificationsOf(owner), await notificationsOf(viewer)]).toEqual([
      [["deadline 1", true, AT_ONCE]],
      [],
    ]);
  });
});
