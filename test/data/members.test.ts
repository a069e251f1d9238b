import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { write } from "../../src/data/database/transaction.js";
import { acceptInvitation, findOpenInvitation } from "../../src/data/people/invitations.js";
import { addOrganization, addUser, anyHash } from "../support/audit.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { NOW } from "../support/server.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const run = (sql: string) => database.transaction(({ script }) => script(sql));
const NEEDS_OWNER = "an organization that has members must have an owner";

/** Adds an organization with two owners and a viewer. */
async function makeMembers() {
  const organization = await addOrganization(database);
  const [first, second, viewer] = [await addUser(database), await addUser(database), await addUser(database)];
  await run(`INSERT INTO memberships (organization_id, user_id, role) VALUES ('${organization}', '${first}', 'owner'),
    ('${organization}', '${second}', 'owner'), ('${organization}', '${viewer}', 'viewer')`);
  const roles = async () =>
    (await database.prisma.membership.findMany({ where: { organizationId: organization } }))
      .map(({ role }) => role)
      .toSorted();
  const where = (user: string) => `WHERE organization_id = '${organization}' AND user_id = '${user}'`;
  return { organization, first, second, viewer, roles, where };
}

describe("an organization with members", () => {
  it.each([
    ["is demoted", (where: string) => `UPDATE memberships SET role = 'admin' ${where}`],
    ["is removed", (where: string) => `DELETE FROM memberships ${where}`],
    [
      "goes to another organization",
      (
        where: string,
      ) => `INSERT INTO organizations (slug, name) VALUES ('other-${randomUUID().slice(0, 8)}', 'Other');
        UPDATE memberships SET organization_id = (SELECT id FROM organizations WHERE name = 'Other' LIMIT 1) ${where}`,
    ],
  ])("keeps an owner if one %s", async (_what, change) => {
    const { first, second, roles, where } = await makeMembers();
    await run(change(where(first)));
    await expect(run(change(where(second)))).rejects.toThrow(NEEDS_OWNER);
    expect(await roles()).toContain("owner");
  });

  it("keeps an owner if a user is removed", async () => {
    const { first, second, roles } = await makeMembers();
    await run(`DELETE FROM users WHERE id = '${first}'`);
    await expect(run(`DELETE FROM users WHERE id = '${second}'`)).rejects.toThrow(NEEDS_OWNER);
    expect(await roles()).toEqual(["owner", "viewer"]);
  });

  it("has an owner from its first member on", async () => {
    const [organization, user] = [await addOrganization(database), await addUser(database)];
    const add = `INSERT INTO memberships (organization_id, user_id, role) VALUES ('${organization}', '${user}', 'admin')`;
    await expect(run(add)).rejects.toThrow(NEEDS_OWNER);
  });

  it("may change its owner within a transaction, lose all its members, and be deleted", async () => {
    const { organization, first, second, viewer, roles, where } = await makeMembers();
    await run(`UPDATE memberships SET role = 'viewer' WHERE organization_id = '${organization}';
      UPDATE memberships SET role = 'owner' ${where(viewer)}`);
    expect(await roles()).toEqual(["owner", "viewer", "viewer"]);
    await run(`DELETE FROM memberships WHERE organization_id = '${organization}'`);
    await run(`INSERT INTO memberships (organization_id, user_id, role) VALUES ('${organization}', '${first}', 'owner'),
      ('${organization}', '${second}', 'admin')`);
    await run(`DELETE FROM organizations WHERE id = '${organization}'`);
    expect(await roles()).toEqual([]);
  });
});

describe("a user", () => {
  it("has a unique e-mail address in any case", async () => {
    const email = `${randomUUID()}@Example.org`;
    await database.prisma.user.create({ data: { email, name: "A" } });
    const again = database.prisma.user.create({ data: { email: email.toUpperCase(), name: "B" } });
    await expect(again).rejects.toMatchObject({ code: "P2002" });
  });

  it.each([
    ["email", "not an e-mail"],
    ["email", "a@b@c"],
    ["email", `${"x".repeat(300)}@example.org`],
    ["email", "a\u0007@example.org"],
    ["name", ""],
    ["passwordHash", "correct horse battery staple"],
    ["passwordHash", "$2b$10$abcdefghijklmnopqrstuv"],
  ])("is refused with the %s %j", async (column, value) => {
    const data = { email: `${randomUUID()}@example.org`, name: "A", [column]: value };
    await expect(database.prisma.user.create({ data })).rejects.toThrow();
  });
});

describe("a session", () => {
  it("is deleted with its user or organization, and its spent tokens with it", async () => {
    const [organization, other, user] = [
      await addOrganization(database),
      await addOrganization(database),
      await addUser(database),
    ];
    const add = async (organizationId: string) => {
      const { id } = await database.prisma.session.create({
        data: {
          userId: user,
          organizationId,
          kind: "token",
          tokenHash: anyHash(),
          refreshHash: anyHash(),
          tokenExpiresAt: new Date(),
          authenticatedAt: new Date(),
          lastUsedAt: new Date(),
          expiresAt: new Date(),
          spentRefreshTokens: { create: { hash: anyHash() } },
        },
      });
      return id;
    };
    const [first, second] = [await add(organization), await add(other)];
    const left = async () => [
      await database.prisma.session.count({ where: { userId: user } }),
      await database.prisma.spentRefreshToken.count({ where: { sessionId: { in: [first, second] } } }),
    ];
    expect(await left()).toEqual([2, 2]);
    await run(`DELETE FROM organizations WHERE id = '${organization}'`);
    expect(await left()).toEqual([1, 1]);
    await run(`DELETE FROM users WHERE id = '${user}'`);
    expect(await left()).toEqual([0, 0]);
  });
});

describe("notifications to other processes", () => {
  it("cover every end and change of sessions, users and members, but no use of a session", async () => {
    const [organization, user] = [await addOrganization(database), await addUser(database)];
    const received: string[] = [];
    const listening = await database.listen("gateway_changes", {
      // Omits the transaction.
      onMessage: (message) => void received.push(message.split(" ").slice(0, 2).join(" ")),
      onLost: () => undefined,
    });
    const session = randomUUID();
    await run(`INSERT INTO memberships (organization_id, user_id, role) VALUES ('${organization}', '${user}', 'owner');
      INSERT INTO sessions (id, user_id, organization_id, kind, token_hash, token_expires_at, authenticated_at, last_used_at, expires_at)
      VALUES ('${session}', '${user}', '${organization}', 'browser', '${anyHash()}', now(), now(), now(), now())`);
    const changes = [
      [`UPDATE sessions SET last_used_at = now() WHERE id = '${session}'`, []],
      [`UPDATE sessions SET revoked_at = now() WHERE id = '${session}'`, [`sessions ${organization}`]],
      [`UPDATE users SET disabled_at = now() WHERE id = '${user}'`, ["users *"]],
      [
        `UPDATE memberships SET created_at = '2020-01-01' WHERE organization_id = '${organization}'`,
        [`memberships ${organization}`],
      ],
      [`DELETE FROM sessions WHERE id = '${session}'`, [`sessions ${organization}`]],
      [`DELETE FROM memberships WHERE organization_id = '${organization}'`, [`memberships ${organization}`]],
    ] as const;
    await expect.poll(() => received).toEqual([`memberships ${organization}`]);
    for (const [statement, messages] of changes) {
      received.length = 0;
      // Once the last message arrives, so have all before it.
      await run(`${statement}; NOTIFY gateway_changes, 'end *'`);
      await expect.poll(() => new Set(received)).toEqual(new Set([...messages, "end *"]));
    }
    await listening.stop();
  });
});

describe("an invitation", () => {
  it.each([
    ["is demoted", (where: string) => `UPDATE memberships SET role = 'editor' ${where}`],
    ["is removed", (where: string) => `DELETE FROM memberships ${where}`],
  ])("that was already read is not accepted once its inviter %s", async (_what, change) => {
    const { organization, first, where, roles } = await makeMembers();
    const [guest, hash] = [await addUser(database), anyHash()];
    await run(`INSERT INTO invitations (organization_id, email, role, token_hash, invited_by, expires_at)
      VALUES ('${organization}', 'guest@example.org', 'admin', '${hash}', '${first}', '2999-01-01')`);
    const found = await findOpenInvitation(database, [hash], NOW);
    await run(change(where(first)));
    const before = await roles();
    const actor = { type: "user", id: guest } as const;
    const writer = { actor, organizationId: organization, requestId: randomUUID() };
    const isAccepted = found && write(database, writer, (sql) => acceptInvitation(sql, found, guest, NOW));
    expect(await isAccepted).toBe(false);
    expect(await roles()).toEqual(before);
  });
});
