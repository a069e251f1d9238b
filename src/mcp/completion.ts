import type { CompleteRequest } from "@modelcontextprotocol/server";
import { isAllowed, type Tool } from "../catalogue/tool.js";
import type { CallTool } from "./call.js";
import { maskFailures } from "./failure.js";
import type { createPublications } from "./resources.js";
import type { McpCall, Serve } from "./surface.js";

/** Maximum number of values of a completion, as in the protocol. */
const MOST_VALUES = 100;

export interface CompletionOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly callTool: CallTool;
  readonly listPublications: ReturnType<typeof createPublications>;
}

/** Creates the part that completes the ids of publications and the codes of the caller's facilities. */
export function serveCompletion({ tools, callTool, listPublications }: CompletionOptions): Serve {
  const findCodes = async ({ arrival, principal, admission }: McpCall, search: string): Promise<string[]> => {
    const tool = tools.get("list_facilities");
    if (!tool || !admission || !isAllowed(tool, principal.scopes)) return [];
    const given = { limit: 50, ...(search !== "" && { search }) };
    const { json } = await callTool(tool, given, arrival, admission);
    const { items } = JSON.parse(json) as { readonly items: readonly { readonly code: string }[] };
    return items.map(({ code }) => code);
  };
  return (server, call) => {
    const complete = async ({ params: { ref, argument } }: CompleteRequest) => {
      const isPublication = ref.type === "ref/resource" && argument.name === "id";
      const isFacility = ref.type === "ref/prompt" && argument.name === "facility";
      const all = isPublication
        ? (await listPublications()).map(({ id }) => id).filter((id) => id.startsWith(argument.value))
        : isFacility
          ? await findCodes(call, argument.value)
          : [];
      return { completion: { values: all.slice(0, MOST_VALUES), hasMore: all.length > MOST_VALUES } };
    };
    server.setRequestHandler("completion/complete", maskFailures(call, complete));
  };
}
