import { ClientCredentialsProvider } from "@modelcontextprotocol/client";
import { ClientCredentialsProvider as OldProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { connectMcp, listArguments } from "../support/mcp.js";
import { signUp, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { type Gateway, startSampleGateway } from "../support/server.js";
import { addServiceAccount, type TestServiceAccount } from "../support/service-accounts.js";

let gateway: Gateway;
let key: string;
let owner: TestPerson;
let account: TestServiceAccount;
let given: Awaited<ReturnType<typeof listArguments>>;
let names: readonly string[];
beforeAll(async () => {
  ({ gateway, key } = await startSampleGateway());
  owner = await signUp(gateway, { organization: "demo" });
  account = await addServiceAccount(gateway, owner, { scopes: [...KEY_SCOPES] });
  const mcp = await connectMcp(gateway, { "X-API-Key": key });
  given = await listArguments(mcp);
  names = (await mcp.client.listTools()).tools.map(({ name }) => name);
  await mcp.client.close();
});
afterAll(() => gateway.stop());

/** Gets a bearer token for a resource of the gateway, like any OAuth client. */
async function fetchBearer(resource: string): Promise<string> {
  const how = { algorithm: "oauth2" as const, execute: [openid.allowInsecureRequests] };
  const secret = openid.ClientSecretBasic(account.token);
  const config = await openid.discovery(new URL(gateway.url), account.id, undefined, secret, how);
  const { access_token: bearer } = await openid.clientCredentialsGrant(config, {
    resource: gateway.url + resource,
  });
  learnKeys(bearer);
  return bearer;
}

const bearing = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Connects the client of the older package, which supports revisions up to 2025-11-25. */
async function connectOld(headers: Record<string, string>, authProvider?: OldProvider): Promise<OldClient> {
  const client = new OldClient({ name: "test", version: "1.0" });
  const options = { requestInit: { headers }, ...(authProvider && { authProvider }) };
  const transport = new OldTransport(new URL(`${gateway.url}/mcp`), options);
  // The types of the older package do not support exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return client;
}

/** The common part of both clients. */
interface AnyClient {
  getInstructions(): string | undefined;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Calls every tool. The clients validate the results against the listed schemas. */
async function callAll(client: AnyClient): Promise<void> {
  expect(client.getInstructions()).toContain("get_organization");
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
  for (const name of names) {
    const { isError, content } = await client.callTool({ name, arguments: given[name] ?? {} });
    expect(isError, `${name}: ${JSON.stringify(content)}`).toBeUndefined();
  }
  await client.close();
}

describe("the official clients, current and previous,", () => {
  it.each([
    ["a key", () => ({ "X-API-Key": key })],
    ["a service account's token", () => bearing(account.token)],
    ["a bearer token that openid-client gets for /mcp", async () => bearing(await fetchBearer("/mcp"))],
    ["a user's session token", () => bearing(owner.session.token)],
  ])("list and call every tool with %s", async (_what, write) => {
    const headers = await write();
    await callAll((await connectMcp(gateway, headers)).client);
    await callAll(await connectOld(headers));
  });

  it("get a bearer token on their own after the first refusal", async () => {
    const credentials = { clientId: account.id, clientSecret: account.token, expectedIssuer: gateway.url };
    const current = new ClientCredentialsProvider(credentials);
    await callAll((await connectMcp(gateway, {}, current)).client);
    const old = new OldProvider(credentials);
    await callAll(await connectOld({}, old));
    for (const tokens of [current.tokens(), old.tokens()]) {
      expect(tokens?.access_token).toMatch(/^cgw_acc_/);
      learnKeys(tokens?.access_token ?? "");
    }
  });

  it("are refused with a bearer token for another resource", async () => {
    const headers = bearing(await fetchBearer("/"));
    const { status } = await gateway.call("/mcp", { method: "POST", headers });
    expect(status).toBe(401);
    await expect(connectMcp(gateway, headers)).rejects.toThrow("HTTP 401");
    await expect(connectOld(headers)).rejects.toThrow("The bearer token is for another resource");
  });
});
