import type { IncomingHttpHeaders } from "node:http";
import {
  classifyInboundRequest,
  type Implementation,
  isJsonContentType,
  isSpecType,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { ToolAnswer } from "./tools.js";

/** The revision whose messages describe themselves. Those before it negotiate by `initialize`. */
const PRESENT = "2026-07-28";

/**
 * A call of a tool that the SDK would pass to the tool unchanged. The gateway answers it without the SDK, whose server for
 * each message takes several times as long as a cached answer.
 */
export interface PlainCall {
  readonly id: RequestId;
  readonly name: string;
  readonly given: unknown;
  readonly isPresent: boolean;
}

/** Reads a message as a plain call. Returns undefined for any other message, which is the SDK's to answer or to refuse. */
export function readPlainCall(headers: IncomingHttpHeaders, body: object): PlainCall | undefined {
  if (!isSpecType.CallToolRequest(body) || !isJsonContentType(headers["content-type"])) return undefined;
  const { name, arguments: given, _meta, ...others } = body.params;
  if (Object.keys(others).length > 0) return undefined;
  const version = readHeader(headers, "mcp-protocol-version");
  const method = readHeader(headers, "mcp-method");
  const named = readHeader(headers, "mcp-name");
  const route = classifyInboundRequest({
    httpMethod: "POST",
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    body,
  });
  const { id } = body as { readonly id?: RequestId };
  if (id === undefined) return undefined;
  if (route.kind === "modern") {
    const isWhole = version === PRESENT && method === body.method && named === name;
    // A name in base64 is the SDK's to decode.
    return isWhole && !name.startsWith("=?") ? { id, name, given, isPresent: true } : undefined;
  }
  const accept = headers.accept ?? "";
  const isWhole =
    route.kind === "legacy" &&
    (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) &&
    accept.includes("application/json") &&
    accept.includes("text/event-stream");
  return isWhole ? { id, name, given, isPresent: false } : undefined;
}

function readHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

/**
 * Writes the answer of a plain call as the SDK does: as JSON, or as the only event of a stream to clients of the revisions
 * before the present one. The tool's JSON is not parsed.
 */
export function writeAnswer(
  { id, isPresent }: PlainCall,
  { isError, text, meta }: ToolAnswer,
  serverInfo: Implementation,
): { readonly type: string; readonly body: string } {
  const content = JSON.stringify([{ type: "text", text }]);
  const outcome = isError ? `"isError":true` : `"structuredContent":${text}`;
  const own = isPresent ? { ...meta, "io.modelcontextprotocol/serverInfo": serverInfo } : meta;
  const end = isPresent ? `,"resultType":"complete"` : "";
  const result = `{"content":${content},${outcome},"_meta":${JSON.stringify(own)}${end}}`;
  const message = `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  return isPresent
    ? { type: "application/json", body: message }
    : { type: "text/event-stream", body: `event: message\ndata: ${message}\n\n` };
}
