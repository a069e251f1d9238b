import { beforeEach, describe, expect, it } from "vitest";
import { readAuditTrail } from "../support/audit.js";
import { addMember, signUp } from "../support/people.js";
import { NOW, startGateway } from "../support/server.js";
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

/** Sets the clocks of both gateways to `seconds` after NOW. */
function later(seconds: number): void {
  for (const each of [gateway, other]) each.setNow(new Date(NOW.getTime() + seconds * 1_000));
}

const refresh = (token: string, at = gateway) => createVisitor(at).post("/refresh", { refresh_token: token });
/** Refreshes a token, and returns the new session. */
const refreshed = async (token: string, at = gateway) =>
  (await createVisitor(at).dataOf<{ session: SessionBody }>("/refresh", { refresh_token: token })).session;

const DAY = 86_400;
const UNAUTHENTICATED = [401, "UNAUTHENTICATED"];
const REUSED = [401, "REFRESH_TOKEN_REUSED"];

describe("POST /v1/auth/refresh", () => {
  it("replaces both tokens, and invalidates the old access token immediately", async () => {
    const { session } = await signUp(gateway);
    const visitor = createVisitor(gateway);
    later(600);
    const { status, headers, body } = await visitor.post("/refresh", { refresh_token: session.refreshToken });
    expect([status, headers.get("ratelimit")]).toEqual([200, null]);
    const { session: next } = body.data as { session: SessionBody };
    expect(body.data).toEqual({
      session: {
        id: session.id,
        access_token: expect.stringMatching(/^cgw_ses_\w{43}$/),
        token_type: "Bearer",
        expires_in: 900,
        refresh_token: expect.stringMatching(/^cgw_ref_\w{43}$/),
        refresh_expires_in: 7 * DAY,
      },
    });
    expect(await isAccepted(gateway, session.token)).toBe(false);
    expect(await isAccepted(gateway, next.access_token)).toBe(true);
    expect(await isAccepted(other, session.token)).toBe(false);
    expect(await isAccepted(other, next.access_token)).toBe(true);
  });

  it("works after the access token has expired", async () => {
    const { session } = await signUp(gateway);
    later(900);
    expect(await isAccepted(gateway, session.token)).toBe(false);
    expect(await isAccepted(gateway, (await refreshed(session.refreshToken)).access_token)).toBe(true);
  });

  it.each([29, 30])("accepts a token again after %i seconds as a retry", async (seconds) => {
    const { session } = await signUp(gateway);
    const { access_token: token } = await refreshed(session.refreshToken);
    later(seconds);
    expect(refusalOf(await refresh(session.refreshToken, other))).toEqual(UNAUTHENTICATED);
    expect(await isAccepted(gateway, token)).toBe(true);
  });

  it("ends the session of a token that comes again after 31 seconds, and audits it", async () => {
    const { session, user, organization } = await signUp(gateway);
    const next = await refreshed(session.refreshToken);
    later(31);
    const answer = await refresh(session.refreshToken, other);
    expect(refusalOf(answer)).toEqual(REUSED);
    expect(refusalOf(await refresh(next.refresh_token))).toEqual(UNAUTHENTICATED);
    expect(await isAccepted(gateway, next.access_token)).toBe(false);
    expect(await isAccepted(other, next.access_token)).toBe(false);
    // The session ends only once.
    expect(refusalOf(await refresh(session.refreshToken))).toEqual(UNAUTHENTICATED);
    const entries = await readAuditTrail(gateway.database, organization.id);
    expect(entries.filter(({ action }) => action === "session.ended")).toMatchObject([
      { target: { id: session.id }, request_id: answer.body.meta.request_id },
    ]);
    expect(other.log()).toContainEqual(
      expect.objectContaining({ level: 40, session_id: session.id, user_id: user.id }),
    );
  });

  it("ends the session if a token two generations old comes back", async () => {
    const { session } = await signUp(gateway);
    const second = await refreshed(session.refreshToken);
    later(20);
    const third = await refreshed(second.refresh_token, other);
    later(40);
    expect(refusalOf(await refresh(session.refreshToken))).toEqual(REUSED);
    expect(await isAccepted(gateway, third.access_token)).toBe(false);
  });

  it("gives only one of 20 concurrent requests on two processes a working pair", async () => {
    const { session } = await signUp(gateway);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => refresh(session.refreshToken, index % 2 ? gateway : other)),
    );
    const losers = answers.filter(({ status }) => status !== 200);
    expect(losers.map(refusalOf)).toEqual(Array(19).fill(UNAUTHENTICATED));
    const winner = answers.find(({ status }) => status === 200)?.body.data as { session: SessionBody };
    const next = winner.session;
    expect(await isAccepted(other, next.access_token)).toBe(true);
    expect(await gateway.database.prisma.spentRefreshToken.count({ where: { sessionId: session.id } })).toBe(
      1,
    );
    expect((await refresh(next.refresh_token)).status).toBe(200);
  });

  it("expires after 7 days without use, and after 30 days in total", async () => {
    const { session } = await signUp(gateway);
    later(7 * DAY - 1);
    let { refresh_token: token } = await refreshed(session.refreshToken);
    later(14 * DAY - 1);
    expect(refusalOf(await refresh(token))).toEqual(UNAUTHENTICATED);
    for (const day of [13, 19, 25]) {
      later(day * DAY);
      token = (await refreshed(token)).refresh_token;
    }
    later(30 * DAY - 60);
    const last = await refreshed(token);
    expect(last).toMatchObject({ expires_in: 60, refresh_expires_in: 60 });
    later(30 * DAY);
    expect(refusalOf(await refresh(last.refresh_token))).toEqual(UNAUTHENTICATED);
    expect(await isAccepted(gateway, last.access_token)).toBe(false);
  });

  it("refuses an ended session, a disabled user and a former member", async () => {
    const owner = await signUp(gateway);
    const people = [
      await addMember(gateway, owner.organization.slug, "editor"),
      await addMember(gateway, owner.organization.slug, "editor"),
      await addMember(gateway, owner.organization.slug, "editor"),
    ] as const;
    const [ended, disabled, former] = people;
    await ended.call("/v1/auth/logout", { method: "POST" });
    const { prisma } = gateway.database;
    await prisma.user.update({ where: { id: disabled.user.id }, data: { disabledAt: NOW } });
    await prisma.membership.deleteMany({ where: { userId: former.user.id } });
    for (const { session } of people) {
      expect(refusalOf(await refresh(session.refreshToken))).toEqual(UNAUTHENTICATED);
      expect(await isAccepted(gateway, session.token)).toBe(false);
    }
  });

  it("refuses every other kind of token, and a refresh token opens nothing else", async () => {
    const { session } = await signUp(gateway, { password: newPassword() });
    const { post } = createVisitor(gateway);
    const foreign = [
      session.token,
      session.refreshToken.replace("ref", "inv"),
      `${session.refreshToken}x`,
      "",
      "\u0000",
    ];
    for (const token of [...foreign, `cgw_ref_${"0".repeat(43)}`]) {
      expect(refusalOf(await post("/refresh", { refresh_token: token }))).toEqual(UNAUTHENTICATED);
    }
    const headers = bearer(session.refreshToken);
    expect(refusalOf(await post("/reauthenticate", { password: "any" }, headers))).toEqual(UNAUTHENTICATED);
    await expectRefusal(post("/link", { token: session.refreshToken }), 401, "INVALID_CREDENTIALS");
    expect((await post("/logout", {}, headers)).body.data).toEqual({
      ended_sessions: 0,
      provider_logout_url: null,
    });
    expect(await isAccepted(gateway, session.refreshToken)).toBe(false);
    expect(await isAccepted(gateway, session.token)).toBe(true);
  });

  it("accepts a token hashed with the previous pepper, and hashes with the current one", async () => {
    const env = { ...BEHIND_PROXY, KEY_PEPPER: "p".repeat(32), KEY_PEPPER_PREVIOUS: "none" };
    const rotated = await startGateway({ env, database: gateway.database });
    const { session } = await signUp(gateway);
    const next = await refreshed(session.refreshToken, rotated);
    expect(await isAccepted(rotated, next.access_token)).toBe(true);
    expect(await isAccepted(gateway, next.access_token)).toBe(false);
    expect(refusalOf(await refresh(session.refreshToken, rotated))).toEqual(UNAUTHENTICATED);
    await rotated.stop();
  });
});
