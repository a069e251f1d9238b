import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, makeKey, startSampleGateway } from "../support/server.js";

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  ({ gateway, key } = await startSampleGateway());
});
afterAll(() => gateway.stop());

describe("POST /mcp", () => {
  it("x", async () => {
    const transport = new ModernTransport(new URL(`${gateway.url}/mcp`), { requestInit: { headers: { "X-API-Key": key } } });
    const client = new ModernClient({ name: "test", version: "1" });
    await client.connect(transport);
    const { tools } = await client.listTools();
    console.log(tools.length, client.getInstructions?.(), JSON.stringify(tools).length);
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    (formats as any)(ajv);
    for (const tool of tools) { try { ajv.compile(tool.inputSchema as any); ajv.compile(tool.outputSchema as any); } catch (e) { console.log(tool.name, String(e)); } }
    for (const { name } of tools) {
      const r = await client.callTool({ name, arguments: {} }) as any;
      console.log(name, r.isError ? JSON.stringify(r).slice(0, 600) : JSON.stringify(r.structuredContent).slice(0, 300), JSON.stringify(r._meta));
    }
    const old = new Client({ name: "old", version: "1" });
    await old.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit: { headers: { "X-API-Key": key } } }) as any);
    console.log((await old.listTools()).tools.length);
    console.log(JSON.stringify(await old.callTool({ name: "get_emissions_summary", arguments: {from: "2025-01-01"} })));
    console.log(JSON.stringify(await old.callTool({ name: "get_emissions_summary", arguments: {from: "1800-01-01", to: "2026-01-01"} })));
    console.log(JSON.stringify(await old.callTool({ name: "get_emissions_summary", arguments: {facility_codes: ["PUNE"], scopes: ["x"]} })));
    console.log(JSON.stringify(await old.callTool({ name: "get_emissions_summary", arguments: {facility_codes: ["PUNE"]} })));
    console.log(await old.callTool({ name: "nothing", arguments: {} }).catch(String));
    console.log(gateway.log().slice(-3));
  });
});
