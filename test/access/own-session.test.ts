import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { hashKey } from "../../src/access/secrets/api-key.js";
import { generateToken } from "../../src/access/secrets/token.js";
import { readAuditTrail } from "../support/audit.js";
import { addMember, callWith, signIn, signUp } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { type Envelope, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";
import {
  BEHIND_PROXY,
  bearer,
  createVisitor,
  expectRefusal,
  isAccepted,
  newPassword,
  refusalOf,
  type SessionBody,
} from "./visitor.js";

/** A second gateway on the same database. */
const gateway = useGateway({ env: BEHIND_PROXY });
const other = useGateway(() => ({ env: BEHIND_PROXY, database: gateway.database }));
beforeEach(() => later(0));

function later(minutes: number): void {
  for (const each of [gateway, other]) each.setNow(new Date(NOW.getTime() + minutes * 60_000));
}

const UNAUTHENTICATED = [401, "UNAUTHENTICATED"];

/** Signs up a user with a password and two sessions, who sends from a separate IP address. */
async function newPerson(overrides: Parameters<typeof signUp>[1] = {}) {
  const password = newPassword();
  const person = await signUp(gateway, { password, ...overrides });
  const second = await signIn(gateway, person.user, person.organization);
  const { address, post } = createVisitor(gateway);
  const ask = (path: string, json: object = {}) =>
    person.call(`/v1/auth${path}`, { json, headers: { "X-Forwarded-For": address } });
  return { ...person, password, address, second, post, ask };
}

describe("POST /v1/auth/logout", () => {
  it("ends the session on every process, and no other session", async () => {
    const { session, second, ask, organization, user } = await newPerson();
    expect(await isAccepted(gateway, session.token)).toBe(true);
    expect(await isAccepted(other, session.token)).toBe(true);
    const { status, headers, body } = await ask("/logout");
    expect(status).toBe(200);
    expect(body.data).toEqual({ ended_sessions: 1, provider_logout_url: null });
    expect(headers.get("set-cookie")).toBe(null);
    // Immediately, without waiting for the announcement.
    const answer = await fetch(`${gateway.url}/graphql?query={rateLimit{limit}}`, {
      headers: bearer(session.token),
    });
    expect(answer.status).toBe(401);
    await expect
      .poll(
        async () =>
          (await fetch(`${other.url}/graphql?query={rateLimit{limit}}`, { headers: bearer(session.token) }))
            .status,
      )
      .toBe(401);
    expect(await isAccepted(other, second.session.token)).toBe(true);
    expect((await readAuditTrail(gateway.database, organization.id)).at(-1)).toMatchObject({
      action: "session.ended",
      actor: { type: "user", id: user.id },
      target: { id: session.id },
    });
  });

  it("ends all sessions of the user in any organization, on request", async () => {
    const { session, second, ask, user } = await newPerson();
    const elsewhere = (await signUp(gateway)).organization;
    const stranger = await signUp(gateway);
    await gateway.database.prisma.membership.create({
      data: { organizationId: elsewhere.id, userId: user.id, role: "viewer" },
    });
    const third = await signIn(gateway, user, elsewhere);
    expect((await ask("/logout", { all: true })).body.data).toEqual({
      ended_sessions: 3,
      provider_logout_url: null,
    });
    for (const { token } of [session, second.session, third.session])
      expect(await isAccepted(gateway, token)).toBe(false);
    expect(await isAccepted(gateway, stranger.session.token)).toBe(true);
  });

  it("succeeds with an expired token or a cookie, and even without a valid credential, but then ends nothing", async () => {
    const { session, second, ask, post } = await newPerson();
    await ask("/logout");
    const nothing = { ended_sessions: 0, provider_logout_url: null };
    expect((await ask("/logout", { all: true })).body.data).toEqual(nothing);
    expect((await post("/logout")).body.data).toEqual(nothing);
    expect((await post("/logout", {}, bearer("nonsense"))).body.data).toEqual(nothing);
    expect(await isAccepted(gateway, second.session.token)).toBe(true);
    later(16);
    // The access token has expired, but the session has not.
    expect((await second.call("/v1/auth/logout", { json: {} })).body.data).toEqual({
      ended_sessions: 1,
      provider_logout_url: null,
    });
    expect((await post("/refresh", { refresh_token: session.refreshToken })).status).toBe(401);
  });

  it("clears the browser's cookie", async () => {
    const person = await signUp(gateway, { kind: "browser" });
    const { headers, body } = await person.call("/v1/auth/logout", { json: {} });
    expect(body.data).toEqual({ ended_sessions: 1, provider_logout_url: null });
    expect(headers.get("set-cookie")).toBe(
      "__Host-cgw_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict",
    );
    expect((await person.call("/v1/auth/logout", { json: {} })).headers.get("set-cookie")).toMatch(
      /Max-Age=0/,
    );
  });
});

describe("POST /v1/auth/reauthenticate", () => {
  it("replaces the tokens, records the time, and spends the refresh token", async () => {
    const { session, second, password, ask, post } = await newPerson();
    later(12);
    const { status, body } = await ask("/reauthenticate", { password });
    const { session: next } = body.data as { session: SessionBody };
    learnKeys(JSON.stringify(next));
    expect([status, next]).toMatchObject([200, { id: session.id, token_type: "Bearer", expires_in: 900 }]);
    expect(await isAccepted(gateway, session.token)).toBe(false);
    expect(await isAccepted(other, session.token)).toBe(false);
    expect(await isAccepted(other, next.access_token)).toBe(true);
    expect(await isAccepted(other, second.session.token)).toBe(true);
    const row = await gateway.database.prisma.session.findUniqueOrThrow({ where: { id: session.id } });
    expect(row.authenticatedAt).toEqual(new Date(NOW.getTime() + 12 * 60_000));
    later(13);
    await expectRefusal(
      post("/refresh", { refresh_token: session.refreshToken }),
      401,
      "REFRESH_TOKEN_REUSED",
    );
  });

  it("gives a browser a new cookie with the same expiry as the old one", async () => {
    const { password, ...person } = await newPerson({ kind: "browser" });
    later(50);
    const { headers, body } = await person.ask("/reauthenticate", { password });
    expect(body.data).toEqual({ session: { id: person.session.id, expires_in: 43_200 - 3_000 } });
    expect(headers.get("set-cookie")).toMatch(/^__Host-cgw_session=cgw_ses_\w{43}; Max-Age=40200; /);
    learnKeys(String(headers.get("set-cookie")));
    expect(await isAccepted(gateway, person.session.token)).toBe(false);
  });

  it("is rate limited like signing in", async () => {
    const { password, ask } = await newPerson();
    for (let i = 0; i < 5; i += 1) {
      await expectRefusal(ask("/reauthenticate", { password: "wrong" }), 401, "INVALID_CREDENTIALS");
    }
    expect((await ask("/reauthenticate", { password })).status).toBe(429);
    expect((await ask("/password", { current: password, new: newPassword() })).status).toBe(429);
  });
});

describe("POST /v1/auth/password", () => {
  it("changes the password, ends the other sessions and replaces this session's tokens", async () => {
    const { user, session, second, password, ask, post } = await newPerson();
    const next = newPassword();
    later(1);
    const { status, body } = await ask("/password", { current: password, new: next });
    const { session: renewed } = body.data as { session: SessionBody };
    learnKeys(JSON.stringify(renewed));
    expect([status, renewed.id]).toEqual([200, session.id]);
    const tokens = [renewed.access_token, session.token, second.session.token];
    for (const process of [gateway, other]) {
      expect(await Promise.all(tokens.map((token) => isAccepted(process, token)))).toEqual([
        true,
        false,
        false,
      ]);
    }
    expect((await post("/login", { email: user.email, password })).status).toBe(401);
    expect((await post("/login", { email: user.email, password: next })).status).toBe(200);
    const entries = await readAuditTrail(gateway.database, null);
    expect(entries.findLast(({ target }) => target.id === user.id)).toMatchObject({
      action: "user.password_changed",
      actor: { type: "user", id: user.id },
      changes: { password_hash: { from: "***", to: "***" } },
    });
  });

  it("notifies each time, even if the caller repeats the request id", async () => {
    const { user, session, password, address } = await newPerson();
    const passwords = [password, newPassword(), newPassword()];
    const requestId = randomUUID();
    let token = session.token;
    for (const [index, next] of passwords.slice(1).entries()) {
      const headers = { ...bearer(token), "X-Forwarded-For": address, "X-Request-Id": requestId };
      const json = { current: passwords[index], new: next };
      const { status, body } = await callWith(gateway, headers).call<Envelope>("/v1/auth/password", { json });
      learnKeys(JSON.stringify(body));
      expect([status, body.meta?.request_id]).toEqual([200, requestId]);
      token = (body.data as { session: SessionBody }).session.access_token;
    }
    const where = { userId: user.id, title: "Your password was changed" };
    expect(await gateway.database.prisma.notification.count({ where })).toBe(2);
  });

  it("requires the current password and a valid new one", async () => {
    const { user, organization, session, password, ask } = await newPerson();
    const faulty = [
      ["short", /^expected /],
      ["correct horse".padEnd(201, "x"), /^expected /],
      [user.email.slice(0, 36), /name in your e-mail/],
      ["passwordpassword", /too common/],
    ] as const;
    for (const [next, message] of faulty) {
      await expectRefusal(ask("/password", { current: password, new: next }), 422, "VALIDATION_FAILED", [
        { path: "new", message: expect.stringMatching(message) },
      ]);
    }
    expect(organization.name).toBe("Acme");
    await expectRefusal(
      ask("/password", { current: "wrong", new: newPassword() }),
      401,
      "INVALID_CREDENTIALS",
    );
    expect(await isAccepted(gateway, session.token)).toBe(true);
  });

  it("is changed only once by two requests at the same time", async () => {
    const { session, password, ask, second } = await newPerson();
    const answers = await Promise.all([
      ask("/password", { current: password, new: newPassword() }),
      second.call("/v1/auth/password", { json: { current: password, new: newPassword() } }),
    ]);
    for (const { body } of answers) learnKeys(JSON.stringify(body));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    const where = {
      userId: (await gateway.database.prisma.session.findUniqueOrThrow({ where: { id: session.id } })).userId,
    };
    expect(await gateway.database.prisma.session.count({ where: { ...where, revokedAt: null } })).toBe(1);
  });
});

describe("POST /v1/auth/organization", () => {
  it("switches to another of the user's organizations", async () => {
    const { user, session, organization, ask, graphql } = await newPerson();
    const { organization: second } = await signUp(gateway);
    await gateway.database.prisma.membership.create({
      data: { organizationId: second.id, userId: user.id, role: "viewer" },
    });
    const active = async () => (await graphql("{ organization { slug } }")).body.data?.organization.slug;
    expect(await active()).toBe(organization.slug);
    const { status, body } = await ask("/organization", { slug: second.slug });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      organization: second,
      role: "viewer",
      scopes: ["read:emissions", "read:compliance", "read:credits", "read:benchmarks", "read:market"],
    });
    expect(await active()).toBe(second.slug);
    const elsewhere = await other.call<{ data: unknown }>("/graphql?query={organization{slug}}", {
      headers: bearer(session.token),
    });
    expect(elsewhere.body.data).toEqual({ organization: { slug: second.slug } });
  });

  it("does not find an organization that the user does not belong to", async () => {
    const { ask } = await newPerson();
    const { organization } = await signUp(gateway);
    for (const slug of [organization.slug, "nobodys", "", "\u0000", "A B"]) {
      await expectRefusal(ask("/organization", { slug }), 404, "NOT_FOUND");
    }
  });
});

describe("endpoints of a session", () => {
  it.each(["/reauthenticate", "/password", "/organization"])(
    "%s checks the session before the body",
    async (path) => {
      const { post } = createVisitor(gateway);
      const { session } = await addMember(gateway, (await signUp(gateway)).organization.slug, "viewer");
      await gateway.database.prisma.user.updateMany({
        where: { sessions: { some: { id: session.id } } },
        data: { disabledAt: NOW },
      });
      for (const headers of [{}, bearer("nonsense"), bearer(session.token), { "X-API-Key": "cgw_live_x" }]) {
        const answer = await post(path, "{", headers as Record<string, string>);
        expect(refusalOf(answer)).toEqual(UNAUTHENTICATED);
        expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token"/);
      }
    },
  );
});

describe("POST /v1/auth/link", () => {
  async function newLink(minutes = 15, isConfirmed = true) {
    const person = await newPerson();
    const emailConfirmedAt = isConfirmed ? NOW : null;
    await gateway.database.prisma.user.update({ where: { id: person.user.id }, data: { emailConfirmedAt } });
    const token = generateToken("link");
    learnKeys(token);
    const expiresAt = new Date(NOW.getTime() + minutes * 60_000);
    await gateway.database.prisma.signInLink.create({
      data: { userId: person.user.id, tokenHash: hashKey(token, undefined), expiresAt },
    });
    return { ...person, token };
  }
  const INVALID_LINK = [401, "INVALID_CREDENTIALS"];

  it("signs in once, without a password, on one of two processes", async () => {
    const { user, organization, session, token, post } = await newLink();
    later(14);
    const answers = await Promise.all([
      post("/link", { token }),
      createVisitor(other).post("/link", { token }),
    ]);
    const [first, second] = answers.toSorted((one, two) => one.status - two.status);
    expect(first?.body.data).toMatchObject({ user, organization, session: { expires_in: 900 } });
    expect(second && refusalOf(second)).toEqual(INVALID_LINK);
    expect(await isAccepted(gateway, session.token)).toBe(true);
    const where = { userId: user.id, authenticatedAt: new Date(NOW.getTime() + 14 * 60_000) };
    expect(await gateway.database.prisma.session.count({ where })).toBe(1);
  });

  it("sets a password if one is sent, and ends the sessions of the old one", async () => {
    const { user, organization, session, password, token, post } = await newLink();
    const next = newPassword();
    expect((await post("/link", { token, password: "short" })).status).toBe(422);
    const name = "Nordwind Logistik GmbH";
    await gateway.database.prisma.organization.update({ where: { id: organization.id }, data: { name } });
    expect((await post("/link", { token, password: name.toUpperCase() })).status).toBe(422);
    const { status, headers } = await post("/link", { token, password: next, transport: "cookie" });
    expect(status).toBe(200);
    expect(headers.get("set-cookie")).toEqual(expect.stringMatching(/^__Host-cgw_session=cgw_ses_/));
    expect(await isAccepted(gateway, session.token)).toBe(false);
    expect((await post("/login", { email: user.email, password: next })).status).toBe(200);
    expect((await post("/login", { email: user.email, password })).status).toBe(401);
  });

  it("takes the account from anyone who registered an address that is not theirs", async () => {
    const { user, session, password, token, post } = await newLink(15, false);
    await expectRefusal(post("/link", { token }), 422, "VALIDATION_FAILED", [
      { path: "password", message: expect.stringContaining("expected a new password") },
    ]);
    expect(await isAccepted(gateway, session.token)).toBe(true);
    expect((await post("/link", { token, password: newPassword() })).status).toBe(200);
    expect(await isAccepted(gateway, session.token)).toBe(false);
    expect((await post("/login", { email: user.email, password })).status).toBe(401);
  });

  it("refuses a link that has expired, belongs to a disabled user, or is malformed", async () => {
    const [expired, disabled] = [await newLink(0), await newLink()];
    await gateway.database.prisma.user.update({ where: { id: disabled.user.id }, data: { disabledAt: NOW } });
    const { post } = createVisitor(gateway);
    const others = [generateToken("link"), generateToken("invitation"), expired.session.token, "", "\u0000"];
    for (const token of [expired.token, disabled.token, ...others]) {
      expect(refusalOf(await post("/link", { token }))).toEqual(INVALID_LINK);
    }
  });
});
