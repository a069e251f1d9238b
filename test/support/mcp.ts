import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { Gateway } from "./server.js";

/** The result of a tool call, as a client reads it. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of its result
  readonly structuredContent?: any;
  readonly _meta: Readonly<Record<string, unknown>>;
}

export interface McpClient {
  readonly client: Client;
  call(name: string, given?: Record<string, unknown>): Promise<ToolResult>;
}

/** Connects the official client with headers, or with the bearer token that `authProvider` gets. */
export async function connectMcp(
  { url }: Pick<Gateway, "url">,
  headers: Record<string, string>,
  authProvider?: OAuthClientProvider,
): Promise<McpClient> {
  const client = new Client({ name: "test", version: "1.0" }, { versionNegotiation: { mode: "auto" } });
  const options = { requestInit: { headers }, ...(authProvider && { authProvider }) };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), options));
  return {
    client,
    call: async (name, given = {}) =>
      (await client.callTool({ name, arguments: given })) as unknown as ToolResult,
  };
}

/** Returns the arguments of the tools that require some, for an organization with the sample data. */
export async function listArguments({
  call,
}: McpClient): Promise<Readonly<Record<string, Record<string, unknown>>>> {
  const { structuredContent } = await call("search_emission_records", { limit: 1 });
  return {
    calculate_emissions: {
      activities: [
        {
          amount: 1_000,
          unit: "kWh (gross CV)",
          selector: { activity: "Natural gas", region: "UK", year: 2025 },
        },
        { amount: 1, unit: "nothing", selector: { activity: "nothing", region: "UK" } },
      ],
    },
    estimate_cbam: {
      year: 2026,
      quarter: "Q3",
      lines: [{ cn_code: "72031000", country: "IN", mass_t: 100 }],
    },
    get_emission_record: { id: structuredContent.items[0].id },
    get_facility: { code: "IN-PUNE" },
    get_inventory: { year: 2026 },
    get_vsme_report: { year: 2026 },
    forecast_price: { credit_type: "EUA", exchange: "ICE Endex" },
    get_price_history: { credit_type: "eua" },
    search_emission_factors: { search: "uk natural gas 2025" },
  };
}

const REVISION = "2026-07-28";

/** Returns a tool call as an HTTP request of the current revision. */
export const callMessage = (name: string, given: object) => ({
  headers: {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": REVISION,
    "Mcp-Method": "tools/call",
    "Mcp-Name": name,
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name,
      arguments: given,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  }),
});
