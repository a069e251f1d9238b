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
import { createSite } from "../../src/http/site.js";
import { readAuditTrail } from "../support/audit.js";
import { useCommands } from "../support/commands.js";
import { exitOf } from "../support/exit.js";
import { addApp, signIn, signUp } from "../support/people.js";
import { learnPassword } from "../support/secrets.js";
import { makeOrganization, NOW, startGateway } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PEPPER = "a pepper of the tests";
const MINUTE = 60_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);

/** Returns the token in a link, which must lead to the console and have a token of this kind in the fragment. */
function tokenIn(link: string, kind: TokenKind, base = "http://127.0.0.1:4000"): string {
  const [place, purpose, token = "", ...more] = link.split(/[#=]/);
  const purposes: Record<string, string> = { link: "sign-in", reset: "reset" };
  expect([place, purpose, more]).toEqual([`${base}/console/`, purposes[kind] ?? "invitation", []]);
  expect(isToken(kind, token)).toBe(true);
  return token;
}

describe("gateway users, as a process", () => {
  const { database, run, json, ends } = useCommands("users");
  let acme: string;
  beforeAll(async () => {
    acme = await database.use(makeOrganization);
  });

  it("create prints a working invitation, of which only a hash is stored", async () => {
    const line = `create --organization ${acme} --email ada@example.com --role owner`;
    const { code, stdout } = await run(line, {
      PUBLIC_URL: "https://carbon.example.com",
      KEY_PEPPER: PEPPER,
    });
    const [link = "", ...rest] = stdout.split("\n");
    expect(code).toBe(0);
    expect(rest).toEqual([
      "",
      "Copy this link now: it is not stored and cannot be shown again.",
      expect.stringMatching(/^It is for ada@example\.com, works once and expires at \S+Z\.$/),
      "",
    ]);
    const token = tokenIn(link, "invitation", "https://carbon.example.com");
    await database.use(async (shared) => {
      const invited = { email: "ada@example.com", role: "owner", invitedBy: null };
      expect(await shared.prisma.invitation.findMany({ include: { organization: true } })).toMatchObject([
        { ...invited, tokenHash: hashKey(token, PEPPER), organization: { slug: acme } },
      ]);
      const app = await startGateway({ database: shared, env: { KEY_PEPPER: PEPPER } });
      app.setNow(new Date());
      const { status } = await app.call("/api/v1/auth/register", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ invitation: token, password: "a heron by the river", name: "Ada" }),
      });
      expect(status).toBe(201);
      await app.stop();
    });
  });

  it("creates a super admin, lists, disables and enables the account, and shows tokens only in links", async () => {
    const created = await run("create --super-admin --email Root@example.com --name Rut --json", {
      PORT: "4321",
    });
    const { link, ...account } = JSON.parse(created.stdout);
    expect(created.code).toBe(0);
    expect(created.stderr).toBe(
      "Warning: PUBLIC_URL is not set, so the link leads to http://127.0.0.1:4321. Set it as for the gateway.\n",
    );
    expect(account).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email: "Root@example.com",
      name: "Rut",
      expires_at: expect.stringMatching(/Z$/),
    });
    tokenIn(link, "link", "http://127.0.0.1:4321");
    const { stdout: listed } = await run("list");
    expect(listed.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
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
    await ends("disable root@EXAMPLE.com", 0, /^Disabled Root@example\.com, and ended all sessions\.\n$/);
    const accounts = await json("list");
    const { expires_at: _, ...shown } = account;
    const none = { organizations: [], last_sign_in_at: null };
    const times = { created_at: expect.any(String), disabled_at: expect.any(String) };
    expect(accounts).toEqual([
      { ...shown, is_super_admin: true, ...none, ...times },
      expect.objectContaining({ organizations: [{ slug: acme, role: "owner" }], disabled_at: null }),
    ]);
    await ends(
      "sign-in-link root@example.com",
      1,
      "\nThe account of Root@example.com is disabled: enable it first.",
    );
    await ends("enable root@example.com", 0, /^Root@example\.com can sign in again\.\n$/);
    const token = tokenIn((await run("sign-in-link root@example.com")).stdout.split("\n")[0] ?? "", "link");
    const hashes = await database.use(({ prisma }) => prisma.signInLink.findMany());
    expect(hashes.map(({ tokenHash }) => tokenHash)).toContain(hashKey(token, undefined));
    expect(listed + JSON.stringify(accounts)).not.toContain("cgw_");
  });

  const KINDS = "Specify --organization and --role, or --super-admin.\n";
  const BOTH = "error: option '--super-admin' cannot be used with option '--organization <slug>'\n";
  const ROLE = "argument 'king' is invalid. Allowed choices are viewer, editor, admin, owner.\n";
  it.each([
    ["--email a@b", KINDS],
    ["--email a@b --organization x", KINDS],
    ["--super-admin", "error: required option '--email <email>' not specified\n"],
    ["--email a@b --super-admin --organization x", BOTH],
    ["--email a@b --organization x --role king", `error: option '--role <role>' ${ROLE}`],
  ])("create %s is bad usage: 2", async (options, stderr) => {
    expect(await run(`create ${options}`)).toEqual({ code: 2, stdout: "", stderr });
  });

  const commands = ["sign-in-link", "reset-link", "confirm-email", "reset-factors", "disable", "enable"];
  it.each([
    ...commands.map((one) => `${one} nobody@example.com`),
    "change-email nobody@example.com x@example.com",
  ])("%s: an unknown e-mail address", (line) =>
    ends(
      line,
      1,
      "\nThere is no user with the e-mail address nobody@example.com. See: npm run gateway -- users list\n",
    ),
  );
});

describe("gateway users", () => {
  const gateway = useGateway();
  const context = () => ({
    database: gateway.database,
    pepper: undefined,
    now: NOW,
    site: createSite(undefined, () => 4000),
  });
  /** Dependencies of commands that notify the user by e-mail. */
  const mailing = (now: Date) => ({ ...context(), now, outbound: { mailer: {} } });
  const queuedMails = async (userId: string) => {
    const jobs = await gateway.database.prisma.mailJob.findMany({
      where: { userId },
      orderBy: { email: "asc" },
    });
    return jobs.map(({ kind, email }) => [kind, email]);
  };
  /** Returns action and actor of what happened to a user, oldest first. */
  const trailOf = async (id: string) => {
    const entries = await readAuditTrail(gateway.database, null);
    return entries.filter(({ target }) => target.id === id).map(({ action, actor }) => [action, actor.id]);
  };
  const failure = (message: string | RegExp, code = 1) => ({ code, message: expect.stringMatching(message) });

  it("create makes an invitation valid for 7 days, revokes an earlier one, and refuses members and other first roles", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    const invite = (email: string, organization = slug, role: "owner" | "admin" = "owner") =>
      inviteUser(context(), { organization, email, role });
    const first = await invite("grace@example.com");
    expect(first).toMatchObject({
      organization: slug,
      role: "owner",
      expiresAt: later(7 * 24 * 60 * MINUTE),
    });
    const second = await invite(" Grace@Example.com ");
    const where = { organization: { slug } };
    const rows = await gateway.database.prisma.invitation.findMany({ where, orderBy: { email: "desc" } });
    expect(rows.map(({ id, revokedAt }) => [id, revokedAt])).toEqual([
      [first.id, NOW],
      [second.id, null],
    ]);
    const member = ada.user.email.toUpperCase();
    expect(await exitOf(invite(member))).toEqual(failure(`^${member} is already a member of ${slug}\\.$`));
    const empty = await makeOrganization(gateway.database);
    expect(await exitOf(invite("guest@example.com", empty, "admin"))).toEqual(
      failure(`^${empty} has no members yet, and the first must be an owner\\.$`),
    );
    const nobody = 'There is no organization "nobody". See: npm run gateway -- organizations list';
    expect(await exitOf(invite("a@b", "nobody"))).toEqual({ code: 1, message: nobody });
    const email = "--email must be an e-mail address of at most 254 characters, such as ada@example.com";
    expect(await exitOf(invite("a@example\n.com"))).toEqual({
      code: 2,
      message: `${email} (got "a@example\\n.com").`,
    });
  });

  it("create allows one account per e-mail address, in any case", async () => {
    const request = { email: "Élan@example.com", name: "Élan" };
    await createSuperAdmin(context(), request);
    for (const email of [request.email, "Élan@EXAMPLE.com"]) {
      const message = `A user with the e-mail address ${email} already exists.`;
      expect(await exitOf(createSuperAdmin(context(), { ...request, email }))).toEqual({ code: 1, message });
    }
    expect(await createSignInLink(context(), "Élan@EXAMPLE.com")).toMatchObject({ email: request.email });
  });

  it("sign-in-link expires after 15 minutes, and keeps earlier ones valid", async () => {
    const { id: userId, email } = (await signUp(gateway)).user;
    const made = [await createSignInLink(context(), email), await createSignInLink(context(), email)];
    const rows = await gateway.database.prisma.signInLink.findMany({ where: { userId } });
    expect(rows.map(({ tokenHash }) => tokenHash).toSorted()).toEqual(
      made.map(({ link }) => hashKey(tokenIn(link, "link"), undefined)).toSorted(),
    );
    for (const { expiresAt, usedAt } of rows) expect([expiresAt, usedAt]).toEqual([later(15 * MINUTE), null]);
    const entries = await readAuditTrail(gateway.database, null);
    expect(entries.filter(({ changes }) => changes["user_id"] === userId)).toMatchObject(
      rows.map(({ id }) => ({
        action: "sign_in_link.created",
        actor: { type: "command", id: "users sign-in-link" },
        target: { type: "sign_in_link", id },
        changes: { token_hash: "***" },
      })),
    );
  });

  it("reset-link sets a new password once, at a gateway without e-mail", async () => {
    const person = await signUp(gateway);
    const { link, expiresAt } = await createResetLink(context(), person.user.email.toUpperCase());
    expect(expiresAt).toEqual(later(30 * MINUTE));
    const json = { token: tokenIn(link, "reset"), password: `${person.user.id} of a test` };
    learnPassword(json.password);
    const finish = () => person.call("/v1/auth/password-reset/finish", { json });
    expect((await finish()).body.data).toEqual({ ended_sessions: 1 });
    expect((await finish()).status).toBe(410);
    expect((await person.call("/v1/auth/me")).status).toBe(401);
  });

  it("confirm-email and change-email vouch for an address", async () => {
    const { prisma } = gateway.database;
    const { id, email } = await prisma.user.create({ data: { email: "eve@example.com", name: "Eve" } });
    const row = () => prisma.user.findUniqueOrThrow({ where: { id } });
    await confirmUserEmail(gateway.database, "EVE@example.com", NOW);
    expect(await row()).toMatchObject({ emailConfirmedAt: NOW });
    const { email: taken } = (await signUp(gateway)).user;
    expect(await exitOf(changeUserEmail(mailing(NOW), email, taken))).toEqual(
      failure(/^A user with the e-mail address .+ already exists/),
    );
    await changeUserEmail(mailing(later(MINUTE)), email, "eve@example.net");
    expect(await row()).toMatchObject({ email: "eve@example.net", emailConfirmedAt: later(MINUTE) });
    expect((await trailOf(id)).slice(-2)).toEqual([
      ["email.confirmed", "users confirm-email"],
      ["email.changed", "users change-email"],
    ]);
    expect(await queuedMails(id)).toEqual([
      ["address_replaced", "eve@example.com"],
      ["address_replaced", "eve@example.net"],
    ]);
  });

  it("reset-factors removes each factor and session of a user, who is notified", async () => {
    const person = await signUp(gateway);
    const { email, id } = person.user;
    await addApp(gateway, person);
    await resetUserFactors(mailing(NOW), email.toUpperCase());
    expect((await person.call("/v1/auth/me")).status).toBe(401);
    const again = await signIn(gateway, person.user, person.organization);
    expect((await again.call("/v1/auth/factors")).body.data).toMatchObject({ totp: null, passkeys: [] });
    expect(await queuedMails(id)).toEqual([["factor_reset", email]]);
    expect(await trailOf(id)).toContainEqual(["factor.reset", "users reset-factors"]);
  });

  it("disable ends the user's sessions everywhere for good, and nobody else's", async () => {
    const [gone, other] = [await signUp(gateway), await signUp(gateway)];
    const second = await signIn(gateway, gone.user, gone.organization);
    const statuses = (people = [gone, second, other]) =>
      Promise.all(people.map(async (one) => (await one.graphql("{ organization { slug } }")).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    const { database } = gateway;
    const { id, email, name } = gone.user;
    expect(await disableUser(database, email, NOW)).toEqual({ id, email, name, disabledAt: NOW });
    expect(await statuses()).toEqual([401, 401, 200]);
    expect(await disableUser(database, email, later(MINUTE))).toMatchObject({ disabledAt: NOW });
    expect(await enableUser(database, email)).toMatchObject({ disabledAt: null });
    expect(await statuses()).toEqual([401, 401, 200]);
    expect(await statuses([await signIn(gateway, gone.user, gone.organization)])).toEqual([200]);
    expect(await trailOf(id)).toEqual(
      expect.arrayContaining([
        ["user.disabled", "users disable"],
        ["user.enabled", "users enable"],
      ]),
    );
    const ended = await readAuditTrail(database, gone.organization.id);
    expect(
      ended
        .filter(({ action }) => action === "session.ended")
        .map(({ target }) => target.id)
        .toSorted(),
    ).toEqual([gone.session.id, second.session.id].toSorted());
  });
});
