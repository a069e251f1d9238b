import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Gateway } from "./server.js";

/** The result of a tool's call, as a client reads it. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: what a tool answers is for its test to say
  readonly structuredContent?: any;
  readonly _meta: Readonly<Record<string, unknown>>;
}

export interface McpClient {
  readonly client: Client;
  call(name: string, given?: Record<string, unknown>): Promise<ToolResult>;
}

/** Connects the official client with these headers. */
export async function connectMcp(
  { url }: Pick<Gateway, "url">,
  headers: Record<string, string>,
): Promise<McpClient> {
  const client = new Client({ name: "test", version: "1.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return {
    client,
    call: async (name, given = {}) =>
      (await client.callTool({ name, arguments: given })) as unknown as ToolResult,
  };
}
