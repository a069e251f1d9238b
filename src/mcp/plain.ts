import type { IncomingHttpHeaders } from "node:http";
import {
  type CallToolRequest,
  classifyInboundRequest,
  type Implementation,
  isJsonContentType,
  isSpecType,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { SerializedMessage } from "./accept.js";
import type { McpCall } from "./surface.js";
import type { McpTools, ToolAnswer } from "./tools.js";

/** The current protocol revision, whose messages are self-contained. Earlier revisions negotiate with `initialize`. */
const CURRENT_REVISION = "2026-07-28";

/** Cache hint for a list that depends only on the caller's scopes. */
export const PRIVATE = { ttlMs: 60_000, cacheScope: "private" } as const;

/** A tool call, or a request for the tool list, that needs nothing from the SDK. */
interface PlainMessage {
  readonly id: RequestId;
  /** Null for a request for the list. */
  readonly call: { readonly name: string; readonly given: unknown } | null;
  readonly isCurrent: boolean;
}

export interface PlainOptions {
  readonly serverInfo: Implementation;
  readonly callTool: McpTools["call"];
  /** Undefined if another part lists the tools. */
  readonly listTools?: McpTools["list"];
}

/**
 * Creates the function that answers messages without the SDK, which creates a server for each message and so takes
 * several times as long as a cached answer. Returns undefined for a message that the SDK must answer or refuse.
 */
export const createPlain =
  ({ serverInfo, callTool, listTools }: PlainOptions) =>
  (headers: IncomingHttpHeaders, body: object, caller: McpCall): Promise<SerializedMessage> | undefined => {
    const message = readPlain(headers, body);
    if (!message) return undefined;
    const { call } = message;
    if (call) {
      return callTool(caller, call.name, call.given)?.then((answer) =>
        writeResult(message, writeAnswer(answer), answer.meta, serverInfo),
      );
    }
    const hints = message.isCurrent ? `,${JSON.stringify(PRIVATE).slice(1, -1)}` : "";
    return listTools?.(caller.principal).then((tools) =>
      writeResult(message, `"tools":${tools}${hints}`, undefined, serverInfo),
    );
  };

function readPlain(headers: IncomingHttpHeaders, body: object): PlainMessage | undefined {
  const isCall = isSpecType.CallToolRequest(body);
  if (!(isCall || isSpecType.ListToolsRequest(body)) || !isJsonContentType(headers["content-type"]))
    return undefined;
  const { _meta, ...params } = body.params ?? {};
  const { name, arguments: given, ...others } = params as Partial<CallToolRequest["params"]>;
  if (Object.keys(isCall ? others : params).length > 0) return undefined;
  const version = readHeader(headers, "mcp-protocol-version");
  const method = readHeader(headers, "mcp-method");
  const route = classifyInboundRequest({
    httpMethod: "POST",
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    body,
  });
  const { id } = body as { readonly id?: RequestId };
  if (id === undefined) return undefined;
  const call = name === undefined ? null : { name, given };
  if (route.kind === "modern") {
    // Only the SDK decodes base64 names.
    const isNamed = !call || (readHeader(headers, "mcp-name") === name && !call.name.startsWith("=?"));
    return version === CURRENT_REVISION && method === body.method && isNamed
      ? { id, call, isCurrent: true }
      : undefined;
  }
  const accept = headers.accept ?? "";
  const isWhole =
    route.kind === "legacy" &&
    (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) &&
    accept.includes("application/json") &&
    accept.includes("text/event-stream");
  return isWhole ? { id, call, isCurrent: false } : undefined;
}

function readHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

/** Writes the result members for a tool's answer. Does not parse the tool's JSON. */
function writeAnswer({ isError, text }: ToolAnswer): string {
  const outcome = isError ? `"isError":true` : `"structuredContent":${text}`;
  return `${outcome},"content":${JSON.stringify([{ type: "text", text }])}`;
}

/**
 * Writes a result as the SDK does: as JSON, or for clients of earlier revisions as the only event of a stream.
 * `members` is JSON without braces.
 */
function writeResult(
  { id, isCurrent }: PlainMessage,
  members: string,
  meta: object | undefined,
  serverInfo: Implementation,
): SerializedMessage {
  const own = isCurrent ? { ...meta, "io.modelcontextprotocol/serverInfo": serverInfo } : meta;
  const type = isCurrent ? `,"resultType":"complete"` : "";
  const end = own ? `,"_meta":${JSON.stringify(own)}` : "";
  const message = `{"result":{${members}${type}${end}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  return isCurrent
    ? { type: "application/json", body: message }
    : { type: "text/event-stream", body: `event: message\ndata: ${message}\n\n` };
}
