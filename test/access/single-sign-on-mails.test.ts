import { describe, expect, it } from "vitest";
import { disableByOperator } from "../../src/actions/sso/disable-by-operator.js";
import { addMember, type TestPerson } from "../support/people.js";
import { startProvider } from "../support/provider.js";
import { NOW } from "../support/server.js";
import { use } from "../support/use.js";
import { startMailing } from "./mailed.js";
import { type Connected, connect, send, signInBy, tokenIn } from "./sso.js";
import { createVisitor, expectRefusal, newPassword } from "./visitor.js";

const PEPPER = "a pepper of this test";
const SUBJECTS = {
  linked: "Single sign-on was added to your account",
  required: "Sign in with your organization",
  reset: "Reset your password",
  glass: "A break-glass account was used",
};

const provider = use(startProvider);
const mailing = use(() => startMailing({ OIDC_ALLOW_NETWORKS: "127.0.0.0/8" }));

const newConnection = () => connect(mailing.gateway, provider, {}, PEPPER);

/** Adds a member with a password and an address of the proven domain. */
async function addColleague({ owner, domain }: Connected, name: string, role: "owner" | "viewer" = "viewer") {
  const [email, password] = [`${name}@${domain}`, newPassword()];
  const { slug } = owner.organization;
  const person = await addMember(mailing.gateway, slug, role, { email, password, pepper: PEPPER });
  return { ...person, password };
}

/** Enforces single sign-on with a break-glass owner. */
async function enforce(own: Connected): Promise<TestPerson & { readonly password: string }> {
  const glass = await addColleague(own, "glass", "owner");
  await mailing.gateway.database.prisma.user.update({
    where: { id: glass.user.id },
    data: { factorSince: NOW },
  });
  const enforced = await send(own.owner, "POST", "/v1/sso/enforce", { break_glass: [glass.user.id] });
  expect(enforced.status).toBe(200);
  return glass;
}

describe("single sign-on", () => {
  it("e-mails the user whose account is linked, once, with a link that removes exactly that", async () => {
    const own = await newConnection();
    const ada = await addColleague(own, "ada");
    for (let times = 0; times < 2; times += 1) {
      const answer = await signInBy(mailing.gateway, own, provider, { email: ada.user.email });
      expect(tokenIn(answer)).toBeDefined();
    }
    await mailing.mails(ada.user.email, SUBJECTS.linked);
    await mailing.settled();
    expect(mailing.mailsTo(ada.user.email)).toHaveLength(1);
    const { prisma } = mailing.gateway.database;
    const { post } = createVisitor(mailing.gateway);
    const token = await mailing.token(ada.user.email, SUBJECTS.linked);
    const addition = { kind: "identity", name: own.owner.organization.name, added_at: NOW.toISOString() };
    expect((await post("/link/inspect", { token })).body.data).toMatchObject({ additions: [addition] });
    const disowned = await post("/disown", { token });
    expect(disowned.body.data).toMatchObject({ removed: [addition], password_link_at: null });
    const of = { where: { userId: ada.user.id } };
    expect([await prisma.identity.count(of), await prisma.membership.count(of)]).toEqual([0, 1]);
    expect(await prisma.session.count({ where: { ...of.where, revokedAt: null } })).toBe(0);
    expect((await post("/login", { email: ada.user.email, password: ada.password })).status).toBe(200);
  });
});

describe("while single sign-on is enforced", () => {
  it("answers a reset with the way to sign in, and invalidates earlier links", async () => {
    const own = await newConnection();
    const [ada, bob] = [await addColleague(own, "ada"), await addColleague(own, "bob")];
    const { post } = createVisitor(mailing.gateway);
    const requestReset = async ({ user: { email } }: TestPerson) =>
      expect((await post("/password-reset", { email })).status).toBe(202);
    await requestReset(bob);
    const token = await mailing.token(bob.user.email, SUBJECTS.reset);
    await enforce(own);
    await requestReset(ada);
    const [mail] = await mailing.mails(ada.user.email, SUBJECTS.required);
    expect(mail).not.toContain("#reset=");
    const finished = await post("/password-reset/finish", { token, password: newPassword() });
    await expectRefusal(finished, 410, "LINK_EXPIRED");
  });

  it("lets nobody register with an address of the domain, invited or not", async () => {
    const own = await newConnection();
    await enforce(own);
    const { post } = createVisitor(mailing.gateway);
    const email = `new@${own.domain}`;
    const password = newPassword();
    const founder = { email, password, name: "New", organization: { name: "New works" } };
    await expectRefusal(post("/register", founder), 403, "FORBIDDEN");
    const invited = await send(own.owner, "POST", "/v1/invitations", { email, role: "viewer" });
    const invitation = String(invited.body.data["link"]).split("#invitation=")[1];
    await expectRefusal(post("/register", { invitation, password }), 403, "FORBIDDEN");
  });

  it("e-mails all owners about each use of the break-glass account", async () => {
    const own = await newConnection();
    const glass = await enforce(own);
    const { post } = createVisitor(mailing.gateway);
    await post("/login", { email: glass.user.email, password: glass.password });
    for (const { user } of [glass, own.owner]) await mailing.mails(user.email, SUBJECTS.glass);
  });

  it("lets users sign in otherwise after `sso disable`, and nobody through the provider", async () => {
    const own = await newConnection();
    const ada = await addColleague(own, "ada");
    await enforce(own);
    const { post } = createVisitor(mailing.gateway);
    const login = async () =>
      (await post("/login", { email: ada.user.email, password: ada.password })).status;
    expect(await login()).toBe(401);
    const { slug, id } = own.owner.organization;
    expect(await disableByOperator(mailing.gateway.database, slug)).toEqual({ organization: slug });
    expect(await login()).toBe(200);
    expect((await mailing.gateway.call(`/v1/auth/sso/${own.id}/start`)).status).toBe(404);
    expect((await send(own.owner, "GET", "/v1/sso")).body.data).toMatchObject({
      status: "tested",
      enforced: false,
    });
    const entries = await mailing.gateway.database.select(
      "SELECT FROM audit_entries WHERE organization_id = $1::uuid AND action = 'sso.disabled'",
      [id],
    );
    expect(entries).toHaveLength(1);
  });
});
