import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JWTPayload } from "jose";
import { generateSync } from "otplib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { addApp, addMember, callWith, signUp, type TestPerson } from "../support/people.js";
import { startProvider } from "../support/provider.js";
import { learnKeys } from "../support/secrets.js";
import { type Answer, type Envelope, type Gateway, NOW, startGateway } from "../support/server.js";
import { recordStatements } from "../support/statements.js";
import { use } from "../support/use.js";
import { completeStep, draft, prepareVerification, submitTo, tokenOf } from "../support/verification.js";
import {
  begin,
  browserOf,
  type Connected,
  connect,
  type Finish,
  finish,
  send,
  settingsOf,
  signInBy,
  tokenIn,
} from "./sso.js";

const NOW_SECONDS = NOW.getTime() / 1_000;

let gateway: Gateway;
let second: Gateway;
let connected: Connected;
const provider = use(startProvider);
beforeAll(async () => {
  const env = { OIDC_ALLOW_NETWORKS: "127.0.0.0/8" };
  gateway = await startGateway({ env });
  second = await startGateway({ env, database: gateway.database });
  connected = await connect(gateway, provider);
});
afterAll(async () => {
  await second.stop();
  await gateway.stop();
});

const newPerson = () => ({ sub: randomUUID(), email: `${randomUUID()}@${connected.domain}` });
const me = async (browser: ReturnType<typeof browserOf>) =>
  (await browser.call<{ data: { user: { id: string; email: string }; role: string } }>("/v1/auth/me")).body
    .data;

/** Lists an organization's audit entries as action and reason, latest first. */
async function listEntries(organizationId: string): Promise<[action: string, reason: string | undefined][]> {
  const entries = await gateway.database.prisma.auditEntry.findMany({
    where: { organizationId },
    orderBy: { seq: "desc" },
    take: 20,
  });
  return entries.map(({ action, entry }) => [action, JSON.parse(entry).changes.reason]);
}

describe("PUT /v1/sso", () => {
  it("stores the settings, and never returns the secret", async () => {
    const owner = await signUp(gateway);
    const { status, headers, body } = await send(
      owner,
      "PUT",
      "/v1/sso",
      settingsOf(provider, { role_claim: "groups", role_map: { boss: "admin" } }),
    );
    expect([status, headers.get("etag")]).toEqual([200, expect.stringMatching(/^"1-/)]);
    const { id } = body.data;
    expect(body.data).toEqual({
      id: expect.any(String),
      issuer: provider.issuer,
      client_id: "gateway",
      default_role: "viewer",
      role_claim: "groups",
      role_map: { boss: "admin" },
      missing_email_verified: "refuse",
      second_factor: "provider",
      redirect_uri: `${gateway.url}/v1/auth/sso/${id}/callback`,
      logout_uri: `${gateway.url}/v1/auth/sso/${id}/logout`,
      status: "draft",
      enforced: false,
      version: 1,
    });
    expect((await send(owner, "GET", "/v1/sso")).body.data).toEqual(body.data);
    const stored = await gateway.database.prisma.ssoConnection.findUniqueOrThrow({
      where: { id: String(id) },
    });
    expect(stored.clientSecretSealed).not.toContain("a secret of the client");
    expect((await send(owner, "DELETE", "/v1/sso")).status).toBe(200);
  });

  it.each([
    ["an issuer of all tenants", { issuer: "https://login.example.com/common/v2.0" }],
    ["an issuer inside the network", { issuer: "https://10.0.0.1" }],
    ["plain http to elsewhere", { issuer: "http://8.8.8.8" }],
    ["a role that claims cannot assign", { role_map: { boss: "owner" } }],
    ["the role of an owner", { default_role: "owner" }],
    ["a value with a control character", { role_map: { "a\0": "admin" } }],
  ])("refuses %s", async (_, more) => {
    const { status, body } = await send(await signUp(gateway), "PUT", "/v1/sso", settingsOf(provider, more));
    expect([status, body.error?.code]).toEqual([422, "VALIDATION_FAILED"]);
  });

  it("disables a provider when its client changes, but not when its roles do", async () => {
    const { owner } = await connect(gateway, provider);
    const status = async (more: object) =>
      (await send(owner, "PUT", "/v1/sso", { ...settingsOf(provider, more), client_secret: undefined })).body
        .data["status"];
    expect(await status({ default_role: "editor" })).toBe("enabled");
    expect(await status({ client_id: "another" })).toBe("draft");
    expect((await send(owner, "POST", "/v1/sso/enable")).status).toBe(409);
  });
});

describe("a first sign-in through a provider", () => {
  it("creates an account without a password, and a member with the role", async () => {
    const { email, sub } = newPerson();
    const answer = await signInBy(gateway, connected, provider, { sub, email, name: "Ada" });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/console/");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect(await me(browserOf(gateway, answer))).toMatchObject({ user: { email }, role: "viewer" });
    expect(
      (await listEntries(connected.owner.organization.id)).slice(0, 4).map(([action]) => action),
    ).toEqual(["sso.signed_in", "member.created", "sso.linked", "account.provisioned"]);
    const user = await gateway.database.prisma.user.findFirstOrThrow({ where: { email } });
    expect([user.passwordHash, user.emailConfirmedAt]).toEqual([null, NOW]);
  });

  it("links a confirmed account, which the subject then identifies at any address", async () => {
    const { email, sub } = newPerson();
    const person = await signUp(gateway, { email });
    await signInBy(gateway, connected, provider, { sub, email });
    const again = await signInBy(gateway, connected, provider, { sub, email: `new@${connected.domain}` });
    expect((await me(browserOf(gateway, again))).user).toMatchObject({ id: person.user.id, email });
  });

  it("is counted in the metrics, as are refusals, but not tests", async () => {
    const own = await connect(gateway, provider);
    const ada = { email: `ada@${own.domain}` };
    const read = async () => {
      const { body } = await gateway.call<string>("/metrics");
      return ["succeeded", "refused"].map((result) =>
        Number(body.match(`gateway_sign_ins_total\\{result="${result}"\\} (\\d+)`)?.[1]),
      );
    };
    const [succeeded = 0, refused = 0] = await read();
    await signInBy(gateway, own, provider, ada);
    await signInBy(gateway, own, provider, { ...ada, aud: "another" });
    expect(await read()).toEqual([succeeded + 1, refused + 1]);
    for (const claims of [ada, { ...ada, aud: "another" }]) {
      const { body } = await send(own.owner, "POST", "/v1/sso/test");
      const begun = await begin(gateway, String(body.data["url"]));
      expect((await finish(gateway, own.id, begun, provider, claims)).status).toBe(200);
    }
    expect(await read()).toEqual([succeeded + 1, refused + 1]);
  });

  it("creates one account for 20 concurrent requests on two processes", async () => {
    const { email, sub } = newPerson();
    const gateways = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? gateway : second));
    const begun = await Promise.all(gateways.map((one) => begin(one, connected.id)));
    const answers = await Promise.all(
      begun.map((one, index) =>
        finish(gateways[index] ?? gateway, connected.id, one, provider, { sub, email }),
      ),
    );
    expect(answers.filter((answer) => tokenIn(answer) !== undefined)).toHaveLength(20);
    expect(await gateway.database.prisma.user.count({ where: { email } })).toBe(1);
    expect(await gateway.database.prisma.identity.count({ where: { subject: sub } })).toBe(1);
  });

  it("assigns the highest role in the claims at each sign-in, except to owners", async () => {
    const more = { role_claim: "groups", role_map: { staff: "editor", boss: "admin" } };
    const { domain, owner, ...own } = await connect(gateway, provider, more);
    const roleWith = async (sub: string, email: string, groups: unknown) =>
      (await me(browserOf(gateway, await signInBy(gateway, own, provider, { sub, email, groups })))).role;
    const email = `ada@${domain}`;
    expect(await roleWith("ada", email, ["staff", "boss", "other"])).toBe("admin");
    expect(await roleWith("ada", email, "staff")).toBe("editor");
    expect(await roleWith("ada", email, [])).toBe("viewer");
    const boss = await addMember(gateway, owner.organization.slug, "owner", { email: `boss@${domain}` });
    expect(await roleWith("boss", boss.user.email, [])).toBe("owner");
  });
});

describe("a sign-in through a provider is refused", () => {
  type Case = [reason: string, claims: object, more: Finish | undefined];
  const cases: Case[] = [
    ["state", {}, { query: { state: "another" } }],
    ["state", {}, { cookie: "" }],
    ["issuer", {}, { query: { iss: "https://b.example" } }],
    ["issuer", { iss: "https://b.example" }, undefined],
    ["audience", { aud: "another" }, undefined],
    ["authorized_party", { azp: "another" }, undefined],
    ["authorized_party", { aud: ["gateway", "another"], azp: "another" }, undefined],
    ["nonce", { nonce: "another" }, undefined],
    ["nonce", { nonce: null }, undefined],
    ["signature", {}, { signing: { stranger: true } }],
    ["signature", {}, { signing: { alg: "none" } }],
    ["signature", {}, { signing: { alg: "HS256" } }],
    ["expired", { exp: NOW_SECONDS - 61 }, undefined],
    ["expired", { nbf: NOW_SECONDS + 61 }, undefined],
    ["expired", { iat: NOW_SECONDS - 661 }, undefined],
    ["expired", { iat: NOW_SECONDS + 61 }, undefined],
    ["code", {}, { script: { error: "invalid_grant" } }],
    ["code", {}, { query: { code: null } }],
    ["email_missing", { email: null }, undefined],
    ["email_unverified", { email_verified: false }, undefined],
    ["email_unverified", { email_verified: null }, undefined],
    ["domain_not_proven", { email: "ada@elsewhere.example" }, undefined],
    ["provider_error", {}, { query: { code: null, error: "access_denied" } }],
    ["provider_error", {}, { script: { error: "invalid_client" } }],
    ["provider_error", { sub: "a\0" }, undefined],
  ];

  it.each(cases)("%s: %o %o", async (reason, claims, more) => {
    const answer = await signInBy(
      gateway,
      connected,
      provider,
      { ...newPerson(), ...claims } as JWTPayload,
      more,
    );
    const requestId = answer.headers.get("x-request-id");
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(`/console/#sign-in-failed=${requestId}`);
    expect(tokenIn(answer)).toBeUndefined();
    expect(answer.headers.getSetCookie()).toContain(
      `__Host-cgw_sso_refused=${reason}; Max-Age=60; Path=/; Secure; SameSite=Lax`,
    );
    const [latest] = await listEntries(connected.owner.organization.id);
    expect(latest).toEqual(["sso.refused", reason]);
  });

  it.each([
    ["exp", -59],
    ["nbf", 59],
    ["iat", 59],
    ["iat", -659],
  ])("not for a clock that differs by less: %s %i s", async (claim, seconds) => {
    const claims = { ...newPerson(), [claim]: NOW_SECONDS + seconds };
    expect(tokenIn(await signInBy(gateway, connected, provider, claims))).toBeDefined();
  });

  it("with expired, if the user had to authenticate now but did so a minute ago or never", async () => {
    const ada = newPerson();
    const enter = async (claims: object) => {
      const begun = await begin(gateway, connected.id, "?fresh");
      expect([begun.query.get("prompt"), begun.query.get("max_age")]).toEqual(["login", "0"]);
      return finish(gateway, connected.id, begun, provider, { ...ada, ...claims });
    };
    for (const claims of [{}, { auth_time: NOW_SECONDS - 61 }]) {
      expect(tokenIn(await enter(claims))).toBeUndefined();
      expect((await listEntries(connected.owner.organization.id))[0]).toEqual(["sso.refused", "expired"]);
    }
    expect(tokenIn(await enter({ auth_time: NOW_SECONDS - 59 }))).toBeDefined();
    const { sessions } = await gateway.database.prisma.user.findFirstOrThrow({
      where: { email: ada.email },
      include: { sessions: true },
    });
    expect(sessions.map(({ authenticatedAt }) => authenticatedAt)).toEqual([NOW]);
  });

  /** Signs in with these claims, and returns the reason for the refusal. */
  const reasonFor = async (claims: JWTPayload) => {
    expect(tokenIn(await signInBy(gateway, connected, provider, claims))).toBeUndefined();
    return (await listEntries(connected.owner.organization.id))[0]?.[1];
  };

  it("with account_unconfirmed, identity_conflict and disabled", async () => {
    const { prisma } = gateway.database;
    const stranger = newPerson();
    const { user } = await signUp(gateway, { email: stranger.email });
    await prisma.user.update({ where: { id: user.id }, data: { emailConfirmedAt: null } });
    expect(await reasonFor(stranger)).toBe("account_unconfirmed");
    const ada = newPerson();
    await signInBy(gateway, connected, provider, ada);
    expect(await reasonFor({ ...ada, sub: randomUUID() })).toBe("identity_conflict");
    await prisma.user.updateMany({ where: { email: ada.email }, data: { disabledAt: NOW } });
    expect(await reasonFor(ada)).toBe("disabled");
  });

  it("with state, if the owner disabled the provider in the meantime", async () => {
    const own = await connect(gateway, provider);
    const asked = provider.asked["/token"] ?? 0;
    const release = provider.hold();
    const answer = signInBy(gateway, own, provider, { sub: "ada", email: `ada@${own.domain}` });
    await expect.poll(() => provider.asked["/token"]).toBe(asked + 1);
    expect((await send(own.owner, "POST", "/v1/sso/disable")).status).toBe(200);
    release();
    expect(tokenIn(await answer)).toBeUndefined();
    expect((await listEntries(own.owner.organization.id))[0]).toEqual(["sso.refused", "state"]);
  });

  it("after a wait, while the provider answers 20 others", async () => {
    const begun = await begin(gateway, connected.id);
    const asked = provider.asked["/token"] ?? 0;
    const release = provider.hold();
    const callback = () =>
      finish(gateway, connected.id, begun, provider, {}, { script: { error: "invalid_grant" } });
    const answers = Array.from({ length: 25 }, callback);
    await expect.poll(() => provider.asked["/token"]).toBe(asked + 20);
    release();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(25).fill(303));
    expect(provider.asked["/token"]).toBe(asked + 25);
  });

  it("with state, if it comes twice or another connection started it", async () => {
    const begun = await begin(gateway, connected.id);
    const ada = newPerson();
    expect(tokenIn(await finish(gateway, connected.id, begun, provider, ada))).toBeDefined();
    expect(tokenIn(await finish(second, connected.id, begun, provider, ada))).toBeUndefined();
    const other = await connect(gateway, provider);
    expect(tokenIn(await finish(gateway, other.id, begun, provider, ada))).toBeUndefined();
    for (const { owner } of [connected, other])
      expect((await listEntries(owner.organization.id))[0]).toEqual(["sso.refused", "state"]);
  });

  it("in a test, with what was asked and answered", async () => {
    const owner = await signUp(gateway);
    const answers: Record<string, [status: number, type: string, body: string]> = {
      "/html": [200, "text/html", "<p>Sign in</p>"],
      "/partial": [200, "application/json", "{}"],
      "/other": [
        200,
        "application/json",
        JSON.stringify({
          issuer: "https://login.example.com",
          authorization_endpoint: "https://login.example.com/a",
          token_endpoint: "https://login.example.com/t",
          jwks_uri: "https://login.example.com/k",
        }),
      ],
    };
    const server = createServer(({ url = "" }, response) => {
      const [status, type, body] = answers[url.replace("/.well-known/openid-configuration", "")] ?? [
        404,
        "",
        "",
      ];
      response.writeHead(status, { "Content-Type": type }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const saved = (issuer: string) => send(owner, "PUT", "/v1/sso", settingsOf({ issuer }));
    const tested = async (path: string) => {
      expect((await saved(base + path)).status).toBe(200);
      const { status, body } = await send(owner, "POST", "/v1/sso/test");
      expect(status).toBe(422);
      return body.error?.message;
    };
    const asked = (path: string) => `(asked ${base}${path}/.well-known/openid-configuration for JSON).`;
    expect(await tested("/none")).toBe(`issuer cannot be used: the provider answered 404 ${asked("/none")}`);
    expect(await tested("/html")).toBe(
      `issuer cannot be used: the provider answered text/html ${asked("/html")}`,
    );
    expect(await tested("/partial")).toBe(
      `issuer cannot be used: the provider's issuer, authorization_endpoint, token_endpoint, jwks_uri cannot be used ${asked("/partial")}`,
    );
    expect(await tested("/other")).toBe(
      `issuer cannot be used: ${base}/other/.well-known/openid-configuration has the issuer https://login.example.com, expected ${base}/other.`,
    );
    const pasted = await saved(`${base}/.well-known/openid-configuration`);
    expect(pasted.status).toBe(422);
    expect(pasted.body.error?.message).toBe(
      `issuer must be the issuer, without /.well-known/openid-configuration (got ${base}/.well-known/openid-configuration).`,
    );
  });

  it("with provider_unreachable, while sessions continue", async () => {
    const remote = await startProvider();
    const own = await connect(gateway, remote);
    const ada = { email: `ada@${own.domain}` };
    const begun = await begin(gateway, own.id);
    const browser = browserOf(gateway, await signInBy(gateway, own, remote, ada));
    remote.setDown(true);
    expect(tokenIn(await finish(gateway, own.id, begun, remote, ada))).toBeUndefined();
    expect((await listEntries(own.owner.organization.id))[0]).toEqual([
      "sso.refused",
      "provider_unreachable",
    ]);
    expect((await me(browser)).user.email).toBe(ada.email);
    await remote.stop();
  });

  it("with issuer, if the provider announces the parameter but omits it", async () => {
    const remote = await startProvider();
    remote.announce({ authorization_response_iss_parameter_supported: true });
    const domain = `${randomUUID()}.example`;
    const owner = await signUp(gateway);
    await send(owner, "PUT", "/v1/sso", settingsOf(remote));
    const { body } = await send(owner, "POST", "/v1/sso/test");
    const begun = await begin(gateway, String(body.data["url"]));
    const { id } = (await send(owner, "GET", "/v1/sso")).body.data;
    const page = await finish(gateway, String(id), begun, remote, { email: `ada@${domain}` });
    expect(page.body).toContain("<code>issuer</code>");
    await remote.stop();
  });
});

describe("a provider's keys", () => {
  it("are fetched again for an unknown key, so that a rotation fails no sign-in", async () => {
    const remote = await startProvider();
    const own = await connect(gateway, remote);
    gateway.setNow(new Date(NOW.getTime() + 31_000));
    // Anyone can trigger a fetch with a logout token.
    const head = Buffer.from(JSON.stringify({ alg: "RS256", kid: "unknown" })).toString("base64url");
    const body = new URLSearchParams({ logout_token: `${head}.e30.AA` });
    const asked = remote.asked["/keys"] ?? 0;
    const logout = await gateway.call(`/v1/auth/sso/${own.id}/logout`, { method: "POST", body });
    expect([logout.status, remote.asked["/keys"]]).toEqual([400, asked + 1]);
    await remote.rotate();
    const answer = await signInBy(gateway, own, remote, { email: `ada@${own.domain}` });
    gateway.setNow(NOW);
    expect(tokenIn(answer)).toBeDefined();
    expect(remote.asked["/token"]).toBe(2);
    await remote.stop();
  });
});

describe("a provider whose organization requires the gateway's own second factor", () => {
  /** Sends a request as the page of a challenge does. */
  const post = (path: string, body: object) =>
    callWith(gateway, { "Sec-Fetch-Site": "same-origin" }).call<Envelope & { data: Record<string, unknown> }>(
      `/v1/auth/login${path}`,
      { json: { transport: "cookie", ...body } },
    );
  const codeOf = (secret: string) => generateSync({ secret, epoch: NOW_SECONDS });
  const challengeIn = (answer: Answer) => {
    expect([answer.status, tokenIn(answer)]).toEqual([303, undefined]);
    const [page, challenge = ""] = (answer.headers.get("location") ?? "").split("#challenge=");
    learnKeys(challenge);
    return { page, challenge };
  };
  let own: Connected;
  beforeAll(async () => {
    own = await connect(gateway, provider, { second_factor: "gateway" });
  });

  it("asks users who have a factor for it before the session starts", async () => {
    const ada = { sub: randomUUID(), email: `${randomUUID()}@${own.domain}` };
    const first = browserOf(gateway, await signInBy(gateway, own, provider, ada));
    const { user } = await me(first);
    const { sessions } = await gateway.database.prisma.user.findUniqueOrThrow({
      where: { id: user.id },
      include: { sessions: true },
    });
    expect(sessions.map(({ factorAt }) => factorAt)).toEqual([null]);

    const secret = await addApp(gateway, { user: { ...user, name: "Ada" } });
    const begun = await begin(gateway, own.id, "?return=/console/records%23top");
    const { page, challenge } = challengeIn(await finish(gateway, own.id, begun, provider, ada));
    expect(page).toBe("/console/records");
    const options = await post("/factor/options", { challenge, transport: undefined });
    expect(options.status).toBe(200);
    expect(options.body.data).toEqual({
      challenge: { token: challenge, expires_in: 300, methods: ["totp"], passkey: null },
    });
    expect((await post("/factor", { challenge, code: "000000" })).status).toBe(401);
    const given = await post("/factor", { challenge, code: codeOf(secret), transport: "bearer" });
    expect(given.status).toBe(200);
    const session = await gateway.database.prisma.session.findFirstOrThrow({
      where: { userId: user.id, factorAt: { not: null } },
    });
    expect([session.kind, session.identityId !== null, session.provedAt]).toEqual(["browser", true, NOW]);
    expect((await me(browserOf(gateway, given))).user.id).toBe(user.id);
    expect((await post("/factor", { challenge, code: codeOf(secret) })).status).toBe(401);
    const unknown = { challenge: "unknown", transport: undefined };
    expect((await post("/factor/options", unknown)).status).toBe(401);
  });

  it("links an account once the factor is given, unless the settings have changed", async () => {
    const email = `${randomUUID()}@${own.domain}`;
    const person = await signUp(gateway, { email });
    const secret = await addApp(gateway, person);
    const ada = { sub: randomUUID(), email };
    const enter = async () => challengeIn(await signInBy(gateway, own, provider, ada)).challenge;
    const identities = () => gateway.database.prisma.identity.count({ where: { userId: person.user.id } });
    const before = await enter();
    const saved = await send(own.owner, "PUT", "/v1/sso", {
      ...settingsOf(provider, { second_factor: "gateway", default_role: "editor" }),
      client_secret: undefined,
    });
    expect([saved.status, saved.body.data["status"]]).toEqual([200, "enabled"]);
    const refused = await post("/factor", { challenge: before, code: codeOf(secret) });
    expect(refused.status).toBe(401);
    expect(JSON.stringify(refused.body)).toContain("sign-in settings have changed");
    expect(await identities()).toBe(0);
    const given = await post("/factor", { challenge: await enter(), code: codeOf(secret) });
    expect([given.status, (await me(browserOf(gateway, given))).role]).toEqual([200, "editor"]);
    expect(await identities()).toBe(1);
  });

  it("refuses users whose domain was removed in the meantime", async () => {
    const other = await connect(gateway, provider, { second_factor: "gateway" });
    const email = `${randomUUID()}@${other.domain}`;
    const secret = await addApp(gateway, await signUp(gateway, { email }));
    const answer = await signInBy(gateway, other, provider, { sub: randomUUID(), email });
    const { challenge } = challengeIn(answer);
    expect((await send(other.owner, "DELETE", `/v1/domains/${other.domain}`)).status).toBe(200);
    expect((await post("/factor", { challenge, code: codeOf(secret) })).status).toBe(401);
  });
});

describe("a session started by a provider", () => {
  it("is limited to that organization until the user enters the gateway's own password", async () => {
    const ada = newPerson();
    const password = "correct horse battery";
    const person = await signUp(gateway, { email: ada.email, password });
    const browser = browserOf(gateway, await signInBy(gateway, connected, provider, ada));
    const toOther = () =>
      browser.call<Envelope>("/v1/auth/organization", { json: { slug: person.organization.slug } });
    const refused = await toOther();
    expect([refused.status, refused.body.error?.code]).toEqual([403, "REAUTHENTICATION_REQUIRED"]);
    const totp = await browser.call<Envelope>("/v1/auth/totp", { json: {} });
    expect([totp.status, totp.body.error?.code]).toEqual([403, "REAUTHENTICATION_REQUIRED"]);
    const renewed = await browser.call<Envelope>("/v1/auth/reauthenticate", { json: { password } });
    expect(renewed.status).toBe(200);
    const again = browserOf(gateway, renewed);
    const switched = await again.call<Envelope>("/v1/auth/organization", {
      json: { slug: person.organization.slug },
    });
    expect(switched.status).toBe(200);
  });

  it("lists the user's identities, and where the provider asks again", async () => {
    const ada = newPerson();
    const person = await signUp(gateway, { email: ada.email });
    const browser = browserOf(gateway, await signInBy(gateway, connected, provider, ada));
    const query = "{ viewer { identities { organizationName createdAt lastUsedAt reauthenticationUrl } } }";
    const { name: organizationName } = connected.owner.organization;
    const at = NOW.toISOString();
    const identity = { organizationName, createdAt: at, lastUsedAt: at };
    const reauthenticationUrl = `${gateway.url}/v1/auth/sso/${connected.id}/start?fresh=1`;
    const identitiesFor = async (caller: Pick<typeof browser, "graphql">) =>
      (await caller.graphql(query)).body.data.viewer.identities;
    expect(await identitiesFor(browser)).toEqual([{ ...identity, reauthenticationUrl }]);
    expect(await identitiesFor(person)).toEqual([{ ...identity, reauthenticationUrl: null }]);
  });

  it("cannot accept or verify for another organization before that", async () => {
    const ada = newPerson();
    const password = "correct horse battery";
    const person = await signUp(gateway, { email: ada.email, password });
    const { ada: admin } = await prepareVerification(gateway);
    const [open, assigned] = [
      await draft(admin, person),
      await draft(admin, person, { period: { from: "2024-01-01", to: "2024-12-31" } }),
    ];
    await submitTo(admin, person, assigned.path);
    const token = tokenOf(await completeStep(admin, open.path, "submit"));
    const invited = await send(admin, "POST", "/v1/invitations", { email: ada.email, role: "viewer" });
    learnKeys(String(invited.body.data["link"]));
    const invitation = String(invited.body.data["link"]).split("#invitation=")[1];
    const calls: [path: string, json?: object][] = [
      ["/v1/verification/assignments"],
      [assigned.path],
      [`${assigned.path}/start`, {}],
      ["/v1/verification/assignments/accept", { token }],
      ["/v1/invitations/accept", { invitation }],
    ];
    const statuses = async (browser: ReturnType<typeof browserOf>) => {
      const answers = [];
      for (const [path, json] of calls) {
        const headers = { "If-Match": "*", "Content-Type": "application/json" };
        const { status, body } = await browser.call(path, json ? { json, headers } : {});
        answers.push([status, body.error?.code]);
      }
      return answers;
    };
    const browser = browserOf(gateway, await signInBy(gateway, connected, provider, ada));
    expect(await statuses(browser)).toEqual(calls.map(() => [403, "REAUTHENTICATION_REQUIRED"]));
    const renewed = await browser.call("/v1/auth/reauthenticate", { json: { password } });
    expect(await statuses(browserOf(gateway, renewed))).toEqual(calls.map(() => [200, undefined]));
  });

  it("sends notifications nowhere else before that", async () => {
    const ada = newPerson();
    await signUp(gateway, { email: ada.email, password: "correct horse battery" });
    const authTime = { auth_time: NOW_SECONDS };
    const browser = browserOf(gateway, await signInBy(gateway, connected, provider, { ...ada, ...authTime }));
    const { status, body } = await browser.call("/v1/users/me/notification-preferences", {
      method: "PATCH",
      headers: { "Content-Type": "application/merge-patch+json" },
      body: JSON.stringify({ channels: { email: { address: "elsewhere@example.org" } } }),
    });
    expect([status, body.error?.code]).toEqual([403, "REAUTHENTICATION_REQUIRED"]);
  });

  it.each([
    [
      "the address",
      (issuer: string) => `${issuer}/end`,
      (issuer: string) => `${issuer}/end?client_id=gateway`,
    ],
    ["no script", () => "javascript:alert(1)", () => null],
  ])("ends with %s of the provider's own logout", async (_, announced, offered) => {
    const remote = await startProvider();
    remote.announce({ end_session_endpoint: announced(remote.issuer) });
    const own = await connect(gateway, remote);
    const enter = async () =>
      browserOf(gateway, await signInBy(gateway, own, remote, { email: `ada@${own.domain}` }));
    const end = async ({ call }: ReturnType<typeof browserOf>) =>
      (await call("/v1/auth/logout", { json: {} })).body.data;
    const [first, last] = [await enter(), await enter()];
    expect(await end(first)).toEqual({ ended_sessions: 1, provider_logout_url: offered(remote.issuer) });
    expect(await end(first)).toEqual({ ended_sessions: 0, provider_logout_url: null });
    remote.setDown(true);
    gateway.setNow(new Date(NOW.getTime() + 11 * 60_000));
    expect(await end(last)).toEqual({ ended_sessions: 1, provider_logout_url: null });
    gateway.setNow(NOW);
    await remote.stop();
  });

  it("cannot use the platform's endpoints", async () => {
    const ada = newPerson();
    const { user } = await signUp(gateway, { email: ada.email });
    await gateway.database.prisma.user.update({ where: { id: user.id }, data: { isSuperAdmin: true } });
    const browser = browserOf(gateway, await signInBy(gateway, connected, provider, ada));
    const answer = await browser.call<{ data: { scopes: string[] } }>("/v1/auth/me");
    expect(answer.body.data.scopes).not.toContain("admin:platform");
  });

  it("ends on every process when the provider says so, once per token", async () => {
    const [ada, bob] = [newPerson(), newPerson()];
    const browsers = await Promise.all(
      [
        { ...ada, sid: "one" },
        { ...ada, sid: "two" },
        { ...bob, sid: "three" },
      ].map(async (claims) => browserOf(second, await signInBy(gateway, connected, provider, claims))),
    );
    const statuses = () =>
      Promise.all(browsers.map(async (browser) => (await browser.call("/v1/auth/me")).status));
    const logout = async (claims: object) => {
      const right = {
        iss: provider.issuer,
        aud: "gateway",
        iat: NOW_SECONDS,
        jti: randomUUID(),
        events: { "http://schemas.openid.net/event/backchannel-logout": {} },
      };
      const token = await provider.sign({ ...right, ...claims });
      const { status } = await gateway.call(`/v1/auth/sso/${connected.id}/logout`, {
        method: "POST",
        body: new URLSearchParams({ logout_token: token }),
      });
      return status;
    };
    expect(await statuses()).toEqual([200, 200, 200]);
    expect(await logout({ sub: ada.sub, nonce: "n" })).toBe(400);
    expect(await logout({ sub: ada.sub, aud: "another" })).toBe(400);
    expect(await logout({ sub: ada.sub, events: {} })).toBe(400);
    for (const iat of [NOW_SECONDS + 61, NOW_SECONDS - 661])
      expect(await logout({ sub: ada.sub, iat })).toBe(400);
    expect(await logout({ sub: "a\0" })).toBe(400);
    const jti = randomUUID();
    expect([await logout({ sid: "one", jti }), await logout({ sub: ada.sub, jti })]).toEqual([200, 400]);
    expect(await statuses()).toEqual([401, 200, 200]);
    expect(await logout({ sub: ada.sub, iat: NOW_SECONDS + 59 })).toBe(200);
    expect(await statuses()).toEqual([401, 401, 200]);
    expect(await logout({ sub: bob.sub, iat: NOW_SECONDS - 659 })).toBe(200);
    expect(await statuses()).toEqual([401, 401, 401]);
  });
});

describe("POST /v1/auth/start", () => {
  it("answers from memory until any process disables the provider", async () => {
    const { owner, domain, id } = await connect(gateway, provider);
    const start = async (client: Gateway) =>
      (
        await callWith(client, {}).call<{ data: object }>("/v1/auth/start", {
          json: { email: `ada@${domain}` },
        })
      ).body.data;
    const own = ["password"];
    const sso = { url: `${gateway.url}/v1/auth/sso/${id}/start` };
    expect(await start(gateway)).toEqual({ methods: ["sso", ...own], sso });
    const { answer, statements } = await recordStatements(() => start(gateway));
    expect([answer, statements]).toEqual([{ methods: ["sso", ...own], sso }, []]);
    await start(second);
    await send(owner, "POST", "/v1/sso/disable");
    for (const each of [gateway, second])
      await expect.poll(() => start(each)).toEqual({ methods: own, sso: null });
  });
});

describe("POST /v1/sso/enforce", () => {
  it("leaves only the provider to members of the domain, except for the break-glass owner", async () => {
    const own = await connect(gateway, provider);
    const { slug, id: organizationId } = own.owner.organization;
    const password = "correct horse battery";
    const emailOf = (name: string) => `${name}@${own.domain}`;
    const glass = await addMember(gateway, slug, "owner", { email: emailOf("glass"), password });
    const member = await addMember(gateway, slug, "viewer", { email: emailOf("ada"), password });
    const guest = await signUp(gateway, { email: emailOf("guest"), password });
    const enforce = () => send(own.owner, "POST", "/v1/sso/enforce", { break_glass: [glass.user.id] });
    expect((await enforce()).status).toBe(409);
    await gateway.database.prisma.user.update({
      where: { id: glass.user.id },
      data: { factorSince: NOW },
    });
    const enforced = await enforce();
    expect([enforced.status, enforced.body.data["enforced"]]).toEqual([200, true]);
    const statusOf = async (email: string) =>
      (
        await gateway.call("/v1/auth/login", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ email, password }),
        })
      ).status;
    expect(await statusOf(member.user.email)).toBe(401);
    expect(await statusOf(guest.user.email)).toBe(200);
    expect(await statusOf(glass.user.email)).toBe(200);
    expect((await listEntries(organizationId))[0]?.[0]).toBe("break_glass.used");
    const stranger = await signUp(gateway);
    const answers = ["ada", "guest", "nobody"].map(async (name) => {
      const invited = await send(stranger, "POST", "/v1/invitations", {
        email: emailOf(name),
        role: "viewer",
      });
      const link = String(invited.body.data["link"]);
      learnKeys(link);
      const { status, body } = await gateway.call<Envelope>("/v1/auth/register", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ invitation: link.split("#invitation=")[1], password: "a password of nobody" }),
      });
      return [status, body.error?.code];
    });
    expect(await Promise.all(answers)).toEqual(Array(3).fill([403, "FORBIDDEN"]));
    expect((await member.call("/v1/auth/me")).status).toBe(401);
    expect((await guest.call("/v1/auth/me")).status).toBe(200);
    const { email } = member.user;
    const browser = browserOf(gateway, await signInBy(gateway, own, provider, { email }));
    expect((await browser.call("/v1/auth/reauthenticate", { json: { password } })).status).toBe(200);
    const start = await gateway.call<{ data: object }>("/v1/auth/start", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: emailOf("anybody") }),
    });
    expect(start.body.data).toEqual({
      methods: ["sso"],
      sso: { url: `${gateway.url}/v1/auth/sso/${own.id}/start` },
    });
    expect((await send(own.owner, "DELETE", "/v1/sso/enforce")).status).toBe(200);
    expect(await statusOf(member.user.email)).toBe(200);
  });

  it("keeps its break-glass owner, and admits no new members with another session", async () => {
    const own = await connect(gateway, provider);
    const { slug, id: organizationId } = own.owner.organization;
    const glass = await addMember(gateway, slug, "owner", {
      email: `glass@${own.domain}`,
      password: "correct horse battery",
    });
    const guest = await signUp(gateway, { email: `guest@${own.domain}` });
    const data = { factorSince: NOW };
    await gateway.database.prisma.user.update({ where: { id: glass.user.id }, data });
    const enforced = await send(own.owner, "POST", "/v1/sso/enforce", { break_glass: [glass.user.id] });
    expect(enforced.status).toBe(200);
    const member = `/v1/members/${glass.user.id}`;
    expect((await send(own.owner, "PATCH", member, { role: "admin" })).status).toBe(409);
    expect((await send(own.owner, "DELETE", member)).status).toBe(409);

    const key = { organizationId, userId: guest.user.id };
    await gateway.database.prisma.membership.create({ data: { ...key, role: "viewer" } });
    const enter = (person: Pick<TestPerson, "call">) =>
      person.call("/v1/auth/organization", { json: { slug } });
    expect((await enter(guest)).status).toBe(403);
    const claims = { sub: "guest", email: guest.user.email };
    const browser = browserOf(gateway, await signInBy(gateway, own, provider, claims));
    expect((await enter(browser)).status).toBe(200);
  });
});
