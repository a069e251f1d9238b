import { describe, expect, it } from "vitest";
import { SESSION_COOKIE } from "../../src/access/credentials.js";
import { signUp } from "../support/people.js";
import { makeKey } from "../support/server.js";
import { useGateway } from "../support/use.js";
import {
  BEHIND_PROXY,
  bearer,
  createVisitor,
  expectRefusal,
  newEmail,
  newPassword,
  refusalOf,
} from "./visitor.js";

const PUBLIC_URL = "https://gateway.example";
const REJECTED = [403, "CSRF_REJECTED"];

const gateway = useGateway({ env: { ...BEHIND_PROXY, PUBLIC_URL } });

/** Headers of requests from pages of other sites, or from browsers that hide the origin. */
const foreign: Record<string, string>[] = [
  { "Sec-Fetch-Site": "cross-site", Origin: PUBLIC_URL },
  { "Sec-Fetch-Site": "same-site" },
  { "Sec-Fetch-Site": "none" },
  { Origin: "null" },
  { Origin: "https://evil.example" },
  { Origin: `${PUBLIC_URL}.evil.example` },
  { Origin: "http://127.0.0.1:3000" },
];
const own: Record<string, string>[] = [
  { "Sec-Fetch-Site": "same-origin", Origin: "null" },
  { Origin: PUBLIC_URL },
];

describe("a cookie", () => {
  const withCookie = async () => {
    const { session } = await signUp(gateway, { kind: "browser" });
    return { session, cookie: { Cookie: `theme=dark; ${SESSION_COOKIE}=${session.token}; a=b` } };
  };
  const change = (headers: Record<string, string>) =>
    createVisitor(gateway).post("/organization", { slug: "nobodys" }, headers);

  it("is accepted only from the gateway's own pages", async () => {
    const { cookie } = await withCookie();
    for (const headers of [...foreign, {}]) {
      expect(refusalOf(await change({ ...cookie, ...headers }))).toEqual(REJECTED);
    }
    for (const headers of own) {
      await expectRefusal(change({ ...cookie, ...headers }), 404, "NOT_FOUND");
    }
  });

  it("is ignored next to a bearer token or an API key", async () => {
    const { cookie } = await withCookie();
    const { session, organization } = await signUp(gateway);
    const { key } = await makeKey(gateway.database, organization.slug);
    const elsewhere = { ...cookie, "Sec-Fetch-Site": "cross-site" };
    await expectRefusal(change({ ...elsewhere, ...bearer(session.token) }), 404, "NOT_FOUND");
    await expectRefusal(change({ ...elsewhere, ...bearer("nonsense") }), 401, "UNAUTHENTICATED");
    await expectRefusal(change({ ...elsewhere, "X-API-Key": key }), 401, "UNAUTHENTICATED");
  });

  it("signs out only from the gateway's own pages", async () => {
    const { cookie } = await withCookie();
    const { post } = createVisitor(gateway);
    for (const headers of [...foreign, {}]) {
      expect(refusalOf(await post("/logout", {}, { ...cookie, ...headers }))).toEqual(REJECTED);
    }
    const { body } = await post("/logout", {}, { ...cookie, "Sec-Fetch-Site": "same-origin" });
    expect(body.data).toEqual({ ended_sessions: 1, provider_logout_url: null });
  });
});

describe.each(["/login", "/register", "/link"])("POST /v1/auth%s", (path) => {
  it("is refused to pages of other sites, whatever they send", async () => {
    const { post } = createVisitor(gateway);
    for (const headers of foreign) expect(refusalOf(await post(path, {}, headers))).toEqual(REJECTED);
    const form = { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "cross-site" };
    expect(refusalOf(await post(path, "email=a%40b&password=x", form))).toEqual(REJECTED);
  });

  it("is accepted from programs and from the gateway's own pages", async () => {
    const { post } = createVisitor(gateway);
    for (const headers of [{}, ...own]) {
      const body = { email: newEmail(), password: newPassword(), token: "x" };
      expect([401, 422]).toContain((await post(path, body, headers)).status);
    }
  });
});

describe("POST /v1/auth/refresh", () => {
  it("accepts only the refresh token as a credential", async () => {
    const { session } = await signUp(gateway);
    const { post } = createVisitor(gateway);
    const headers = { "Sec-Fetch-Site": "cross-site", Cookie: `${SESSION_COOKIE}=${session.token}` };
    expect((await post("/refresh", { refresh_token: session.refreshToken }, headers)).status).toBe(200);
  });
});
