import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Mailing, MINUTE_MS, startMailing } from "../access/mailed.js";
import { refusalOf } from "../access/visitor.js";
import { addApp, addMember, signIn, signUp, type TestPerson } from "../support/people.js";
import { makeKey, NOW } from "../support/server.js";
import { draft, prepareVerification, submitTo } from "../support/verification.js";

const DAY_MS = 24 * 60 * MINUTE_MS;
const PEPPER = "a pepper of this test";

let mailing: Mailing;
beforeAll(async () => {
  mailing = await startMailing();
});
afterAll(() => mailing.stop());

const at = (ms: number) => new Date(NOW.getTime() + ms);

/** Signs up an owner who used a second factor at this time. */
async function newOwner(now = NOW): Promise<TestPerson> {
  const owner = await signUp(mailing.gateway, { pepper: PEPPER, now });
  await addApp(mailing.gateway, owner, PEPPER);
  return signIn(mailing.gateway, owner.user, owner.organization, { pepper: PEPPER, now, factorAt: now });
}

const later = ({ user, organization }: TestPerson, now: Date, factorAt?: Date) =>
  signIn(mailing.gateway, user, organization, { pepper: PEPPER, now, ...(factorAt && { factorAt }) });

/** Adds a member who joined before the policy changes. */
async function join({ organization }: TestPerson): Promise<TestPerson> {
  const member = await addMember(mailing.gateway, organization.slug, "editor", { pepper: PEPPER });
  await setJoined(member, at(-MINUTE_MS));
  return member;
}

const setJoined = ({ user: { id: userId } }: TestPerson, createdAt: Date) =>
  mailing.gateway.database.prisma.membership.updateMany({ where: { userId }, data: { createdAt } });

const setPolicy = (person: TestPerson, policy: "off" | "required") =>
  person.call("/v1/organization/sign-in-policy", { method: "PUT", json: { second_factor: policy } });

/** Reads data over REST and GraphQL, and returns the status and error codes. */
const read = async (person: TestPerson) => {
  const [rest, graph] = [
    await person.call("/v1/emissions/kpis"),
    await person.graphql("{ organization { slug } }"),
  ];
  const { errors } = graph.body as { errors?: { extensions?: { code?: string } }[] };
  return [rest.status, rest.body.error?.code ?? null, errors?.[0]?.extensions?.code ?? null];
};
const OPEN = [200, null, null];
const CLOSED = [403, "SECOND_FACTOR_REQUIRED", "SECOND_FACTOR_REQUIRED"];

describe("PUT /v1/organization/sign-in-policy", () => {
  it("requires a second factor after 7 days, and mails members without one three times", async () => {
    const owner = await newOwner();
    const member = await join(owner);
    expect(refusalOf(await setPolicy(member, "required"))[0]).toBe(403);
    const from = at(7 * DAY_MS);
    try {
      const answer = await setPolicy(owner, "required");
      expect([answer.status, answer.body.data]).toEqual([
        200,
        { second_factor: "required", second_factor_from: from.toISOString() },
      ]);
      const subject = "A second factor will be required";
      await mailing.mails(member.user.email, subject);
      mailing.setNow(5 * DAY_MS);
      await mailing.mails(member.user.email, subject, 2);
      mailing.setNow(6 * DAY_MS);
      await mailing.mails(member.user.email, subject, 3);
      expect(mailing.mailsTo(owner.user.email)).toEqual([]);

      mailing.setNow(7 * DAY_MS - 1);
      expect(await read(await later(member, at(7 * DAY_MS - 1)))).toEqual(OPEN);
      mailing.setNow(7 * DAY_MS);
      const late = await later(member, from);
      expect(await read(late)).toEqual(CLOSED);
      expect((await late.call("/v1/auth/me")).status).toBe(200);
      expect((await late.call("/v1/auth/factors")).body.data).toMatchObject({
        required: true,
        required_from: from.toISOString(),
      });
      expect(await read(await later(member, from, from))).toEqual(OPEN);
      const { key } = await makeKey(mailing.gateway.database, owner.organization.slug, { pepper: PEPPER });
      expect(
        (await mailing.gateway.call("/v1/emissions/kpis", { headers: { "X-API-Key": key } })).status,
      ).toBe(200);
    } finally {
      mailing.setNow(0);
    }
    expect(await read(await later(member, NOW))).toEqual(OPEN);
  });

  it("mails members once a day, even if the policy is set repeatedly", async () => {
    const owner = await newOwner();
    const member = await join(owner);
    const subject = "A second factor will be required";
    for (const minute of [0, 1, 2]) {
      const now = at(minute * MINUTE_MS);
      mailing.setNow(minute * MINUTE_MS);
      await setPolicy(await later(owner, now, now), "required");
      await mailing.mails(member.user.email, subject);
      await setPolicy(owner, "off");
    }
    const { prisma } = mailing.gateway.database;
    const all = { kind: "factor_required", userId: member.user.id };
    const waiting = { ...all, nextAt: { not: null } };
    expect(await prisma.mailJob.count({ where: waiting })).toBe(0);
    await setPolicy(owner, "required");
    expect(await prisma.mailJob.count({ where: waiting })).toBe(2);
    expect(await prisma.mailJob.count({ where: all })).toBe(3);
    expect(await prisma.notification.count({ where: { userId: member.user.id } })).toBe(1);
    expect(mailing.mailsTo(member.user.email)).toHaveLength(1);
    mailing.setNow(0);
  });

  it("applies to new members at once, and to nobody once it is off", async () => {
    const owner = await newOwner();
    expect((await setPolicy(owner, "required")).status).toBe(200);
    const member = await join(owner);
    expect(await read(member)).toEqual(OPEN);
    await setJoined(member, at(1));
    mailing.setNow(1);
    expect(await read(member)).toEqual(CLOSED);
    mailing.setNow(0);
    expect((await setPolicy(owner, "off")).body.data).toEqual({
      second_factor: "off",
      second_factor_from: null,
    });
    expect(await read(member)).toEqual(OPEN);
    const actions = await mailing.gateway.database.select<{ action: string }>(
      "SELECT action FROM audit_entries WHERE organization_id = $1::uuid AND action LIKE 'policy.%'",
      [owner.organization.id],
    );
    expect(actions.map(({ action }) => action)).toContain("policy.changed");
  });

  it("needs an owner who has just used a second factor", async () => {
    const without = await signUp(mailing.gateway, { pepper: PEPPER });
    expect(refusalOf(await setPolicy(without, "required"))[0]).toBe(409);
    expect(refusalOf(await setPolicy(without, "off"))[0]).toBe(409);
    await addApp(mailing.gateway, without, PEPPER);
    expect(refusalOf(await setPolicy(without, "required"))).toEqual([403, "REAUTHENTICATION_REQUIRED"]);
  });

  it("keeps members from removing their last factor", async () => {
    const owner = await newOwner();
    await setPolicy(owner, "required");
    const remove = () => owner.call("/v1/auth/totp", { method: "DELETE" });
    expect(refusalOf(await remove())).toEqual([
      409,
      "CONFLICT",
      [{ path: "factor", message: expect.stringContaining("last second factor") }],
    ]);
    await setPolicy(owner, "off");
    expect((await remove()).status).toBe(200);
  });
});

describe("DELETE /v1/members/{user_id}/factors", () => {
  const reset = (by: TestPerson, { user }: TestPerson) =>
    by.call(`/v1/members/${user.id}/factors`, { method: "DELETE" });

  it("removes a member's factors, ends the sessions and mails the member", async () => {
    const owner = await newOwner();
    const member = await join(owner);
    await addApp(mailing.gateway, member, PEPPER);
    const listed = await owner.graphql("{ members { nodes { hasSecondFactor hasPassword } } }");
    const both = { hasSecondFactor: true, hasPassword: false };
    expect(listed.body.data.members.nodes).toEqual([both, both]);
    expect((await reset(owner, member)).status).toBe(200);
    await mailing.mails(member.user.email, "Your second factors were removed");
    await expect.poll(async () => (await member.call("/v1/auth/me")).status).toBe(401);
    const { prisma } = mailing.gateway.database;
    expect(await prisma.totpSecret.count({ where: { userId: member.user.id } })).toBe(0);
    const actions = await mailing.gateway.database.select<{ action: string }>(
      "SELECT action FROM audit_entries WHERE target_id = $1 AND action LIKE 'factor.%'",
      [member.user.id],
    );
    expect(actions).toEqual([{ action: "factor.reset" }]);
  });

  it("refuses non-owners, the owner's own factors, and people whom others rely on", async () => {
    const owner = await newOwner();
    const member = await join(owner);
    const elsewhere = await newOwner();
    const { id: userId } = member.user;
    expect((await reset(member, owner)).status).toBe(403);
    expect((await reset(owner, owner)).status).toBe(403);
    expect((await reset(owner, elsewhere)).status).toBe(404);
    const { prisma } = mailing.gateway.database;
    const organizationId = elsewhere.organization.id;
    await prisma.membership.create({ data: { userId, organizationId, role: "viewer" } });
    expect((await reset(owner, member)).status).toBe(409);
    await prisma.membership.deleteMany({ where: { userId, organizationId } });
    await prisma.user.update({ where: { id: userId }, data: { isSuperAdmin: true } });
    expect((await reset(owner, member)).status).toBe(409);
    const verifier = await join(owner);
    const { ada } = await prepareVerification(mailing.gateway, PEPPER);
    await submitTo(ada, verifier, (await draft(ada, verifier)).path);
    expect((await reset(owner, verifier)).status).toBe(409);
  });
});

describe("{ viewer { factors } }", () => {
  it("lists the person's factors", async () => {
    const owner = await newOwner();
    const { body } = await owner.graphql(
      "{ viewer { factors { totpConfirmedAt passkeys { name } recoveryCodesLeft hasPassword isRequired requiredFrom } } }",
    );
    expect(body).toEqual({
      data: {
        viewer: {
          factors: {
            totpConfirmedAt: NOW.toISOString(),
            passkeys: [],
            recoveryCodesLeft: 0,
            hasPassword: false,
            isRequired: false,
            requiredFrom: null,
          },
        },
      },
    });
  });
});
