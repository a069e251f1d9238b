import { once } from "node:events";
import { request } from "node:http";
import { generateSync } from "otplib";
import { describe, expect, it, onTestFinished } from "vitest";
import { hashKey } from "../../src/access/secrets/api-key.js";
import { writeChallenge } from "../../src/access/secrets/challenge.js";
import { generateToken } from "../../src/access/secrets/token.js";
import { disableUser, enableUser } from "../../src/actions/people/administer-users.js";
import { challengeBasisOf, readFactors } from "../../src/data/second-factors/factors.js";
import { addApp as addTestApp, signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, NOW, startGateway } from "../support/server.js";
import { use } from "../support/use.js";
import { actionsOn, MINUTE_MS, startMailing } from "./mailed.js";
import {
  BEHIND_PROXY,
  bearer,
  createVisitor,
  expectRefusal,
  newPassword,
  refusalOf,
  type SessionBody,
} from "./visitor.js";

const STEP_MS = 30_000;
const PEPPER = "a pepper of this test";

/** Time of both gateways, in milliseconds after NOW. It only moves forward, so that no two tests share a step. */
let elapsed = 0;
const moveOn = (ms: number) => {
  elapsed += ms;
  mailing.setNow(elapsed);
};
const mailing = use(startMailing);

interface Challenge {
  readonly token: string;
  readonly methods: readonly string[];
}

const codeAt = (secret: string, steps = 0) =>
  generateSync({ secret, epoch: Math.floor((NOW.getTime() + elapsed + steps * STEP_MS) / 1_000) });

const signedUp = async () => {
  const password = newPassword();
  const now = new Date(NOW.getTime() + elapsed);
  return { password, ...(await mailing.signUp({ password, now })), ...createVisitor(mailing.gateway) };
};

const dataOf = <Data>({ body }: Answer<Envelope>) => body.data as Data;

/** Adds an authenticator app, and moves on one step. */
async function addApp(person: TestPerson) {
  const { secret } = dataOf<{ secret: string }>(await person.call("/v1/auth/totp", { json: {} }));
  const confirmed = await person.call("/v1/auth/totp/confirm", { json: { code: codeAt(secret) } });
  expect(refusalOf(confirmed)).toEqual([200, undefined]);
  moveOn(2 * STEP_MS);
  const { recovery_codes: codes } = dataOf<{ recovery_codes: string[] }>(confirmed);
  return { secret, codes };
}

const withApp = async () => {
  const person = await signedUp();
  return { ...person, ...(await addApp(person)) };
};
type WithApp = Awaited<ReturnType<typeof withApp>>;

const challenge = async ({ user, password, post }: WithApp) => {
  const answer = await post("/login", { email: user.email, password });
  return dataOf<{ challenge: Challenge }>(answer).challenge;
};

describe("an authenticator app", () => {
  it("is added with a code, and shows ten 120-bit recovery codes once", async () => {
    const person = await signedUp();
    const created = await person.call("/v1/auth/totp", { json: {} });
    const { secret, uri, qr_svg: svg } = dataOf<Record<string, string>>(created);
    const name = `Carbon%20Gateway:${encodeURIComponent(person.user.email)}`;
    expect(created.status).toBe(201);
    expect(uri).toBe(`otpauth://totp/${name}?secret=${secret}&issuer=Carbon%20Gateway`);
    expect(svg).toEqual(expect.stringMatching(/^<svg /));
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(
      (await person.post("/login", { email: person.user.email, password: person.password })).body.data,
    ).toHaveProperty("session.id");
    const confirmed = await person.call("/v1/auth/totp/confirm", {
      json: { code: codeAt(secret as string) },
    });
    const { recovery_codes: codes } = dataOf<{ recovery_codes: string[] }>(confirmed);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{6}-){3}[0-9a-hjkmnp-tv-z]{6}$/);
    expect((await person.call("/v1/auth/factors")).body.data).toEqual({
      totp: { confirmed_at: new Date(NOW.getTime() + elapsed).toISOString() },
      passkeys: [],
      passkeys_available: true,
      recovery_codes_left: 10,
      required: false,
      required_from: null,
      has_password: true,
    });
    expect((await person.call("/v1/auth/totp", { json: {} })).status).toBe(409);
    await mailing.mails(person.user.email, "A second factor was added");
    expect(await actionsOn(mailing.gateway, person.user.id)).toEqual(
      expect.arrayContaining(["factor.added", "recovery_codes.created"]),
    );
  });

  it("turns every way to sign in into a challenge, which changes nothing before its code", async () => {
    const person = await withApp();
    const { prisma } = mailing.gateway.database;
    const { user, password, post, secret } = person;
    const answer = await post("/login", { email: user.email, password });
    expect(answer.body.data).toEqual({
      user: null,
      organization: null,
      session: null,
      challenge: {
        token: expect.stringMatching(/^cgw_chl_[0-9a-f]+$/),
        expires_in: 300,
        methods: ["totp", "recovery_code"],
        passkey: null,
      },
    });
    const token = generateToken("link");
    const expiresAt = new Date(NOW.getTime() + elapsed + MINUTE_MS);
    await prisma.signInLink.create({
      data: { userId: user.id, tokenHash: hashKey(token, PEPPER), expiresAt },
    });
    const next = newPassword();
    const byLink = dataOf<{ challenge: Challenge }>(await post("/link", { token, password: next })).challenge;
    const { passwordHash: before } = await prisma.user.findUniqueOrThrow({ where: { id: user.id } });
    const finished = await post("/login/factor", { challenge: byLink.token, code: codeAt(secret) });
    expect([finished.status, dataOf<{ user: object }>(finished).user]).toMatchObject([200, { id: user.id }]);
    const { passwordHash } = await prisma.user.findUniqueOrThrow({ where: { id: user.id } });
    expect(passwordHash).not.toBe(before);
  });

  it("is required of an existing account that accepts an invitation, before it becomes a member", async () => {
    const person = await withApp();
    const { user, password, post, secret } = person;
    const host = await mailing.signUp({ now: new Date(NOW.getTime() + elapsed) });
    const invited = await host.call("/v1/invitations", { json: { email: user.email, role: "viewer" } });
    const invitation = dataOf<{ link: string }>(invited).link.split("=")[1];
    const answer = await post("/register", { invitation, password });
    const isMember = () =>
      mailing.gateway.database.prisma.membership.count({
        where: { userId: user.id, organizationId: host.organization.id },
      });
    expect([answer.status, await isMember()]).toEqual([200, 0]);
    const { token } = dataOf<{ challenge: Challenge }>(answer).challenge;
    const finished = await post("/login/factor", { challenge: token, code: codeAt(secret) });
    expect(finished.body.data).toMatchObject({ organization: { id: host.organization.id } });
    expect(await isMember()).toBe(1);
  });

  it.each([
    [-2, 401],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 401],
  ])("accepts codes one step before and after: %i", async (steps, status) => {
    const person = await withApp();
    // The step of the confirming code, now two steps ago, is used up.
    moveOn(2 * STEP_MS);
    const { token } = await challenge(person);
    const { post, secret } = person;
    expect((await post("/login/factor", { challenge: token, code: codeAt(secret, steps) })).status).toBe(
      status,
    );
  });

  it("signs in once per code, even concurrently on two processes", async () => {
    const person = await withApp();
    const code = codeAt(person.secret);
    const challenges: Challenge[] = [];
    for (let i = 0; i < 10; i += 1) challenges.push(await challenge(person));
    const there = createVisitor(mailing.other);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? person : there).post("/login/factor", {
          challenge: challenges[index % challenges.length]?.token,
          code,
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array.from({ length: 49 }, () => 401)]);
    // A repeated code does not count as a guess.
    moveOn(STEP_MS);
    const { token } = await challenge(person);
    expect(
      (await person.post("/login/factor", { challenge: token, code: codeAt(person.secret) })).status,
    ).toBe(200);
  });

  it("ends a challenge when used, after five minutes, and when the password or factors change", async () => {
    const person = await withApp();
    const { user, post, secret } = person;
    const dead = [401, "INVALID_CREDENTIALS", [{ path: "challenge", message: expect.any(String) }]];
    const give = async (token: string) =>
      refusalOf(await post("/login/factor", { challenge: token, code: codeAt(secret) }));
    const used = await challenge(person);
    expect(await give(used.token)).toEqual([200, undefined]);
    moveOn(STEP_MS);
    expect(await give(used.token)).toEqual(dead);
    const late = await challenge(person);
    moveOn(5 * MINUTE_MS);
    expect(await give(late.token)).toEqual(dead);
    const disabled = await challenge(person);
    await disableUser(mailing.gateway.database, user.email, new Date(NOW.getTime() + elapsed));
    await enableUser(mailing.gateway.database, user.email);
    expect(await give(disabled.token)).toEqual(dead);
    const former = await challenge(person);
    await mailing.gateway.database.prisma.user.update({
      where: { id: user.id },
      data: { passwordHash: null },
    });
    expect(await give(former.token)).toEqual(dead);
    expect(await give(`cgw_chl_${"0".repeat(200)}`)).toEqual(dead);
  });

  it("is removed, along with the recovery codes, by a user who has just entered a code", async () => {
    const person = await withApp();
    expect((await person.call("/v1/auth/totp", { method: "DELETE" })).status).toBe(200);
    const factors = await person.call("/v1/auth/factors");
    expect(factors.body.data).toMatchObject({ totp: null, recovery_codes_left: 0 });
    expect((await person.call("/v1/auth/totp", { method: "DELETE" })).status).toBe(404);
    await mailing.mails(person.user.email, "A second factor was removed");
    expect(await actionsOn(mailing.gateway, person.user.id)).toContain("factor.removed");
  });
});

describe("recovery codes", () => {
  it("replace the second factor, once each, in any case and with or without dashes", async () => {
    const person = await withApp();
    const { post, codes, user } = person;
    const [first = "", second = ""] = codes;
    const give = async (code: string) => {
      const { token } = await challenge(person);
      return refusalOf(await post("/login/factor", { challenge: token, recovery_code: code }));
    };
    expect(await give(first.toUpperCase().replaceAll("-", ""))).toEqual([200, undefined]);
    expect(await give(first)).toMatchObject([401, "INVALID_CREDENTIALS", [{ path: "recovery_code" }]]);
    await mailing.mails(user.email, "A recovery code was used");
    expect(await actionsOn(mailing.gateway, user.id)).toContain("recovery_codes.used");
    const renewed = await person.call("/v1/auth/recovery-codes", { json: {} });
    const { recovery_codes: others } = dataOf<{ recovery_codes: string[] }>(renewed);
    expect((await give(second))[0]).toBe(401);
    expect(await give(others[0] ?? "")).toEqual([200, undefined]);
  });
});

describe("wrong codes", () => {
  it("lock codes for everyone after five in 15 minutes, notify by e-mail, and block correct codes too", async () => {
    const person = await withApp();
    const { user, secret } = person;
    const visitors = [createVisitor(mailing.gateway), createVisitor(mailing.other)];
    const answers = [];
    for (let i = 0; i < 6; i += 1) {
      const { token } = await challenge(person);
      answers.push(await visitors[i % 2]?.post("/login/factor", { challenge: token, code: "000000" }));
    }
    expect(answers.map((answer) => answer?.status)).toEqual([401, 401, 401, 401, 401, 429]);
    expect(answers[5]?.headers.get("retry-after")).toBe("900");
    await mailing.mails(user.email, "Wrong codes were entered");
    expect(await actionsOn(mailing.gateway, user.id)).toContain("factor.locked");
    const right = async () => {
      const { token } = await challenge(person);
      return (await person.post("/login/factor", { challenge: token, code: codeAt(secret) })).status;
    };
    expect(await right()).toBe(429);
    moveOn(15 * MINUTE_MS);
    expect(await right()).toBe(200);
  });

  it("lock codes after twenty in a day", async () => {
    const { password: _, ...person } = await withApp();
    const at = (minutes: number) => new Date(NOW.getTime() + elapsed - minutes * MINUTE_MS);
    const failures = Array.from({ length: 20 }, (_, index) => at(60 * (index + 1)));
    const { prisma } = mailing.gateway.database;
    await prisma.user.update({ where: { id: person.user.id }, data: { factorFailures: failures } });
    const answer = await person.call("/v1/auth/reauthenticate", { json: { code: codeAt(person.secret) } });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, String(4 * 3_600)]);
  });

  it("end a challenge after five, and use up no link", async () => {
    const person = await withApp();
    const { prisma } = mailing.gateway.database;
    const { token } = await challenge(person);
    const forget = () =>
      prisma.user.update({ where: { id: person.user.id }, data: { factorFailures: { set: [] } } });
    for (let i = 0; i < 5; i += 1) {
      await person.post("/login/factor", { challenge: token, code: "000000" });
      await forget();
    }
    const answer = await person.post("/login/factor", { challenge: token, code: codeAt(person.secret) });
    expect(refusalOf(answer)).toMatchObject([401, "INVALID_CREDENTIALS", [{ path: "challenge" }]]);
  });
});

describe("a sensitive action", () => {
  it("requires the second factor within the last 10 minutes if the user has one, not the password", async () => {
    const person = await withApp();
    moveOn(11 * MINUTE_MS);
    const renew = async (json: object) => {
      const answer = await person.call("/v1/auth/reauthenticate", { json });
      expect(answer.status).toBe(200);
      return { Authorization: `Bearer ${dataOf<{ session: SessionBody }>(answer).session.access_token}` };
    };
    const codes = (headers: Record<string, string>) =>
      person.call("/v1/auth/recovery-codes", { json: {}, headers });
    const after = await renew({ password: person.password });
    await expectRefusal(codes(after), 403, "REAUTHENTICATION_REQUIRED");
    const given = await mailing.gateway.call<Envelope>("/v1/auth/reauthenticate", {
      method: "POST",
      headers: { ...after, "Content-Type": "application/json" },
      body: JSON.stringify({ code: codeAt(person.secret) }),
    });
    const { session } = dataOf<{ session: SessionBody }>(given);
    expect((await codes({ Authorization: `Bearer ${session.access_token}` })).status).toBe(200);
  });
});

describe("a request whose body arrives after the first factor was added", () => {
  /** Sends a request's headers, waits until the server has read them, and returns a function that sends the body. */
  async function begin(method: string, path: string, token: string, json: object) {
    const body = JSON.stringify(json);
    const sent = request(`${mailing.gateway.url}/v1/auth${path}`, {
      method,
      headers: {
        ...bearer(token),
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        Expect: "100-continue",
      },
    });
    const status = once(sent, "response").then(([answer]) => answer.resume().statusCode);
    sent.flushHeaders();
    await once(sent, "continue");
    return () => {
      sent.end(body);
      return status;
    };
  }

  it("requires that factor, like every later request", async () => {
    const person = await signedUp();
    const { session, password } = person;
    expect((await person.call("/v1/auth/factors")).status).toBe(200);
    const late = [
      await begin("POST", "/recovery-codes", session.token, {}),
      await begin("POST", "/email", session.token, { email: "somebody@example.com" }),
      await begin("POST", "/password", session.token, { current: password, new: newPassword() }),
    ];
    const { prisma } = mailing.gateway.database;
    await addApp(person);
    await prisma.session.update({ where: { id: session.id }, data: { factorAt: null } });
    expect(await Promise.all(late.map((send) => send()))).toEqual([403, 403, 403]);
    expect(await prisma.recoveryCode.count({ where: { userId: person.user.id } })).toBe(10);
  });
});

describe("without Redis", () => {
  it("counts wrong codes of all processes together", async () => {
    const alone = await startMailing({ REDIS_URL: "redis://127.0.0.1:9" });
    onTestFinished(() => alone.stop());
    const password = newPassword();
    const person = await alone.signUp({ password });
    await addTestApp(alone.gateway, person, PEPPER);
    const visitors = [createVisitor(alone.gateway), createVisitor(alone.other)];
    const statuses = [];
    for (let i = 0; i < 6; i += 1) {
      const { post } = visitors[i % 2] ?? createVisitor(alone.gateway);
      const entered = await post("/login", { email: person.user.email, password });
      const { token } = dataOf<{ challenge: Challenge }>(entered).challenge;
      statuses.push((await post("/login/factor", { challenge: token, code: "000000" })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

describe("the secret of an authenticator app", () => {
  it("is encrypted with the current pepper once a code confirms it, and cannot be read without that pepper", async () => {
    const person = await withApp();
    const { database } = mailing.gateway;
    const under = async (env: Record<string, string>, email = person.user.email) => {
      const gateway = await startGateway({ env: { ...BEHIND_PROXY, ...env }, database });
      try {
        gateway.setNow(new Date(NOW.getTime() + elapsed));
        const { post } = createVisitor(gateway);
        const { token } = dataOf<{ challenge: Challenge }>(
          await post("/login", { email, password: person.password }),
        ).challenge;
        const given = await post("/login/factor", { challenge: token, code: codeAt(person.secret) });
        moveOn(STEP_MS);
        return refusalOf(given);
      } finally {
        await gateway.stop();
      }
    };
    const next = "another pepper of this test";
    const unread = [409, "OPERATOR_REQUIRED", [{ path: "KEY_PEPPER_PREVIOUS", message: expect.any(String) }]];
    expect(await under({ KEY_PEPPER: next })).toEqual(unread);
    expect(await under({ KEY_PEPPER: next, KEY_PEPPER_PREVIOUS: PEPPER })).toEqual([200, undefined]);
    expect(await under({ KEY_PEPPER: next })).toEqual([200, undefined]);
  });

  it("is not stored by a server without a pepper", async () => {
    const { database } = mailing.gateway;
    // A gateway with an embedded database would keep both in one folder.
    const env = { ...BEHIND_PROXY, DATABASE_URL: "postgresql://gateway@127.0.0.1/gateway" };
    const gateway = await startGateway({ env, database });
    onTestFinished(() => gateway.stop());
    const person = await signUp(gateway);
    expect(refusalOf(await person.call("/v1/auth/totp", { json: {} })).slice(0, 2)).toEqual([
      409,
      "OPERATOR_REQUIRED",
    ]);
    const provider = {
      issuer: "https://93.184.215.14",
      client_id: "x",
      client_secret: "y",
      default_role: "viewer",
    };
    const refused = await person.call("/v1/sso", { method: "PUT", json: provider });
    const message = expect.stringContaining("has no KEY_PEPPER to encrypt the secret with.");
    await expectRefusal(refused, 409, "OPERATOR_REQUIRED", [{ path: "KEY_PEPPER", message }]);
  });
});

describe("a gateway with a new pepper that still accepts unpeppered hashes", () => {
  it("accepts no challenge that someone with a copy of the database could forge", async () => {
    const person = await withApp();
    const env = { ...BEHIND_PROXY, KEY_PEPPER: PEPPER, KEY_PEPPER_PREVIOUS: "none" };
    const gateway = await startGateway({ env, database: mailing.gateway.database });
    onTestFinished(() => gateway.stop());
    const now = new Date(NOW.getTime() + elapsed);
    gateway.setNow(now);
    const { user, codes } = person;
    const factors = await readFactors({ query: gateway.database.select }, user.id, now);
    if (factors === null) throw new Error("expected the person's factors, got none");
    const content = { userId: user.id, entry: { kind: "password" }, transport: "bearer", webauthn: null };
    const expiresAt = now.getTime() + MINUTE_MS;
    const sealed = { purpose: "sign-in", content, expiresAt, nonce: "0" };
    const { post } = createVisitor(gateway);
    const forged = writeChallenge(sealed, challengeBasisOf(factors), undefined);
    expect(
      refusalOf(await post("/login/factor", { challenge: forged, recovery_code: codes[0] })),
    ).toMatchObject([401, "INVALID_CREDENTIALS", [{ path: "challenge" }]]);
  });
});

describe("POST /v1/auth/start", () => {
  it("answers by the domain alone", async () => {
    const { user } = await signedUp();
    const { post } = createVisitor(mailing.gateway);
    const answers = [
      await post("/start", { email: user.email }),
      await post("/start", { email: `x${user.email}` }),
    ];
    for (const { status, body } of answers)
      expect([status, body.data]).toEqual([200, { methods: ["password", "passkey"], sso: null }]);
  });
});

describe("a password reset", () => {
  it("is not a second factor, and keeps the factors of a confirmed address", async () => {
    const person = await withApp();
    const { user, post } = person;
    await post("/password-reset", { email: user.email });
    const token = await mailing.token(user.email, "Reset your password");
    const next = newPassword();
    expect((await post("/password-reset/finish", { token, password: next })).status).toBe(200);
    const answer = await post("/login", { email: user.email, password: next });
    expect(answer.body.data).toMatchObject({
      session: null,
      challenge: { methods: ["totp", "recovery_code"] },
    });
  });

  it("removes the factors of a never confirmed address, which a stranger may have added", async () => {
    const person = await withApp();
    const { user, post } = person;
    const { prisma } = mailing.gateway.database;
    await prisma.user.update({ where: { id: user.id }, data: { emailConfirmedAt: null } });
    await post("/password-reset", { email: user.email });
    const token = await mailing.token(user.email, "Reset your password");
    const next = newPassword();
    expect((await post("/password-reset/finish", { token, password: next })).status).toBe(200);
    expect((await post("/login", { email: user.email, password: next })).body.data).toHaveProperty(
      "session.id",
    );
    expect(await prisma.recoveryCode.count({ where: { userId: user.id } })).toBe(0);
  });
});
