import type { CompleteRequest } from "@modelcontextprotocol/server";
import { isAllowed, type Tool } from "../catalogue/tools/tool.js";
import { FRAMEWORKS } from "../domain/enums.js";
import type { CallTool } from "./call.js";
import { maskFailures } from "./failure.js";
import type { createPublications } from "./resources.js";
import type { McpCall, Serve } from "./surface.js";

/** The protocol's maximum number of values in a completion. */
const MAX_VALUES = 100;

export interface CompletionOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly callTool: CallTool;
  readonly listPublications: ReturnType<typeof createPublications>;
}

/** Values of a completion. */
interface Found {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

const NONE: Found = { values: [], hasMore: false };

/** Creates the part that completes framework codes, publication ids and the caller's facility codes. */
export function serveCompletion({ tools, callTool, listPublications }: CompletionOptions): Serve {
  const findCodes = async (
    { incomingCall, principal, admission }: McpCall,
    search: string,
  ): Promise<Found> => {
    const tool = tools.get("list_facilities");
    if (!tool || !admission || !isAllowed(tool, principal.scopes)) return NONE;
    const given = { limit: 50, ...(search !== "" && { search }) };
    const { json } = await callTool(tool, given, incomingCall, admission);
    const { items, next_cursor } = JSON.parse(json) as {
      readonly items: readonly { readonly code: string }[];
      readonly next_cursor: string | null;
    };
    return { values: items.map(({ code }) => code), hasMore: next_cursor !== null };
  };
  return (server, call) => {
    const find = async ({ ref, argument: { name, value } }: CompleteRequest["params"]): Promise<Found> => {
      if (ref.type === "ref/resource" && name === "id") {
        return startWith(
          value,
          (await listPublications()).map(({ id }) => id),
        );
      }
      if (ref.type !== "ref/prompt") return NONE;
      if (name === "framework") return startWith(value, FRAMEWORKS);
      return name === "facility" ? findCodes(call, value) : NONE;
    };
    const complete = async ({ params }: CompleteRequest) => {
      const { values, hasMore } = await find(params);
      return { completion: { values: [...values], hasMore } };
    };
    server.setRequestHandler("completion/complete", maskFailures(call, complete));
  };
}

/** Returns the first values that start with `text`, ignoring case. */
function startWith(text: string, values: readonly string[]): Found {
  const all = values.filter((value) => value.toLowerCase().startsWith(text.toLowerCase()));
  return { values: all.slice(0, MAX_VALUES), hasMore: all.length > MAX_VALUES };
}
