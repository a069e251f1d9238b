import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hashKey } from "../../src/access/secrets/api-key.js";
import { generateToken } from "../../src/access/secrets/token.js";
import type { Role } from "../../src/domain/people/roles.js";
import { readAuditTrail } from "../support/audit.js";
import { addMember, signUp } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { makeOrganization, NOW, startGateway } from "../support/server.js";
import { useGateway } from "../support/use.js";
import {
  BEHIND_PROXY,
  createVisitor,
  expectRefusal,
  isAccepted,
  newEmail,
  newPassword,
  refusalOf,
  type SessionBody,
} from "./visitor.js";

interface SignedIn {
  readonly user: { id: string; email: string; name: string };
  readonly organization: { id: string; slug: string; name: string };
  readonly session: SessionBody;
}

const gateway = useGateway({ env: BEHIND_PROXY });

const founder = (overrides: object = {}) => ({
  email: newEmail(),
  password: newPassword(),
  name: " Ada Lovelace ",
  organization: { name: `Works ${randomUUID()}` },
  ...overrides,
});
const DAY_MS = 86_400_000;

describe("POST /v1/auth/register", () => {
  it("creates a user, their organization and a session", async () => {
    const { post, dataOf } = createVisitor(gateway);
    const { password, ...given } = founder({ organization: { name: "Zürich Steel & Co." } });
    const { status, headers, body } = await post("/register", { password, ...given });
    expect([status, headers.get("location")]).toEqual([201, "/api/v1/auth/me"]);
    const { user, organization, session } = body.data as SignedIn;
    expect(body.data).toEqual({
      user: { id: user.id, email: given.email, name: "Ada Lovelace", created_at: expect.any(String) },
      organization: { id: organization.id, slug: "zurich-steel-co", name: "Zürich Steel & Co." },
      session: expect.objectContaining({ token_type: "Bearer", expires_in: 900 }),
    });
    expect(await isAccepted(gateway, session.access_token)).toBe(true);
    expect(await dataOf("/login", { email: given.email, password })).toMatchObject({ user, organization });
    const { database } = gateway;
    expect(await database.prisma.membership.findMany({ where: { userId: user.id } })).toMatchObject([
      { organizationId: organization.id, role: "owner" },
    ]);
    const entries = await readAuditTrail(database, organization.id);
    expect(entries.map(({ action, actor, target }) => [action, actor, target.id])).toEqual([
      ["organization.created", { type: "user", id: user.id }, organization.id],
      ["member.created", { type: "user", id: user.id }, user.id],
    ]);
  });

  it("gives an organization a different slug if one is taken, unless that slug was requested", async () => {
    const { post, dataOf } = createVisitor(gateway);
    const slug = await makeOrganization(gateway.database);
    const { organization } = await dataOf<SignedIn>("/register", founder({ organization: { name: slug } }));
    expect(organization.slug).toMatch(new RegExp(`^${slug}-[0-9a-f]{8}$`));
    await expectRefusal(
      post("/register", founder({ organization: { name: "Acme", slug } })),
      409,
      "CONFLICT",
      [
        {
          path: "organization.slug",
          message: `An organization with the slug ${slug} already exists. Choose another one.`,
        },
      ],
    );
    const own = { name: "?!", slug: `own-${slug}` };
    expect((await dataOf<SignedIn>("/register", founder({ organization: own }))).organization).toMatchObject(
      own,
    );
  });

  it("creates one account for an e-mail address in any case, even for concurrent requests", async () => {
    const { post } = createVisitor(gateway);
    const email = newEmail();
    const answers = await Promise.all([
      post("/register", founder({ email: email.toUpperCase() })),
      post("/register", founder({ email: email.toLowerCase() })),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const { password, ...given } = founder({ email });
    const again = await post("/register", { password, ...given });
    await expectRefusal(again, 409, "CONFLICT", [
      { path: "email", message: "An account with this e-mail address already exists." },
    ]);
    // The refused request left nothing behind.
    const { name } = given.organization as { name: string };
    expect(await gateway.database.prisma.organization.count({ where: { name } })).toBe(0);
  });

  it("reports all problems of the input together", async () => {
    const { post } = createVisitor(gateway);
    const body = {
      email: "ada",
      password: "short",
      name: " ",
      organization: { name: "A\u0000", slug: "Not A Slug" },
      transport: "pigeon",
    };
    const paths = ["email", "password", "name", "organization.name", "organization.slug", "transport"];
    const { status, body: answer } = await post("/register", body);
    expect(status).toBe(422);
    expect(answer.error).toMatchObject({
      details: paths.map((path) => ({ path, message: expect.stringMatching(/^expected /i) })),
    });
    expect(JSON.stringify(answer)).not.toContain("short");
    expect(refusalOf(await post("/register", { email: newEmail() }))).toMatchObject([
      422,
      "VALIDATION_FAILED",
      [{ path: "password" }, { path: "name" }, { path: "organization" }],
    ]);
    expect(refusalOf(await post("/register", { invitation: 1, email: newEmail() }))[0]).toBe(422);
  });

  it.each([
    ["11 characters", "x".repeat(11), /^expected 12 to 200 characters, got 11$/],
    ["the e-mail's local part", "Ada.Lovelace.1815", /^This is the name in your e-mail address\./],
    ["the organization's name", "Analytical Engines", /^This is your organization's name\./],
  ])("refuses a password: %s", async (_what, password, message) => {
    const { post } = createVisitor(gateway);
    const organization = { name: "analytical engines" };
    const email = `ada.lovelace.1815@${randomUUID()}.example`;
    await expectRefusal(
      post("/register", founder({ email, organization, password })),
      422,
      "VALIDATION_FAILED",
      [{ path: "password", message: expect.stringMatching(message) }],
    );
  });

  it("accepts 200 characters of any kind unchanged", async () => {
    const { dataOf, post } = createVisitor(gateway);
    const password = ` \u0000${"🌍".repeat(197)}\t`;
    const { user } = await dataOf<SignedIn>("/register", founder({ password }));
    expect((await post("/login", { email: user.email, password })).status).toBe(200);
    expect((await post("/login", { email: user.email, password: password.trim() })).status).toBe(401);
  });

  it("allows an address 10 registrations an hour", async () => {
    const { post } = createVisitor(gateway);
    const email = (await signUp(gateway)).user.email;
    for (let i = 0; i < 10; i += 1) expect((await post("/register", founder({ email }))).status).toBe(409);
    const { headers, ...answer } = await post("/register", founder());
    expect(answer.status).toBe(429);
    expect(Number(headers.get("retry-after"))).toEqual(expect.toSatisfy((s) => s > 3_000));
  });
});

/** Invites an address, as an owner or as a command; returns the invitation's token. */
async function invite(
  { organization, user }: { organization: { id: string }; user: { id: string } | null },
  email: string,
  role: Role = "editor",
  expiresAt = NOW.getTime() + DAY_MS,
) {
  const token = generateToken("invitation");
  learnKeys(token);
  const { id } = await gateway.database.prisma.invitation.create({
    data: {
      organizationId: organization.id,
      invitedBy: user?.id ?? null,
      email,
      role,
      tokenHash: hashKey(token, undefined),
      expiresAt: new Date(expiresAt),
      createdAt: NOW,
    },
  });
  return { id, invitation: token };
}

describe("POST /v1/auth/register with an invitation", () => {
  it("creates a user who is a member immediately, once", async () => {
    const owner = await signUp(gateway);
    const email = newEmail();
    const { invitation } = await invite(owner, email);
    const { post } = createVisitor(gateway);
    const body = { invitation, password: newPassword(), name: "Charles" };
    const { status, body: answer } = await post("/register", { ...body, transport: "cookie" });
    expect(status).toBe(201);
    expect(answer.data).toEqual({
      user: { id: expect.any(String), email, name: "Charles", created_at: expect.any(String) },
      organization: owner.organization,
      session: { id: expect.any(String), expires_in: 43_200 },
    });
    await expectRefusal(post("/register", body), 404, "NOT_FOUND");
    const entries = await readAuditTrail(gateway.database, owner.organization.id);
    expect(entries.slice(-2).map(({ action, actor }) => [action, actor.type])).toEqual([
      ["invitation.accepted", "user"],
      ["member.created", "user"],
    ]);
  });

  it("is accepted only once by two concurrent requests", async () => {
    const { invitation } = await invite(await signUp(gateway), newEmail());
    const { post } = createVisitor(gateway);
    const use = () => post("/register", { invitation, password: newPassword(), name: "Charles" });
    const statuses = (await Promise.all([use(), use()])).map(({ status }) => status);
    expect(statuses.toSorted()[0]).toBe(201);
    // 401: meanwhile the account exists, with another password.
    expect([401, 404, 409]).toContain(statuses.toSorted()[1]);
  });

  it("requires the password of an existing account", async () => {
    const owner = await signUp(gateway);
    const password = newPassword();
    const invited = await signUp(gateway, { password });
    const { invitation } = await invite(owner, invited.user.email.toUpperCase());
    const { post, dataOf } = createVisitor(gateway);
    const wrong = await post("/register", { invitation, password: newPassword(), name: "Mallory" });
    await expectRefusal(wrong, 401, "INVALID_CREDENTIALS");
    const { user, organization } = await dataOf<SignedIn>("/register", {
      invitation,
      password,
      name: "Other",
    });
    expect([user, organization]).toMatchObject([invited.user, owner.organization]);
    for (let i = 0; i < 4; i += 1) await post("/login", { email: user.email, password: "wrong" });
    // The failure with the invitation counts too.
    expect((await post("/login", { email: user.email, password })).status).toBe(429);
  });

  it("keeps the role of an existing member", async () => {
    const owner = await signUp(gateway);
    const password = newPassword();
    const viewer = await addMember(gateway, owner.organization.slug, "viewer", { password });
    const { invitation } = await invite(owner, viewer.user.email, "admin");
    await createVisitor(gateway).dataOf("/register", { invitation, password });
    const { prisma } = gateway.database;
    expect(await prisma.membership.findMany({ where: { userId: viewer.user.id } })).toMatchObject([
      { role: "viewer" },
    ]);
  });

  it("checks the invitation before anything else", async () => {
    const owner = await signUp(gateway);
    const { prisma } = gateway.database;
    const { post } = createVisitor(gateway);
    const email = owner.user.email;
    const [expired, revoked] = [
      await invite(owner, email, "editor", NOW.getTime()),
      await invite(owner, email),
    ];
    await prisma.invitation.update({ where: { id: revoked.id }, data: { revokedAt: NOW } });
    const admin = await addMember(gateway, owner.organization.slug, "admin");
    const byAdmin = await invite(admin, newEmail(), "viewer");
    const ownerByAdmin = await invite(admin, newEmail(), "owner");
    await post("/register", { ...ownerByAdmin, password: newPassword(), name: "A" });
    await prisma.membership.updateMany({ where: { userId: admin.user.id }, data: { role: "editor" } });
    const unknown = [generateToken("invitation"), generateToken("link"), owner.session.token, "", "\u0000"];
    const dead = [expired, revoked, byAdmin, ownerByAdmin].map(({ invitation }) => invitation);
    const answers = await Promise.all(
      [...unknown, ...dead].map((invitation) => post("/register", { invitation, password: "short" })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify([answer.status, answer.body.error])))).toEqual(
      new Set([
        '[404,{"code":"NOT_FOUND","message":"The invitation does not exist, was used or revoked, or has expired. Ask for another one."}]',
      ]),
    );
  });

  it("makes the first member of an organization an owner, and no lesser role", async () => {
    const { prisma } = gateway.database;
    const slug = await makeOrganization(gateway.database);
    const organization = await prisma.organization.findUniqueOrThrow({ where: { slug } });
    const [password, email] = [newPassword(), newEmail()];
    const known = await signUp(gateway, { password });
    const early = await invite({ organization, user: null }, email, "viewer");
    const admins = await invite({ organization, user: null }, known.user.email, "admin");
    const { post, dataOf } = createVisitor(gateway);
    const message = "The organization has no members yet, and the first must be an owner.";
    for (const { invitation } of [early, admins]) {
      await expectRefusal(post("/register", { invitation, password, name: "Charles" }), 409, "CONFLICT", [
        { path: "invitation", message },
      ]);
    }
    const owners = await invite({ organization, user: null }, newEmail(), "owner");
    await dataOf("/register", { invitation: owners.invitation, password, name: "Ada" });
    for (const { invitation } of [early, admins])
      await dataOf("/register", { invitation, password, name: "Charles" });
    const roles = await prisma.membership.findMany({ where: { organizationId: organization.id } });
    expect(roles.map(({ role }) => role).toSorted()).toEqual(["admin", "owner", "viewer"]);
  });

  it("names a new account after its e-mail address by default", async () => {
    const { invitation } = await invite(await signUp(gateway), `grace.${randomUUID()}@example.org`);
    const { user } = await createVisitor(gateway).dataOf<SignedIn>("/register", {
      invitation,
      password: newPassword(),
    });
    expect(user.name).toBe(user.email.replace("@example.org", ""));
  });

  it("refuses a bad password and too many attempts in the same way with and without an account", async () => {
    const owner = await signUp(gateway);
    const { user } = await signUp(gateway, { password: newPassword() });
    const emails = [user.email, newEmail()];
    const answersTo = async (email: string) => {
      const { invitation } = await invite(owner, email);
      const { post } = createVisitor(gateway);
      const refused = [await post("/register", { invitation, password: "short" })];
      for (let i = 0; i < 5; i += 1) await post("/login", { email, password: "wrong" });
      for (let i = 0; i < 11; i += 1)
        refused.push(await post("/register", { invitation, password: newPassword() }));
      return refused.map(({ status, headers, body }) => {
        const { message = "", ...error } = body.error as { message?: string };
        return [status, headers.has("retry-after"), error, message.replace(/\d+ seconds/, "")];
      });
    };
    const [known, unknown] = await Promise.all(emails.map(answersTo));
    expect(known).toEqual(unknown);
    expect(known?.map(([status]) => status)).toEqual([422, ...Array.from({ length: 11 }, () => 429)]);
    expect(known?.at(1)).toContain("Too many failed attempts to sign in. Try again in .");
    expect(known?.at(-1)).toContain("Too many registrations from this address. Try again in .");
  });

  it("counts towards the same limit as registering without an invitation", async () => {
    const owner = await signUp(gateway);
    const { post } = createVisitor(gateway);
    const join = async () => {
      const { invitation } = await invite(owner, newEmail());
      return (await post("/register", { invitation, password: newPassword() })).status;
    };
    for (let i = 0; i < 10; i += 1) expect(await join()).toBe(201);
    expect(await join()).toBe(429);
    expect((await post("/register", founder())).status).toBe(429);
  });
});

describe("REGISTRATION", () => {
  it.each([
    ["invite", [403, 201]],
    ["closed", [403, 403]],
  ])("%s", async (registration, [without, invited]) => {
    const { database } = gateway;
    const other = await startGateway({ env: { ...BEHIND_PROXY, REGISTRATION: registration }, database });
    const { post } = createVisitor(other);
    const { invitation } = await invite(await signUp(gateway), newEmail());
    expect((await post("/register", founder())).status).toBe(without);
    expect((await post("/register", { invitation, password: newPassword(), name: "Charles" })).status).toBe(
      invited,
    );
    await other.stop();
  });
});
