import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SERVICE_SCOPES } from "../../src/domain/people/roles.js";
import { signUp, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { NOW } from "../support/server.js";
import { addServiceAccount, type TestServiceAccount, withBearer } from "../support/service-accounts.js";
import { useGateway } from "../support/use.js";

const MINUTE_MS = 60_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);

let ada: TestPerson;
let account: TestServiceAccount;
const gateway = useGateway({ env: { AUTH_FAILURES_PER_MINUTE: "1000" } });
beforeAll(async () => {
  ada = await signUp(gateway);
  account = await addServiceAccount(gateway, ada, { scopes: ["read:emissions", "read:market"] });
});
beforeEach(() => gateway.setNow(NOW));

const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
});

interface TokenAnswer {
  readonly access_token?: string;
  readonly error?: string;
  readonly [name: string]: unknown;
}

/** Requests a bearer token for the account; authenticates by HTTP Basic by default. */
async function ask(
  form: Readonly<Record<string, string>> | string,
  headers: Readonly<Record<string, string>> = basic(account.id, account.token),
) {
  const answer = await gateway.call<TokenAnswer>("/oauth/token", {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
    body: typeof form === "string" ? form : new URLSearchParams(form).toString(),
  });
  if (answer.body.access_token) learnKeys(answer.body.access_token);
  return answer;
}

const GRANT = { grant_type: "client_credentials" };

async function bearerOf(form: Readonly<Record<string, string>> = {}) {
  const { status, body } = await ask({ ...GRANT, ...form });
  expect(status).toBe(200);
  return withBearer(gateway, String(body.access_token));
}

describe("POST /oauth/token", () => {
  it("issues a bearer token for 15 minutes, with narrowed scopes and the account's limit", async () => {
    const { status, headers, body } = await ask({ ...GRANT, scope: "read:market" });
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^cgw_acc_[0-9a-f]{148}$/),
        token_type: "Bearer",
        expires_in: 900,
        scope: "read:market",
      },
    ]);
    expect([headers.get("cache-control"), headers.get("ratelimit-policy")]).toEqual([
      "no-store",
      '"service";q=10000;w=3600',
    ]);
    const { call } = withBearer(gateway, String(body.access_token));
    const me = await call("/v1/auth/me");
    expect(me.body.data).toMatchObject({
      service_account: { id: account.id },
      scopes: ["read:market"],
      token: { expires_at: later(15 * MINUTE_MS).toISOString() },
    });
    const left = (answer: { headers: Headers }) => Number(answer.headers.get("x-ratelimit-remaining"));
    expect(left(await account.call("/v1/auth/me"))).toBe(left(me) - 1);
    expect((await call("/v1/emissions/records")).body.error?.code).toBe("FORBIDDEN");
    expect((await ask(GRANT)).body).toMatchObject({ scope: "read:emissions read:market" });
    gateway.setNow(later(15 * MINUTE_MS));
    const late = await call("/v1/auth/me");
    expect([late.status, late.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer error="invalid_token", resource_metadata="${gateway.url}/.well-known/oauth-protected-resource"`,
    ]);
  });

  it("restricts a bearer token to one resource", async () => {
    const api = await bearerOf({ resource: `${gateway.url}/` });
    expect((await api.call("/v1/auth/me")).status).toBe(200);
    const mcp = await bearerOf({ resource: `${gateway.url}/mcp` });
    expect((await mcp.call("/v1/auth/me")).status).toBe(401);
  });

  it("ends a bearer token with its service token, and rejects altered ones", async () => {
    const other = await addServiceAccount(gateway, ada);
    const { body } = await ask(GRANT, basic(other.id, other.token));
    const bearer = withBearer(gateway, String(body.access_token));
    expect((await bearer.call("/v1/auth/me")).status).toBe(200);
    for (const place of [8, 12, 40, 80, 86, 120]) {
      const digit = bearer.token.charAt(place) === "0" ? "1" : "0";
      const altered = bearer.token.slice(0, place) + digit + bearer.token.slice(place + 1);
      expect([place, (await withBearer(gateway, altered).call("/v1/auth/me")).status]).toEqual([place, 401]);
    }
    await ada.call(`/v1/service-accounts/${other.id}/rotate`, { json: {} });
    expect((await bearer.call("/v1/auth/me")).status).toBe(401);
  });

  it("answers errors in the form of OAuth", async () => {
    const { id, token } = account;
    const inBody = { ...GRANT, client_id: id, client_secret: token };
    const refusal = async (...call: Parameters<typeof ask>) => {
      const { status, headers, body } = await ask(...call);
      expect([headers.get("cache-control"), Object.keys(body)]).toEqual([
        "no-store",
        ["error", "error_description"],
      ]);
      return [status, body.error, headers.get("www-authenticate")];
    };
    const invalidClient = [401, "invalid_client", null];
    const toBasic = [401, "invalid_client", 'Basic realm="carbon-gateway"'];
    expect(await refusal(GRANT, {})).toEqual(invalidClient);
    expect(await refusal({ ...inBody, client_secret: `${token}x` }, {})).toEqual(invalidClient);
    expect(await refusal({ ...inBody, client_id: ada.user.id }, {})).toEqual(invalidClient);
    expect(await refusal(GRANT, basic(id, "x"))).toEqual(toBasic);
    const twin = await addServiceAccount(gateway, ada);
    expect(await refusal(GRANT, basic(id, twin.token))).toEqual(toBasic);
    expect(await refusal(GRANT, basic(id, (await bearerOf()).token))).toEqual(toBasic);
    const invalid = (code: string) => [400, code, null];
    expect(await refusal(inBody)).toEqual(invalid("invalid_request"));
    expect(await refusal({})).toEqual(invalid("invalid_request"));
    expect(await refusal("grant_type=client_credentials&grant_type=x")).toEqual(invalid("invalid_request"));
    expect(await refusal(JSON.stringify(GRANT), { "Content-Type": "application/json" })).toEqual(
      invalid("invalid_request"),
    );
    expect(await refusal({ grant_type: "password" })).toEqual(invalid("unsupported_grant_type"));
    expect(await refusal({ ...GRANT, scope: "write:market" })).toEqual(invalid("invalid_scope"));
    expect(await refusal({ ...GRANT, scope: "read:nothing" })).toEqual(invalid("invalid_scope"));
    expect(await refusal({ ...GRANT, resource: "https://example.org" })).toEqual(invalid("invalid_target"));
    const get = await gateway.call<TokenAnswer>("/oauth/token");
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });
});

describe("OAuth metadata", () => {
  const PARTS = [
    ["in HTTP Basic", openid.ClientSecretBasic, oauth.ClientSecretBasic],
    ["in the body", openid.ClientSecretPost, oauth.ClientSecretPost],
  ] as const;

  it.each(PARTS)(
    "lets openid-client discover the server, get a bearer token %s and call with it",
    async (_where, by) => {
      const config = await openid.discovery(new URL(gateway.url), account.id, undefined, by(account.token), {
        algorithm: "oauth2",
        execute: [openid.allowInsecureRequests],
      });
      expect(config.serverMetadata().scopes_supported).toEqual([...SERVICE_SCOPES.admin]);
      const tokens = await openid.clientCredentialsGrant(config, { scope: "read:market" });
      learnKeys(tokens.access_token);
      const me = new URL(`${gateway.url}/v1/auth/me`);
      const response = await openid.fetchProtectedResource(config, tokens.access_token, me, "GET");
      expect(await response.json()).toMatchObject({ data: { service_account: { id: account.id } } });
    },
  );

  it.each(PARTS)(
    "lets oauth4webapi find the server from the resource, and get a bearer token %s",
    async (_where, _, by) => {
      const options = { [oauth.allowInsecureRequests]: true };
      const resource = new URL(gateway.url);
      const found = await oauth.processResourceDiscoveryResponse(
        resource,
        await oauth.resourceDiscoveryRequest(resource, options),
      );
      expect(found).toMatchObject({ resource: gateway.url, bearer_methods_supported: ["header"] });
      const issuer = new URL(String(found.authorization_servers?.[0]));
      const server = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { ...options, algorithm: "oauth2" }),
      );
      // MCP clients require this endpoint, although it never authorizes anything.
      const authorize = new URL(String(server.authorization_endpoint));
      const refused = await gateway.call(`${authorize.pathname}?response_type=code&client_id=${account.id}`);
      expect([refused.status, refused.headers.get("cache-control"), refused.body]).toEqual([
        400,
        "no-store",
        {
          error: "unsupported_response_type",
          error_description: expect.stringContaining("service accounts"),
        },
      ]);
      const client = { client_id: account.id };
      const parameters = { resource: `${gateway.url}/mcp` };
      const answer = await oauth.processClientCredentialsResponse(
        server,
        client,
        await oauth.clientCredentialsGrantRequest(server, client, by(account.token), parameters, options),
      );
      learnKeys(answer.access_token);
      expect(answer).toMatchObject({ token_type: "bearer", expires_in: 900 });
      const mcp = await gateway.call("/.well-known/oauth-protected-resource/mcp");
      expect(mcp.body).toMatchObject({
        resource: `${gateway.url}/mcp`,
        authorization_servers: [gateway.url],
      });
    },
  );
});
