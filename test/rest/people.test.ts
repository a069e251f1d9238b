import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { generateToken } from "../../src/access/secrets/token.js";
import type { ActorContext } from "../../src/actions/actor-context.js";
import { changeMemberRole } from "../../src/actions/people/members.js";
import { ROLE_SCOPES } from "../../src/domain/people/roles.js";
import type { AppError } from "../../src/errors.js";
import { readAuditTrail } from "../support/audit.js";
import { addMember, signIn, signUp, type TestPerson } from "../support/people.js";
import { type Envelope, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

let owner: TestPerson;
let slug: string;

const gateway = useGateway({ env: { PUBLIC_URL: "https://carbon.example.com" } });
beforeEach(async () => {
  gateway.setNow(NOW);
  owner = await signUp(gateway);
  slug = owner.organization.slug;
});

const DAY_MS = 86_400_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);
const at = (ms: number) => later(ms).toISOString();
const refused = (code: string, message: unknown, details?: object[]) => ({
  success: false,
  data: null,
  error: { code, message, ...(details && { details }) },
  meta: expect.anything(),
});
const held = (data: unknown) => ({ success: true, data, error: null, meta: expect.anything() });

/** Sends a request, and returns its status and body. */
async function ask(person: TestPerson, method: string, path: string, json?: unknown) {
  const { status, body } = await person.call<Envelope>(path, { method, ...(json !== undefined && { json }) });
  return [status, body] as const;
}

/** Invites an address; returns the invitation's id and token. */
async function invite(by: TestPerson, email: string, role = "editor") {
  const [status, body] = await ask(by, "POST", "/v1/invitations", { email, role });
  expect([status, body.error]).toEqual([201, null]);
  const { id, link } = body.data as { id: string; link: string };
  return { id, token: link.split("#invitation=")[1] ?? "" };
}
const accept = (by: TestPerson, token: string) =>
  ask(by, "POST", "/v1/invitations/accept", { invitation: token });
const NO_INVITATION = refused(
  "NOT_FOUND",
  "There is no such invitation for your e-mail address: it was used or revoked, or it has expired. Ask for a new one.",
);
const memberOf = (person: TestPerson, role: string) => ({
  user_id: person.user.id,
  email: person.user.email,
  name: person.user.name,
  role,
  created_at: expect.any(String),
});

describe("/v1/auth/me", () => {
  it.each(["GET", "POST"])("answers %s with the caller and their scopes", async (method) => {
    const other = await signUp(gateway, { name: "Grace Person" });
    const { id: userId } = owner.user;
    const { organization } = other;
    await gateway.database.prisma.membership.create({
      data: { userId, organizationId: organization.id, role: "viewer" },
    });
    const [status, body] = await ask(owner, method, "/v1/auth/me");
    expect([status, body]).toEqual([
      200,
      held({
        user: { ...owner.user, created_at: expect.any(String) },
        organization: owner.organization,
        role: "owner",
        scopes: ROLE_SCOPES.owner,
        organizations: expect.arrayContaining([
          { ...owner.organization, role: "owner" },
          { ...organization, role: "viewer" },
        ]),
        session: {
          id: owner.session.id,
          kind: "token",
          created_at: at(0),
          expires_at: at(30 * DAY_MS),
          authenticated_at: at(0),
        },
      }),
    ]);
    // The same person, signed in to the other organization.
    const there = await signIn(gateway, owner.user, organization);
    expect((await ask(there, method, "/v1/auth/me"))[1].data).toMatchObject({ organization, role: "viewer" });
  });
});

describe("/v1/auth/sessions", () => {
  it("lists a person's active sessions, and ends one at once", async () => {
    const browser = await signIn(gateway, owner.user, owner.organization, { kind: "browser" });
    await addMember(gateway, slug, "viewer");
    const [, { data }] = await ask(owner, "GET", "/v1/auth/sessions");
    const shown = (id: string, kind: string, expires: number) => ({
      id,
      kind,
      created_at: at(0),
      last_used_at: at(0),
      expires_at: at(expires),
      address: null,
      user_agent: null,
      current: id === owner.session.id,
    });
    const first = shown(owner.session.id, "token", 30 * DAY_MS);
    const second = shown(browser.session.id, "browser", DAY_MS / 2);
    expect(data).toEqual({ items: expect.arrayContaining([first, second]), next_cursor: null });

    const path = `/v1/auth/sessions/${browser.session.id}`;
    expect(await ask(owner, "DELETE", path)).toEqual([200, held(second)]);
    expect((await browser.call("/v1/auth/me")).status).toBe(401);
    expect((await ask(owner, "GET", "/v1/auth/sessions"))[1].data).toEqual({
      items: [first],
      next_cursor: null,
    });
    const unknown = (id: string) => refused("NOT_FOUND", `You have no session with the id ${id}.`);
    expect(await ask(owner, "DELETE", path)).toEqual([404, unknown(browser.session.id)]);
  });

  it("leaves out browser sessions that were idle for an hour", async () => {
    const browser = await signIn(gateway, owner.user, owner.organization, { kind: "browser" });
    gateway.setNow(later(60 * 60_000));
    const script = await signIn(gateway, owner.user, owner.organization, { now: later(60 * 60_000) });
    const [, { data }] = await ask(script, "GET", "/v1/auth/sessions");
    const ids = (data as { items: { id: string }[] }).items.map(({ id }) => id);
    expect(ids).toEqual([owner.session.id, script.session.id]);
    expect(ids).not.toContain(browser.session.id);
  });

  it("refuses to end another person's session", async () => {
    const colleague = await addMember(gateway, slug, "viewer");
    const path = `/v1/auth/sessions/${colleague.session.id}`;
    expect((await ask(owner, "DELETE", path))[0]).toBe(404);
    expect((await ask(owner, "DELETE", "/v1/auth/sessions/1"))[0]).toBe(404);
    expect((await colleague.call("/v1/auth/me")).status).toBe(200);
  });
});

describe("/v1/members", () => {
  it("lets every member page through members, oldest first", async () => {
    const viewer = await addMember(gateway, slug, "viewer", { name: "Vera <b>Person</b>" });
    const items = [memberOf(owner, "owner"), memberOf(viewer, "viewer")];
    expect(await ask(viewer, "GET", "/v1/members")).toEqual([200, held({ items, next_cursor: null })]);

    const [, first] = await ask(viewer, "GET", "/v1/members?limit=1");
    const { next_cursor: cursor } = first.data as { next_cursor: string };
    expect(first.data).toEqual({ items: items.slice(0, 1), next_cursor: expect.any(String) });
    const [, second] = await ask(viewer, "GET", `/v1/members?limit=1&cursor=${cursor}`);
    expect(second.data).toEqual({ items: items.slice(1), next_cursor: null });
  });

  it.each([
    ["limit=0", 'query.limit: expected a whole number from 1 to 100, got "0"'],
    ["limit=101", 'query.limit: expected a whole number from 1 to 100, got "101"'],
    ["limit=1.5", 'query.limit: expected a whole number from 1 to 100, got "1.5"'],
    ["role=owner", "query.role: unknown parameter"],
    ["cursor=x", /^query\.cursor: expected next_cursor of this list, got "x"/],
  ])("refuses ?%s", async (query, message) => {
    const expected = typeof message === "string" ? message : expect.stringMatching(message);
    expect(await ask(owner, "GET", `/v1/members?${query}`)).toEqual([400, refused("BAD_REQUEST", expected)]);
  });

  it("changes a role from the member's next request on, and audits it", async () => {
    const viewer = await addMember(gateway, slug, "viewer");
    const path = `/v1/members/${viewer.user.id}`;
    const { status, body } = await owner.call<Envelope>(path, { method: "PATCH", json: { role: "admin" } });
    expect([status, body]).toEqual([200, held(memberOf(viewer, "admin"))]);
    expect((await ask(viewer, "GET", "/v1/auth/me"))[1].data).toMatchObject({ role: "admin" });
    expect((await readAuditTrail(gateway.database, owner.organization.id)).at(-1)).toMatchObject({
      action: "member.updated",
      actor: { type: "user", id: owner.user.id },
      target: { type: "member", id: viewer.user.id },
      request_id: body.meta.request_id,
      changes: { role: { from: "viewer", to: "admin" } },
    });
  });

  it("removes a member, and ends only their sessions in the organization", async () => {
    const viewer = await addMember(gateway, slug, "viewer");
    const elsewhere = await signUp(gateway);
    await gateway.database.prisma.membership.create({
      data: { userId: viewer.user.id, organizationId: elsewhere.organization.id, role: "viewer" },
    });
    const there = await signIn(gateway, viewer.user, elsewhere.organization);
    const path = `/v1/members/${viewer.user.id}`;
    expect(await ask(owner, "DELETE", path)).toEqual([200, held(memberOf(viewer, "viewer"))]);
    expect(await ask(viewer, "GET", "/v1/members")).toEqual([
      401,
      refused("UNAUTHENTICATED", "The session was ended. Sign in again."),
    ]);
    expect((await there.call("/v1/members")).status).toBe(200);
    expect((await ask(owner, "DELETE", path))[0]).toBe(404);
  });

  it("lets members leave, except the only owner", async () => {
    const viewer = await addMember(gateway, slug, "viewer");
    const path = (person: TestPerson) => `/v1/members/${person.user.id}`;
    const onlyOwner = "This is the only owner. Make somebody else an owner first.";
    const conflict = refused("CONFLICT", onlyOwner, [{ path: "user", message: onlyOwner }]);
    expect(await ask(owner, "DELETE", path(owner))).toEqual([409, conflict]);
    expect(await ask(owner, "PATCH", path(owner), { role: "admin" })).toEqual([409, conflict]);
    expect((await ask(viewer, "DELETE", path(viewer)))[0]).toBe(200);
    // The only owner cannot leave as the last member either.
    expect(await ask(owner, "DELETE", path(owner))).toEqual([409, conflict]);
    const second = await addMember(gateway, slug, "owner");
    expect((await ask(owner, "DELETE", path(owner)))[0]).toBe(200);
    expect((await ask(second, "GET", "/v1/members"))[1].data).toMatchObject({ items: [{ role: "owner" }] });
  });

  it("keeps one owner if two demote each other concurrently", async () => {
    const second = await addMember(gateway, slug, "owner");
    // Both calls are authorized before either writes.
    const caller = ({ user, organization }: TestPerson) =>
      ({
        resources: { database: gateway.database },
        principal: { scopes: ROLE_SCOPES.owner, organization },
        person: { user, session: { authenticatedAt: NOW } },
        now: NOW,
        writer: {
          actor: { type: "user", id: user.id },
          organizationId: organization.id,
          requestId: randomUUID(),
        },
      }) as unknown as ActorContext;
    const demote = (by: TestPerson, other: TestPerson) =>
      changeMemberRole(caller(by), other.user.id, "viewer").then(
        ({ role }) => role,
        (error: AppError) => error.code,
      );
    const outcomes = await Promise.all([demote(owner, second), demote(second, owner)]);
    expect(outcomes.toSorted()).toEqual(["CONFLICT", "viewer"]);
  });

  it("lets only owners change, remove or invite owners", async () => {
    const admin = await addMember(gateway, slug, "admin");
    const viewer = await addMember(gateway, slug, "viewer");
    const lacking = (role: string, scope: string) =>
      refused("FORBIDDEN", `The role ${role} lacks the scope ${scope}.`);
    const [ofOwner, ofViewer] = [`/v1/members/${owner.user.id}`, `/v1/members/${viewer.user.id}`];
    const forbidden = [403, lacking("admin", "manage:organization")];
    expect(await ask(admin, "PATCH", ofOwner, { role: "viewer" })).toEqual(forbidden);
    expect(await ask(admin, "PATCH", ofViewer, { role: "owner" })).toEqual(forbidden);
    expect(await ask(admin, "DELETE", ofOwner)).toEqual(forbidden);
    expect(await ask(admin, "POST", "/v1/invitations", { email: "a@b", role: "owner" })).toEqual(forbidden);
    const { id } = await invite(owner, "a@b", "owner");
    expect(await ask(admin, "DELETE", `/v1/invitations/${id}`)).toEqual(forbidden);
    // A second invitation would revoke the owner's.
    expect(await ask(admin, "POST", "/v1/invitations", { email: "A@b", role: "viewer" })).toEqual(forbidden);
    expect((await ask(owner, "GET", "/v1/invitations"))[1].data).toMatchObject({ items: [{ id }] });
    expect(await ask(viewer, "DELETE", ofOwner)).toEqual([403, lacking("viewer", "manage:members")]);
    expect((await ask(admin, "PATCH", ofViewer, { role: "admin" }))[0]).toBe(200);
  });

  it.each([
    [{ role: "boss" }, 'body.role: expected one of viewer, editor, admin, owner, got "boss"', "role"],
    [{ role: "admin", name: "x" }, "body.name: unknown field", "name"],
  ])("refuses %j", async (json, message, path) => {
    const [status, body] = await ask(owner, "PATCH", `/v1/members/${owner.user.id}`, json);
    expect([status, body]).toEqual([
      422,
      refused("VALIDATION_FAILED", message, [{ path, message: expect.any(String) }]),
    ]);
  });
});

describe("/v1/invitations", () => {
  it("leaves one open of several concurrent invitations of the same address", async () => {
    const owner = await signUp(gateway);
    const made = Array.from({ length: 6 }, () =>
      ask(owner, "POST", "/v1/invitations", { email: "Guest@example.org", role: "viewer" }),
    );
    expect((await Promise.all(made)).map(([status]) => status)).toEqual(Array(6).fill(201));
    const [, { data }] = await ask(owner, "GET", "/v1/invitations");
    expect((data as { items: unknown[] }).items).toHaveLength(1);
  });

  it("creates a link that is shown once and makes its recipient a member", async () => {
    const guest = await signUp(gateway);
    const email = guest.user.email.toUpperCase();
    const { status, headers, body } = await owner.call<Envelope>("/v1/invitations", {
      json: { email, role: "editor" },
    });
    const { id, link } = body.data as { id: string; link: string };
    const invitation = { id, email, role: "editor", expires_at: at(7 * DAY_MS), created_at: at(0) };
    expect([status, headers.get("location"), body]).toEqual([
      201,
      `/v1/invitations/${id}`,
      held({ ...invitation, link }),
    ]);
    expect(link).toMatch(/^https:\/\/carbon\.example\.com\/console\/#invitation=cgw_inv_[0-9A-Za-z]{43}$/);
    expect(await ask(owner, "GET", "/v1/invitations")).toEqual([
      200,
      held({ items: [invitation], next_cursor: null }),
    ]);

    const token = link.split("=")[1] ?? "";
    const { organization } = owner;
    expect(await accept(guest, token)).toEqual([200, held({ organization, role: "editor" })]);
    expect(await accept(guest, token)).toEqual([404, NO_INVITATION]);
    expect((await ask(owner, "GET", "/v1/invitations"))[1].data).toMatchObject({ items: [] });
    expect((await ask(owner, "GET", "/v1/members"))[1].data).toMatchObject({
      items: [memberOf(owner, "owner"), memberOf(guest, "editor")],
    });
    expect((await ask(guest, "GET", "/v1/auth/me"))[1].data).toMatchObject({
      organization: guest.organization,
      organizations: expect.arrayContaining([{ ...organization, role: "editor" }]),
    });
    const actions = (await readAuditTrail(gateway.database, organization.id)).map(({ action }) => action);
    expect(actions.slice(-3)).toEqual(["invitation.created", "invitation.accepted", "member.created"]);
  });

  it("lets an invitation be accepted once, even concurrently", async () => {
    const guest = await signUp(gateway);
    const { token } = await invite(owner, guest.user.email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(guest, token)));
    expect(answers.map(([status]) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
  });

  it("refuses a first member who would not be an owner", async () => {
    const guest = await signUp(gateway);
    const { prisma } = gateway.database;
    const { token } = await invite(owner, guest.user.email, "viewer");
    // Simulates an invitation that a command created before the organization had members.
    const empty = await prisma.organization.create({ data: { slug: `${slug}-empty`, name: "Empty" } });
    await prisma.invitation.updateMany({
      where: { email: guest.user.email },
      data: { organizationId: empty.id, invitedBy: null },
    });
    const message = "The organization has no members yet, and the first must be an owner.";
    const conflict = refused("CONFLICT", message, [{ path: "invitation", message }]);
    expect(await accept(guest, token)).toEqual([409, conflict]);
    await prisma.membership.create({
      data: { organizationId: empty.id, userId: owner.user.id, role: "owner" },
    });
    expect((await accept(guest, token))[0]).toBe(200);
  });

  it("answers 404 to other people, and after 7 days", async () => {
    const [guest, stranger] = [await signUp(gateway), await signUp(gateway)];
    const { id, token } = await invite(owner, guest.user.email);
    for (const wrong of [generateToken("invitation"), "x", token.slice(0, -1)])
      expect(await accept(guest, wrong)).toEqual([404, NO_INVITATION]);
    expect(await accept(stranger, token)).toEqual([404, NO_INVITATION]);
    expect((await ask(stranger, "DELETE", `/v1/invitations/${id}`))[0]).toBe(404);

    gateway.setNow(later(7 * DAY_MS));
    const then = { now: later(7 * DAY_MS) };
    const late = await signIn(gateway, guest.user, guest.organization, then);
    expect(await accept(late, token)).toEqual([404, NO_INVITATION]);
    const again = await signIn(gateway, owner.user, owner.organization, then);
    expect((await ask(again, "GET", "/v1/invitations"))[1].data).toMatchObject({ items: [] });
  });

  it("ends an invitation when it is revoked, or its address is invited again", async () => {
    const guest = await signUp(gateway);
    const first = await invite(owner, guest.user.email, "admin");
    const second = await invite(owner, guest.user.email.toUpperCase(), "viewer");
    expect(await accept(guest, first.token)).toEqual([404, NO_INVITATION]);
    const path = `/v1/invitations/${second.id}`;
    const [status, { data }] = await ask(owner, "DELETE", path);
    expect([status, data]).toMatchObject([200, { id: second.id, role: "viewer" }]);
    expect(await accept(guest, second.token)).toEqual([404, NO_INVITATION]);
    expect(await ask(owner, "DELETE", path)).toEqual([
      404,
      refused("NOT_FOUND", `There is no open invitation with the id ${second.id}.`),
    ]);
  });

  it.each([
    ["is demoted", "admin", "viewer"],
    ["is demoted from owner to admin, if it invites an owner", "owner", "admin"],
    ["is removed", "admin", null],
    ["is disabled", "admin", "disabled"],
  ] as const)("ends an invitation when its inviter %s", async (_what, before, after) => {
    const guest = await signUp(gateway);
    const inviter = await addMember(gateway, slug, before);
    const { token } = await invite(inviter, guest.user.email, before);
    const { id } = inviter.user;
    if (after === "disabled")
      await gateway.database.prisma.user.update({ where: { id }, data: { disabledAt: NOW } });
    else if (after === null) await ask(owner, "DELETE", `/v1/members/${id}`);
    else await ask(owner, "PATCH", `/v1/members/${id}`, { role: after });
    expect(await accept(guest, token)).toEqual([404, NO_INVITATION]);
    expect((await ask(owner, "GET", "/v1/invitations"))[1].data).toMatchObject({ items: [] });
  });

  it("refuses a member's address, and an invalid one", async () => {
    const { email } = await addMember(gateway, slug, "viewer").then(({ user }) => user);
    const conflict = `${email} is already a member.`;
    expect(await ask(owner, "POST", "/v1/invitations", { email, role: "viewer" })).toEqual([
      409,
      refused("CONFLICT", conflict, [{ path: "email", message: conflict }]),
    ]);
    const message = expect.stringMatching(/^email: expected an e-mail address such as .*, got "nobody"$/);
    expect(await ask(owner, "POST", "/v1/invitations", { email: "nobody", role: "viewer" })).toEqual([
      422,
      refused("VALIDATION_FAILED", message, [{ path: "email", message }]),
    ]);
  });

  it("stores only the hash of a token, and logs neither", async () => {
    const { id, token } = await invite(owner, `${randomUUID()}@example.org`);
    const row = await gateway.database.prisma.invitation.findUniqueOrThrow({ where: { id } });
    expect(row.tokenHash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify([row, gateway.log()])).not.toContain(token);
  });
});
