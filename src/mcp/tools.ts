import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Principal } from "../access/principal.js";
import { isAllowed, type ObjectSchema, type Tool } from "../catalogue/tool.js";
import { describeFailure } from "../catalogue/tool-failure.js";
import { once } from "../domain/once.js";
import type { RateLimitState } from "../domain/rate-limit.js";
import { escapeHidden } from "../domain/texts/clean.js";
import { toAppError } from "../http/failure.js";
import { takeTurn } from "../turns.js";
import type { CallTool } from "./call.js";
import type { McpCall, Serve } from "./surface.js";

export interface ToolsOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly callTool: CallTool;
  /** Counts a call, with its outcome: `ok`, or the code of its error. */
  readonly onCalled: (tool: string, outcome: string, seconds: number) => void;
}

/** A tool in the list that clients read. */
interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: Readonly<Record<string, boolean | string>>;
}

/** Describes a tool for clients. Every tool reads, and reads the gateway's own data alone. */
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

/** Creates the part that lists and calls tools. A tool that a caller may not call does not exist for it. */
export function serveTools({ tools, callTool, onCalled }: ToolsOptions): Serve {
  const listed = once(async () => {
    const all: [Tool, ListedTool][] = [];
    for (const tool of tools.values()) {
      // A tool derives its schemas on first use.
      await takeTurn(1);
      all.push([tool, describeTool(tool)]);
    }
    return all;
  });
  const listFor = async ({ scopes }: Principal): Promise<ListedTool[]> =>
    (await listed()).filter(([tool]) => isAllowed(tool, scopes)).map(([, described]) => described);

  async function call({ arrival, principal, admission }: McpCall, name: string, given: unknown) {
    const { request } = arrival;
    const found = tools.get(name);
    const tool = found && isAllowed(found, principal.scopes) ? found : undefined;
    const started = performance.now();
    const end = (outcome: string) => {
      request.record.outcome = outcome;
      onCalled(tool?.name ?? "other", outcome, (performance.now() - started) / 1_000);
    };
    if (!tool || !admission) {
      end("UNKNOWN_TOOL");
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${escapeHidden(name.slice(0, 100))}`,
      );
    }
    request.record.operation = tool.name;
    const meta = (budget: RateLimitState | undefined) => ({
      "carbon-gateway/request_id": request.id,
      ...(request.record.cost !== undefined && { "carbon-gateway/cost": request.record.cost }),
      ...(budget && { "carbon-gateway/budget": describeBudget(budget) }),
    });
    try {
      const { json, budget } = await callTool(tool, given, arrival, admission);
      end("ok");
      return {
        content: [{ type: "text", text: json }],
        structuredContent: JSON.parse(json),
        _meta: meta(budget),
      } satisfies CallToolResult;
    } catch (thrown) {
      const error = toAppError(thrown, request.log);
      const { text, ...failure } = describeFailure(error);
      end(error.code);
      const budget = await admission.rateLimit.catch(() => undefined);
      return {
        isError: true,
        content: [{ type: "text", text }],
        _meta: { ...meta(budget), "carbon-gateway/error": failure },
      } satisfies CallToolResult;
    }
  }

  return (server, caller) => {
    server.setRequestHandler("tools/list", async () => ({
      tools: (await listFor(caller.principal)) as never,
    }));
    server.setRequestHandler("tools/call", ({ params }) => call(caller, params.name, params.arguments));
  };
}

const describeBudget = ({ limit, remaining, secondsToReset }: RateLimitState) => ({
  limit,
  remaining,
  resets_in_s: secondsToReset,
});
