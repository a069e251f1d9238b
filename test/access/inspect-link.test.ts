import { describe, expect, it } from "vitest";
import { hashKey } from "../../src/access/secrets/api-key.js";
import { generateToken } from "../../src/access/secrets/token.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";
import { BEHIND_PROXY, createVisitor, expectRefusal, newEmail, newPassword } from "./visitor.js";

const gateway = useGateway({ env: BEHIND_PROXY });

const [LATER, PAST] = [new Date(NOW.getTime() + 60_000), new Date(NOW.getTime() - 1)];

async function newLink({ user }: Pick<TestPerson, "user">, expiresAt = LATER): Promise<string> {
  const token = generateToken("link");
  learnKeys(token);
  const data = { userId: user.id, tokenHash: hashKey(token, undefined), expiresAt };
  await gateway.database.prisma.signInLink.create({ data });
  return token;
}

async function newInvitation(
  { organization, user }: Pick<TestPerson, "organization" | "user">,
  email: string,
  overrides: { invitedBy?: null; expiresAt?: Date; revokedAt?: Date } = {},
): Promise<string> {
  const token = generateToken("invitation");
  learnKeys(token);
  await gateway.database.prisma.invitation.create({
    data: {
      organizationId: organization.id,
      invitedBy: user.id,
      email,
      role: "editor",
      tokenHash: hashKey(token, undefined),
      expiresAt: LATER,
      createdAt: NOW,
      ...overrides,
    },
  });
  return token;
}

const NOTHING_ADDED = { additions: [], to_review: [], password_delay_hours: 0, password_link_at: null };

describe("POST /v1/auth/link/inspect", () => {
  it("returns the account and organization of a sign-in link, and leaves the link usable", async () => {
    const person = await addMember(gateway, (await signUp(gateway)).organization.slug, "admin");
    const token = await newLink(person);
    const { post, dataOf } = createVisitor(gateway);
    for (let times = 0; times < 2; times += 1)
      expect(await dataOf("/link/inspect", { token })).toEqual({
        kind: "sign_in",
        email: person.user.email,
        organization: person.organization.name,
        role: "admin",
        inviter: null,
        ...NOTHING_ADDED,
        additions: [{ kind: "session", name: "", added_at: NOW.toISOString() }],
        to_review: [
          {
            kind: "membership",
            organization: person.organization.name,
            name: person.organization.name,
            added_at: expect.any(String),
          },
        ],
      });
    expect((await post("/link", { token, password: newPassword() })).status).toBe(200);
    await expectRefusal(post("/link/inspect", { token }), 410, "LINK_EXPIRED");
  });

  it("returns organization, inviter, address and role of an invitation, but not whether the address has an account", async () => {
    const owner = await signUp(gateway, { name: "Grace Hopper" });
    const { user: guest } = await signUp(gateway);
    const { post, dataOf } = createVisitor(gateway);
    for (const email of [newEmail(), guest.email])
      expect(await dataOf("/link/inspect", { token: await newInvitation(owner, email) })).toEqual({
        kind: "invitation",
        email,
        organization: owner.organization.name,
        role: "editor",
        inviter: "Grace Hopper",
        ...NOTHING_ADDED,
      });
    const invitation = await newInvitation(owner, newEmail(), { invitedBy: null });
    expect(await dataOf("/link/inspect", { token: invitation })).toMatchObject({ inviter: null });
    expect((await post("/register", { invitation, password: newPassword() })).status).toBe(201);
    await expectRefusal(post("/link/inspect", { token: invitation }), 410, "LINK_EXPIRED");
  });

  it("gives the same answer for everything else", async () => {
    const owner = await signUp(gateway);
    const { organization } = owner;
    const [disabled, former] = [await signUp(gateway), await addMember(gateway, organization.slug, "admin")];
    const { prisma } = gateway.database;
    const tokens = [
      await newLink(owner, PAST),
      await newLink(disabled),
      await newInvitation(owner, newEmail(), { expiresAt: PAST }),
      await newInvitation(owner, newEmail(), { revokedAt: NOW }),
      await newInvitation(former, newEmail()),
      generateToken("link"),
      generateToken("invitation"),
      owner.session.token,
      "",
      "\u0000",
    ];
    await prisma.user.update({ where: { id: disabled.user.id }, data: { disabledAt: NOW } });
    await prisma.membership.deleteMany({ where: { userId: former.user.id } });
    const { post } = createVisitor(gateway);
    const answers = await Promise.all(tokens.map((token) => post("/link/inspect", { token })));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body.error])))).toEqual(
      new Set([
        '[410,{"code":"LINK_EXPIRED","message":"The link was used, replaced or revoked, or it has expired. Ask for another one."}]',
      ]),
    );
  });

  it("opens 120 links an hour for one address", async () => {
    const token = await newLink(await signUp(gateway));
    const { post } = createVisitor(gateway);
    const answers = await Promise.all(Array.from({ length: 121 }, () => post("/link/inspect", { token })));
    expect(answers.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([
      ...Array(120).fill(200),
      429,
    ]);
  });
});
