import type { DocumentNode } from "graphql";
import { createAnswer } from "../access/answers.js";
import type { OpenContext } from "../access/context.js";
import type { Tool } from "../catalogue/tools/tool.js";
import { type Config, isLocal } from "../config.js";
import type { Log } from "../log.js";
import { createCallTool } from "../mcp/call.js";
import { serveCompletion } from "../mcp/completion.js";
import { servePrompts } from "../mcp/prompts.js";
import { createPublications, serveResources } from "../mcp/resources.js";
import { createMcp, type Mcp } from "../mcp/serve.js";
import type { Serve } from "../mcp/surface.js";
import { createMcpTools } from "../mcp/tools.js";
import { DOCS_FOLDER, REFERENCE_FOLDER, readVersion } from "../paths.js";
import type { Core } from "./core.js";

interface McpParts {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly isShared: (document: DocumentNode) => boolean;
  readonly openContext: OpenContext;
  readonly sdl: string;
  /** An extension's parts, added after the gateway's own. */
  readonly mcpParts: readonly Serve[];
}

/** Starts the endpoint of the Model Context Protocol. Its tools share REST's cache and limits. */
export function startMcp(
  { config, log }: { readonly config: Config; readonly log: Log },
  { resources, caches, isListening, tracing, metrics, authenticateMcp, countRequest }: Core,
  { tools, isShared, openContext, sdl, mcpParts }: McpParts,
): Mcp & { readonly prepare: () => Promise<unknown> } {
  const callTool = createCallTool({
    answer: createAnswer(caches.rest, openContext),
    openContext,
    isShared,
    isListening,
    trace: tracing.wrap,
  });
  const mcpTools = createMcpTools({ tools, callTool, onCalled: metrics.toolCalled });
  const listPublications = createPublications(REFERENCE_FOLDER);
  const mcp = createMcp({
    version: readVersion(),
    site: resources.site,
    corsOrigins: config.corsOrigins,
    isLocal: config.publicUrl === undefined && isLocal(config),
    authenticate: authenticateMcp,
    count: countRequest,
    onFault: (error) => log.debug({ err: error }, "refused a message of the Model Context Protocol"),
    callTool: mcpTools.call,
    // An extension's part may list its own tools.
    ...(mcpParts.length === 0 && { listTools: mcpTools.list }),
    parts: [
      mcpTools.serve,
      servePrompts,
      serveResources({ docsFolder: DOCS_FOLDER, sdl: config.introspection ? sdl : null }, listPublications),
      serveCompletion({ tools, callTool, listPublications }),
      ...mcpParts,
    ],
  });
  return { ...mcp, prepare: () => mcpTools.list({ scopes: [] }) };
}
