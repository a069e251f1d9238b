import { randomUUID } from "node:crypto";
import type { JWTPayload } from "jose";
import { expect } from "vitest";
import { SESSION_COOKIE } from "../../src/access/credentials.js";
import type { Pepper } from "../../src/access/secrets/api-key.js";
import { callWith, signUp, type TestPerson } from "../support/people.js";
import type { Script, ScriptedProvider, Signing } from "../support/provider.js";
import { learnKeys } from "../support/secrets.js";
import { type Answer, type Client, type Envelope, type Gateway, NOW } from "../support/server.js";

export const CLIENT_ID = "gateway";
const seconds = (date: Date) => Math.floor(date.getTime() / 1_000);

/** An organization with an enabled provider and a proven domain. */
export interface Connected {
  readonly owner: TestPerson;
  readonly domain: string;
  readonly id: string;
}

/** Returns the settings for a provider. */
export const settingsOf = (provider: Pick<ScriptedProvider, "issuer">, more: object = {}) => ({
  issuer: provider.issuer,
  client_id: CLIENT_ID,
  client_secret: "a secret of the client",
  default_role: "viewer",
  ...more,
});

export const send = (person: TestPerson, method: string, path: string, body?: object) =>
  person.call<Envelope & { data: Record<string, unknown> }>(path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });

/** Saves, tests and enables the provider of a new organization. */
export async function connect(
  gateway: Gateway,
  provider: ScriptedProvider,
  more: object = {},
  pepper?: Pepper,
): Promise<Connected> {
  const domain = `${randomUUID()}.example`;
  const owner = await signUp(gateway, { email: `owner@${randomUUID()}.example`, pepper });
  await gateway.database.prisma.domain.create({
    data: {
      organizationId: owner.organization.id,
      domain,
      token: "7Qm2".repeat(8),
      provenAt: NOW,
      checkedAt: NOW,
      createdAt: NOW,
    },
  });
  const saved = await send(owner, "PUT", "/v1/sso", settingsOf(provider, more));
  expect([saved.status, saved.body.error]).toEqual([200, null]);
  const id = String(saved.body.data["id"]);
  const test = await send(owner, "POST", "/v1/sso/test");
  const begun = await begin(gateway, String(test.body.data["url"]));
  const page = await finish(gateway, id, begun, provider, { email: `ada@${domain}` });
  expect([page.status, page.body]).toEqual([200, expect.stringContaining("The test succeeded")]);
  const enabled = await send(owner, "POST", "/v1/sso/enable");
  expect([enabled.status, enabled.body.data["status"]]).toEqual([200, "enabled"]);
  return { owner, domain, id };
}

/** A pending sign-in, as the provider and the browser know it. */
export interface Begun {
  readonly query: URLSearchParams;
  readonly cookie: string;
}

/** Begins a sign-in at a URL, or at the start URL of a connection. */
export async function begin(gateway: Client, urlOrId: string, query = ""): Promise<Begun> {
  const path = urlOrId.startsWith("http")
    ? urlOrId.replace(/^https?:\/\/[^/]+/, "")
    : `/v1/auth/sso/${urlOrId}/start${query}`;
  const { status, headers } = await gateway.call(path, { redirect: "manual" });
  expect(status).toBe(303);
  const [cookie = ""] = headers.getSetCookie();
  return { query: new URL(headers.get("location") ?? "").searchParams, cookie: cookie.split(";")[0] ?? "" };
}

export interface Finish {
  readonly signing?: Signing | undefined;
  /** Changes to the callback's query; null removes a parameter. */
  readonly query?: Readonly<Record<string, string | null>> | undefined;
  readonly cookie?: string | undefined;
  readonly script?: Script | undefined;
}

/** Completes a sign-in with these claims of the provider, next to the standard ones. */
export function finish(
  gateway: Client,
  id: string,
  begun: Begun,
  provider: ScriptedProvider,
  claims: JWTPayload,
  { signing, query = {}, cookie = begun.cookie, script }: Finish = {},
): Promise<Answer<string>> {
  const right = {
    iss: provider.issuer,
    aud: CLIENT_ID,
    sub: "ada",
    nonce: begun.query.get("nonce") ?? "",
    email_verified: true,
    iat: seconds(NOW),
    exp: seconds(NOW) + 300,
  };
  const all = Object.fromEntries(
    Object.entries({ ...right, ...claims }).filter(([, value]) => value !== null),
  ) as JWTPayload;
  const code = provider.codeFor(script ?? { claims: all, ...(signing && { signing }) });
  const parameters = Object.entries({ code, state: begun.query.get("state"), ...query }).flatMap(
    ([name, value]) => (value == null ? [] : [[name, value] as [string, string]]),
  );
  return gateway.call<string>(`/v1/auth/sso/${id}/callback?${new URLSearchParams(parameters)}`, {
    redirect: "manual",
    headers: { Cookie: cookie },
  });
}

/** Returns the session's token in an answer; undefined if it has none. */
export function tokenIn({ headers }: Answer): string | undefined {
  const cookie = headers.getSetCookie().find((one) => one.startsWith(`${SESSION_COOKIE}=`));
  const token = cookie?.slice(SESSION_COOKIE.length + 1).split(";")[0];
  if (token) learnKeys(token);
  return token;
}

/** Returns functions that send requests with the session cookie of an answer. */
export const browserOf = (gateway: Gateway, answer: Answer) =>
  callWith(gateway, {
    Cookie: `${SESSION_COOKIE}=${tokenIn(answer)}`,
    "Sec-Fetch-Site": "same-origin",
  });

/** Begins and completes a sign-in. */
export async function signInBy(
  gateway: Client,
  { id }: Pick<Connected, "id">,
  provider: ScriptedProvider,
  claims: JWTPayload,
  more?: Finish,
) {
  return finish(gateway, id, await begin(gateway, id), provider, claims, more);
}
