import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { LRUCache } from "lru-cache";
import type { Admission } from "../access/admission.js";
import type { Principal } from "../access/principal.js";
import { describeFailure } from "../catalogue/tools/failure.js";
import { isAllowed, type ObjectSchema, type Tool } from "../catalogue/tools/tool.js";
import { once } from "../domain/once.js";
import type { RateLimitState } from "../domain/rate-limit.js";
import { escapeHidden } from "../domain/texts/clean.js";
import { toAppError } from "../http/answer/failure.js";
import type { IncomingCall } from "../http/incoming-call.js";
import { takeTurn } from "../turns.js";
import type { CallTool } from "./call.js";
import type { McpCall, Serve } from "./surface.js";

export interface ToolsOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly callTool: CallTool;
  /** Counts a tool call by its outcome: `ok`, the error code, or UNKNOWN_TOOL. */
  readonly onCalled: (tool: string, outcome: string, seconds: number) => void;
}

/** A tool as listed for clients. */
interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: Readonly<Record<string, boolean | string>>;
}

/** Describes a tool for clients. All tools are read-only, and read only the gateway's own data. */
const describeTool = ({ name, title, description, inputSchema, outputSchema }: Tool): ListedTool => ({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
});

/**
 * Escapes JSON to ASCII. A single non-ASCII character would make V8 store the whole list with two bytes per character,
 * which takes ten times as long to send. Replacing characters keeps the two-byte form, hence the buffer.
 */
function toAscii(json: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return Buffer.from(json.replaceAll(/[\u0080-\uffff]/g, escaped)).toString("latin1");
}

/** Copies a string that V8 keeps as a tree of its parts, and would otherwise flatten for each response. */
const flatten = (text: string): string => Buffer.from(text, "latin1").toString("latin1");

/** Answer to a tool call. */
export interface ToolAnswer {
  readonly isError: boolean;
  /** The answer as JSON in the form of the tool's `outputSchema`; for an error, a message. */
  readonly text: string;
  /** `_meta` of the result. */
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface McpTools {
  /** The part that lists and calls tools. */
  readonly serve: Serve;
  /** Returns the tools available to a caller with these scopes, as a JSON array. */
  readonly list: (caller: Pick<Principal, "scopes">) => Promise<string>;
  /** Calls a tool. Returns undefined if the tool does not exist or the caller may not call it. */
  readonly call: (call: McpCall, name: string, given: unknown) => Promise<ToolAnswer> | undefined;
}

/** Creates the tool list and tool calls. To a caller, a tool they may not call does not exist. */
export function createMcpTools({ tools, callTool, onCalled }: ToolsOptions): McpTools {
  const described = once(async () => {
    const all: [Tool, json: string][] = [];
    for (const tool of tools.values()) {
      // Each is derived on first use, in up to 40 ms.
      for (const part of ["prepared", "inputSchema", "outputSchema"] as const) {
        await takeTurn();
        void tool[part];
      }
      all.push([tool, toAscii(JSON.stringify(describeTool(tool)))]);
    }
    return all;
  });
  /** Lists by their tools. Callers have few combinations of scopes, but nothing else limits their number. */
  const lists = new LRUCache<string, string>({ max: 100 });
  const list: McpTools["list"] = async ({ scopes }) => {
    const allowed = (await described()).filter(([tool]) => isAllowed(tool, scopes));
    const key = allowed.map(([{ name }]) => name).join();
    const found = lists.get(key) ?? flatten(`[${allowed.map(([, json]) => json).join()}]`);
    lists.set(key, found);
    return found;
  };

  async function answer(
    tool: Tool,
    { request }: IncomingCall,
    admission: Admission,
    given: unknown,
  ): Promise<ToolAnswer> {
    const started = performance.now();
    request.record.operation = tool.name;
    const end = (outcome: string) => {
      request.record.outcome = outcome;
      onCalled(tool.name, outcome, (performance.now() - started) / 1_000);
    };
    const meta = (budget: RateLimitState | undefined) => ({
      "carbon-gateway/request_id": request.id,
      ...(request.record.cost !== undefined && { "carbon-gateway/cost": request.record.cost }),
      ...(budget && { "carbon-gateway/budget": describeBudget(budget) }),
    });
    try {
      const { json, budget } = await callTool(tool, given, { request }, admission);
      end("ok");
      return { isError: false, text: json, meta: meta(budget) };
    } catch (thrown) {
      const error = toAppError(thrown, request.log);
      const { text, ...failure } = describeFailure(error);
      end(error.code);
      const budget = await admission.rateLimit.catch(() => undefined);
      return { isError: true, text, meta: { ...meta(budget), "carbon-gateway/error": failure } };
    }
  }

  const call: McpTools["call"] = ({ incomingCall, principal, admission }, name, given) => {
    const tool = tools.get(name);
    if (!tool || !admission || !isAllowed(tool, principal.scopes)) return undefined;
    return answer(tool, incomingCall, admission, given);
  };
  return {
    call,
    list,
    serve(server, caller) {
      server.setRequestHandler("tools/list", async () => ({
        tools: JSON.parse(await list(caller.principal)),
      }));
      server.setRequestHandler("tools/call", async ({ params: { name, arguments: given } }) => {
        const answered = await call(caller, name, given);
        if (answered) return resultOf(answered);
        caller.incomingCall.request.record.outcome = UNKNOWN_TOOL;
        onCalled("other", UNKNOWN_TOOL, 0);
        const unknown = escapeHidden(name.slice(0, 100));
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${unknown}`);
      });
    },
  };
}

/** Outcome of calling a tool that does not exist for the caller. */
const UNKNOWN_TOOL = "UNKNOWN_TOOL";

const resultOf = ({ isError, text, meta }: ToolAnswer): CallToolResult => ({
  ...(isError ? { isError } : { structuredContent: JSON.parse(text) }),
  content: [{ type: "text", text }],
  _meta: meta,
});

const describeBudget = ({ limit, remaining, secondsToReset }: RateLimitState) => ({
  limit,
  remaining,
  resets_in_s: secondsToReset,
});
