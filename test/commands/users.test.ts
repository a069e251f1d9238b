import { beforeAll, describe, expect, it } from "vitest";
import { hashKey } from "../../src/access/secrets/api-key.js";
import { isToken, type TokenKind } from "../../src/access/secrets/token.js";
import { changeUserEmail, confirmUserEmail, createResetLink } from "../../src/actions/people/addresses.js";
import {
  createSuperAdmin,
  disableUser,
  enableUser,
  inviteUser,
} from "../../src/actions/people/administer-users.js";
import { resetUserFactors } from "../../src/actions/people/reset-factors.js";
import { createSignInLink } from "../../src/actions/people/sign-in-links.js";
import { listAccounts } from "../../src/data/people/accounts.js";
import type { Role } from "../../src/domain/people/roles.js";
import { createSite } from "../../src/http/site.js";
import { addUser, readAuditTrail } from "../support/audit.js";
import { exitOf } from "../support/exit.js";
import { addApp, signIn, signUp } from "../support/people.js";
import { runCommand } from "../support/run-command.js";
import { learnPassword } from "../support/secrets.js";
import { type Envelope, makeOrganization, NOW, startGateway } from "../support/server.js";
import { useCommandDatabase, useDatabase } from "../support/use.js";

const PEPPER = "a pepper of the tests";
const MINUTE = 60_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);

/** Returns the token in a link, which must lead to the console and have a token of this kind in the fragment. */
function tokenIn(link: string, kind: TokenKind, base = "http://127.0.0.1:4000"): string {
  const [place, purpose, token = "", ...more] = link.split(/[#=]/);
  expect([place, purpose, more]).toEqual([
    `${base}/console/`,
    { link: "sign-in", reset: "reset" }[kind as string] ?? "invitation",
    [],
  ]);
  expect(isToken(kind, token)).toBe(true);
  return token;
}

describe("gateway users, as a process", () => {
  let acme: string;
  const commands = useCommandDatabase();
  beforeAll(async () => {
    acme = await commands.use(makeOrganization);
  });

  const gateway = (args: readonly string[], env: Record<string, string> = {}) =>
    runCommand(["users", ...args], { env: { ...commands.env, ...env } });

  it("create prints a working invitation, of which only a hash is stored", async () => {
    const args = ["create", "--organization", acme, "--email", "ada@example.com", "--role", "owner"];
    const { code, stdout } = await gateway(args, {
      PUBLIC_URL: "https://carbon.example.com",
      KEY_PEPPER: PEPPER,
    });
    const [link = "", ...rest] = stdout.split("\n");
    expect([code, rest]).toEqual([
      0,
      [
        "",
        "Copy this link now: it is not stored and cannot be shown again.",
        expect.stringMatching(/^It is for ada@example\.com, works once and expires at \S+Z\.$/),
        "",
      ],
    ]);
    const token = tokenIn(link, "invitation", "https://carbon.example.com");
    await commands.use(async ({ prisma }) => {
      const [row, ...others] = await prisma.invitation.findMany({ include: { organization: true } });
      expect(others).toEqual([]);
      expect(row).toMatchObject({
        email: "ada@example.com",
        role: "owner",
        invitedBy: null,
        acceptedAt: null,
        revokedAt: null,
        tokenHash: hashKey(token, PEPPER),
        organization: { slug: acme },
      });
    });
    await commands.use(async (database) => {
      const app = await startGateway({ database, env: { KEY_PEPPER: PEPPER } });
      app.setNow(new Date());
      try {
        const body = { invitation: token, password: "a heron by the river", name: "Ada" };
        const { status } = await app.call("/api/v1/auth/register", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        });
        expect(status).toBe(201);
      } finally {
        await app.stop();
      }
      expect(await listAccounts(database)).toMatchObject([
        {
          email: "ada@example.com",
          organizations: [{ slug: acme, role: "owner" }],
          lastSignInAt: expect.any(Date),
        },
      ]);
    });
  });

  it("creates a super admin, lists, disables and enables the account, and shows tokens only in links", async () => {
    const args = ["create", "--super-admin", "--email", "Root@example.com", "--name", "Rut", "--json"];
    const created = await gateway(args, { PORT: "4321" });
    const { link, ...account } = JSON.parse(created.stdout);
    expect([created.code, created.stderr, account]).toEqual([
      0,
      "Warning: PUBLIC_URL is not set, so the link leads to http://127.0.0.1:4321. Set it as for the gateway.\n",
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        email: "Root@example.com",
        name: "Rut",
        expires_at: expect.stringMatching(/Z$/),
      },
    ]);
    tokenIn(link, "link", "http://127.0.0.1:4321");

    const listed = await gateway(["list"]);
    expect(listed.stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["id", "email", "organizations", "disabled", "last sign-in", "name"],
      [account.id, "Root@example.com", "super admin", "no", "never", "Rut"],
      // Created by the previous test.
      [
        expect.any(String),
        "ada@example.com",
        `${acme} (owner)`,
        "no",
        expect.stringMatching(/^\d{4}-.*Z$/),
        "Ada",
      ],
      [""],
    ]);
    const disabled = await gateway(["disable", "root@EXAMPLE.com"]);
    expect([disabled.code, disabled.stdout]).toEqual([
      0,
      "Disabled Root@example.com, and ended all sessions.\n",
    ]);
    const json = await gateway(["list", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual([
      {
        id: account.id,
        email: "Root@example.com",
        name: "Rut",
        is_super_admin: true,
        organizations: [],
        created_at: expect.any(String),
        disabled_at: expect.any(String),
        last_sign_in_at: null,
      },
      expect.objectContaining({ organizations: [{ slug: acme, role: "owner" }], disabled_at: null }),
    ]);
    const refused = await gateway(["sign-in-link", "root@example.com"]);
    expect([refused.code, refused.stderr.split("\n")[1]]).toEqual([
      1,
      "The account of Root@example.com is disabled: enable it first.",
    ]);
    const enabled = await gateway(["enable", "root@example.com"]);
    expect([enabled.code, enabled.stdout]).toEqual([0, "Root@example.com can sign in again.\n"]);

    const again = await gateway(["sign-in-link", "root@example.com"]);
    const token = tokenIn(again.stdout.split("\n")[0] ?? "", "link");
    await commands.use(async ({ prisma }) => {
      const rows = await prisma.signInLink.findMany();
      expect(rows.map(({ tokenHash }) => tokenHash)).toContain(hashKey(token, undefined));
    });
    for (const { stdout, stderr } of [listed, json, disabled, enabled])
      expect(stdout + stderr).not.toContain("cgw_");
  });

  it.each([
    ["neither kind", ["--email", "a@b"], "Specify --organization and --role, or --super-admin."],
    [
      "no role",
      ["--email", "a@b", "--organization", "x"],
      "Specify --organization and --role, or --super-admin.",
    ],
    ["no e-mail", ["--super-admin"], "error: required option '--email <email>' not specified"],
    [
      "both kinds",
      ["--email", "a@b", "--super-admin", "--organization", "x"],
      "error: option '--super-admin' cannot be used with option '--organization <slug>'",
    ],
    [
      "another role",
      ["--email", "a@b", "--organization", "x", "--role", "king"],
      "error: option '--role <role>' argument 'king' is invalid. Allowed choices are viewer, editor, admin, owner.",
    ],
  ])("create refuses %s as bad usage", async (_what, args, message) => {
    expect(await gateway(["create", ...args])).toEqual({ code: 2, stdout: "", stderr: `${message}\n` });
  });
});

describe("gateway users", () => {
  const database = useDatabase();

  const context = () => ({
    database,
    pepper: undefined,
    now: NOW,
    site: createSite(undefined, () => 4000),
  });
  /** Dependencies of commands that notify the user by e-mail. */
  const mailing = (now: Date) => ({ database, pepper: undefined, now, outbound: { mailer: {} } });
  const queuedMails = async (userId: string) => {
    const jobs = await database.prisma.mailJob.findMany({ where: { userId }, orderBy: { email: "asc" } });
    return jobs.map(({ kind, email }) => [kind, email]);
  };
  const emailOf = async (id: string) =>
    (await database.prisma.user.findUniqueOrThrow({ where: { id } })).email;
  const invite = (organization: string, email: string, role: Role = "owner") =>
    inviteUser(context(), { organization, email, role });

  it("create makes an invitation valid for 7 days, and revokes the user's earlier one", async () => {
    const slug = await makeOrganization(database);
    const first = await invite(slug, "grace@example.com");
    expect(first).toEqual({
      id: expect.any(String),
      organization: slug,
      email: "grace@example.com",
      role: "owner",
      link: expect.any(String),
      expiresAt: later(7 * 24 * 60 * MINUTE),
    });
    const second = await invite(slug, " Grace@Example.com ");
    const rows = await database.prisma.invitation.findMany({
      where: { organization: { slug } },
      orderBy: { email: "desc" },
    });
    expect(rows.map(({ id, revokedAt }) => [id, revokedAt])).toEqual([
      [first.id, NOW],
      [second.id, null],
    ]);
  });

  it("create refuses members and unknown organizations, and requires an owner first", async () => {
    const slug = await makeOrganization(database);
    const userId = await addUser(database);
    const organization = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
    await database.prisma.membership.create({
      data: { organizationId: organization.id, userId, role: "owner" },
    });
    const email = await emailOf(userId);
    expect(await exitOf(invite(slug, email.toUpperCase()))).toEqual({
      code: 1,
      message: `${email.toUpperCase()} is already a member of ${slug}.`,
    });
    expect(await invite(slug, "guest@example.com", "viewer")).toMatchObject({ role: "viewer" });
    const empty = await makeOrganization(database);
    expect(await exitOf(invite(empty, "guest@example.com", "admin"))).toEqual({
      code: 1,
      message: `${empty} has no members yet, and the first must be an owner.`,
    });
    expect(await exitOf(invite("nobody", "a@b"))).toEqual({
      code: 1,
      message: 'There is no organization "nobody". See: npm run gateway -- organizations list',
    });
  });

  const EMAIL = "--email must be an e-mail address of at most 254 characters, such as ada@example.com";
  it.each([
    ["no @", "example.com", '"example.com"'],
    ["two @", "a@b@example.com", '"a@b@example.com"'],
    ["a space", "a b@example.com", '"a b@example.com"'],
    ["a line break", "a@example\n.com", '"a@example\\n.com"'],
    ["255 characters", `${"a".repeat(250)}@b.de`, `"${"a".repeat(59)}…"`],
    ["nothing", " ", '""'],
  ])("create refuses an e-mail with %s as bad usage", async (_what, email, got) => {
    expect(await exitOf(invite("any", email))).toEqual({ code: 2, message: `${EMAIL} (got ${got}).` });
  });

  it("create allows one account per e-mail address, in any case", async () => {
    const request = { email: "Élan@example.com", name: "Élan" };
    await createSuperAdmin(context(), request);
    for (const email of [request.email, "Élan@EXAMPLE.com"]) {
      expect(await exitOf(createSuperAdmin(context(), { ...request, email }))).toEqual({
        code: 1,
        message: `A user with the e-mail address ${email} already exists.`,
      });
    }
    expect(await createSignInLink(context(), "Élan@EXAMPLE.com")).toMatchObject({ email: request.email });
  });

  it("sign-in-link expires after 15 minutes, and keeps earlier ones valid", async () => {
    const userId = await addUser(database);
    const email = await emailOf(userId);
    const made = [await createSignInLink(context(), email), await createSignInLink(context(), email)];
    const rows = await database.prisma.signInLink.findMany({ where: { userId } });
    expect(rows.map(({ tokenHash }) => tokenHash).toSorted()).toEqual(
      made.map(({ link }) => hashKey(tokenIn(link, "link"), undefined)).toSorted(),
    );
    for (const { expiresAt, usedAt } of rows) expect([expiresAt, usedAt]).toEqual([later(15 * MINUTE), null]);
    const expires_at = expect.stringMatching(/^2026-11-20T10:15:00/);
    const entries = (await readAuditTrail(database, null)).filter(
      ({ changes }) => changes["user_id"] === userId,
    );
    expect(entries).toMatchObject(
      rows.map(({ id }) => ({
        action: "sign_in_link.created",
        actor: { type: "command", id: "users sign-in-link" },
        target: { type: "sign_in_link", id },
        changes: { user_id: userId, expires_at, token_hash: "***" },
      })),
    );
  });

  it("reset-link sets a new password once, at a gateway without e-mail", async () => {
    const gateway = await startGateway({ database });
    try {
      const person = await signUp(gateway);
      const { email, id } = person.user;
      const { link, expiresAt } = await createResetLink(context(), email.toUpperCase());
      expect(expiresAt).toEqual(later(30 * MINUTE));
      const json = { token: tokenIn(link, "reset"), password: `${id} of a test` };
      learnPassword(json.password);
      const finish = () => person.call<Envelope>("/v1/auth/password-reset/finish", { json });
      expect((await finish()).body.data).toEqual({ ended_sessions: 1 });
      expect((await finish()).status).toBe(410);
      expect((await person.call("/v1/auth/me")).status).toBe(401);
    } finally {
      await gateway.stop();
    }
  });

  it("confirm-email and change-email vouch for an address", async () => {
    const user = await database.prisma.user.create({ data: { email: "eve@example.com", name: "Eve" } });
    const row = () => database.prisma.user.findUniqueOrThrow({ where: { id: user.id } });
    await confirmUserEmail(database, "EVE@example.com", NOW);
    expect(await row()).toMatchObject({ emailConfirmedAt: NOW });
    expect(
      await exitOf(changeUserEmail(mailing(NOW), user.email, await emailOf(await addUser(database)))),
    ).toEqual({
      code: 1,
      message: expect.stringMatching(/^A user with the e-mail address .+ already exists/),
    });
    await changeUserEmail(mailing(later(MINUTE)), user.email, "eve@example.net");
    expect(await row()).toMatchObject({ email: "eve@example.net", emailConfirmedAt: later(MINUTE) });
    const entries = (await readAuditTrail(database, null)).filter(({ target }) => target.id === user.id);
    expect(entries.map(({ action, actor }) => [action, actor.id]).slice(-2)).toEqual([
      ["email.confirmed", "users confirm-email"],
      ["email.changed", "users change-email"],
    ]);
    expect(await queuedMails(user.id)).toEqual([
      ["address_replaced", "eve@example.com"],
      ["address_replaced", "eve@example.net"],
    ]);
  });

  it("reset-factors removes each factor and session of a user, who is notified", async () => {
    const gateway = await startGateway({ database });
    try {
      const person = await signUp(gateway);
      const { email, id } = person.user;
      await addApp(gateway, person);
      await resetUserFactors(mailing(NOW), email.toUpperCase());
      expect((await person.call("/v1/auth/me")).status).toBe(401);
      const again = await signIn(gateway, person.user, person.organization);
      expect((await again.call("/v1/auth/factors")).body.data).toMatchObject({ totp: null, passkeys: [] });
      expect(await queuedMails(id)).toEqual([["factor_reset", email]]);
      const entries = (await readAuditTrail(database, null)).filter(({ target }) => target.id === id);
      expect(entries.map(({ action, actor }) => [action, actor.id])).toContainEqual([
        "factor.reset",
        "users reset-factors",
      ]);
    } finally {
      await gateway.stop();
    }
  });

  it("disable ends the user's sessions everywhere, and nobody else's", async () => {
    const gateway = await startGateway({ database });
    try {
      const [gone, other] = [await signUp(gateway), await signUp(gateway)];
      const second = await signIn(gateway, gone.user, gone.organization);
      const statuses = () =>
        Promise.all(
          [gone, second, other].map(async (one) => (await one.graphql("{ organization { slug } }")).status),
        );
      expect(await statuses()).toEqual([200, 200, 200]);

      const { id, email, name } = gone.user;
      expect(await disableUser(database, email, NOW)).toEqual({ id, email, name, disabledAt: NOW });
      expect(await statuses()).toEqual([401, 401, 200]);
      expect(await disableUser(database, email, later(MINUTE))).toMatchObject({ disabledAt: NOW });
      expect(await enableUser(database, email)).toMatchObject({ disabledAt: null });
      // Ended sessions are not revived.
      expect(await statuses()).toEqual([401, 401, 200]);
      const next = await signIn(gateway, gone.user, gone.organization);
      expect((await next.graphql("{ organization { slug } }")).status).toBe(200);

      const entries = [
        ...(await readAuditTrail(database, null)),
        ...(await readAuditTrail(database, gone.organization.id)),
      ];
      expect(
        entries
          .filter(({ actor }) => actor.type === "command")
          .map(({ action, actor, target }) => [action, actor.id, target.id]),
      ).toEqual(
        expect.arrayContaining([
          ["user.disabled", "users disable", id],
          ["session.ended", "users disable", gone.session.id],
          ["session.ended", "users disable", second.session.id],
          ["user.enabled", "users enable", id],
        ]),
      );
    } finally {
      await gateway.stop();
    }
  });

  it.each([
    ["sign-in-link", (email: string) => createSignInLink(context(), email)],
    ["reset-link", (email: string) => createResetLink(context(), email)],
    ["confirm-email", (email: string) => confirmUserEmail(database, email, NOW)],
    ["change-email", (email: string) => changeUserEmail(mailing(NOW), email, "x@example.com")],
    ["reset-factors", (email: string) => resetUserFactors(mailing(NOW), email)],
    ["disable", (email: string) => disableUser(database, email, NOW)],
    ["enable", (email: string) => enableUser(database, email)],
  ])("%s refuses an unknown e-mail address", async (_command, run) => {
    expect(await exitOf(run("nobody@example.com"))).toEqual({
      code: 1,
      message:
        "There is no user with the e-mail address nobody@example.com. See: npm run gateway -- users list",
    });
  });
});
