import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import type { CountRequest } from "../access/admission.js";
import type { Authenticate } from "../access/authenticate.js";
import { metadataPathOf } from "../access/credentials.js";
import type { Principal } from "../access/principal.js";
import { escapeHidden } from "../domain/texts/clean.js";
import { AppError } from "../errors.js";
import { sendPlain } from "../http/answer/compress.js";
import { listHeaders } from "../http/answer/envelope.js";
import { rateLimitHeaders } from "../http/answer/headers.js";
import { notJson, readJson } from "../http/body/body.js";
import { answersOptions, type IncomingCall } from "../http/incoming-call.js";
import { readTraceId } from "../http/request.js";
import type { Site } from "../http/site.js";
import { MCP_PATH } from "../http/surface.js";
import { countOrThrow, createMemoryCounter } from "../limits/budget/counter.js";
import { answerInAccepted, inAccepted, readAccepted } from "./accept.js";
import { INSTRUCTIONS } from "./instructions.js";
import { createPlain, type PlainOptions, PRIVATE } from "./plain.js";
import type { McpCall, Serve } from "./surface.js";

export interface McpOptions extends Pick<PlainOptions, "callTool" | "listTools"> {
  readonly version: string;
  readonly site: Site;
  /** Origins other than the gateway's own whose pages may call this endpoint. */
  readonly corsOrigins: readonly string[];
  /**
   * True if only this machine can reach the gateway, and no proxy leads to it. A request for another host name then comes
   * from an attacker's page.
   */
  readonly isLocal: boolean;
  readonly authenticate: Authenticate;
  readonly count: CountRequest;
  readonly parts: readonly Serve[];
  readonly onFault: (error: Error) => void;
}

export interface Mcp {
  /** Answers a request for /mcp. Rejects with an error that describes the fault. */
  readonly serve: (incomingCall: IncomingCall) => Promise<void>;
  stop(): Promise<void>;
}

const METHODS = ["POST", "OPTIONS"];

/** Messages with which a client connects. They count against a limit of their own; all others against the hourly one. */
const HANDSHAKE = new Set(["initialize", "server/discover", "ping"]);

/** Maximum number of such messages and notifications from one caller in a minute, for each process. */
const HANDSHAKES_PER_MINUTE = 120;
const TOO_MANY_HANDSHAKES = `At most ${HANDSHAKES_PER_MINUTE} messages that connect, ping or notify are allowed in a minute.`;

/** Maximum number of open client streams. The gateway never announces anything on them. */
const MAX_SUBSCRIPTIONS = 256;

/** Cache hint for results that are the same for every caller. */
const PUBLIC = { ttlMs: 3_600_000, cacheScope: "public" } as const;

/** Creates the Model Context Protocol endpoint. It is stateless, so any process can answer any request. */
export function createMcp({ version, authenticate, count, parts, onFault, ...options }: McpOptions): Mcp {
  const serverInfo = { name: "carbon-gateway", title: "Carbon Gateway", version };
  const answerPlain = createPlain({ ...options, serverInfo });
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const server = new Server(serverInfo, {
        capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
        instructions: INSTRUCTIONS,
        cacheHints: {
          "tools/list": PRIVATE,
          "prompts/list": PUBLIC,
          "resources/list": PUBLIC,
          "resources/templates/list": PUBLIC,
          "resources/read": PUBLIC,
          "server/discover": PUBLIC,
        },
      });
      const call = authInfo?.extra?.["call"] as McpCall;
      for (const serve of parts) serve(server, call);
      return server;
    },
    { maxSubscriptions: MAX_SUBSCRIPTIONS, onerror: onFault },
  );
  const answer = toNodeHandler(
    {
      // The client and a shutdown decide how long a connection is kept, not the SDK.
      async fetch(request, options) {
        const response = await handler.fetch(request, options);
        response.headers.delete("Connection");
        const wanted = options?.authInfo?.extra as unknown as Wanted;
        return answerInAccepted(response, wanted.accepted, wanted.isSubscription);
      },
    },
    { onerror: onFault },
  );
  const { site } = options;
  const handshakes = createMemoryCounter({ limit: HANDSHAKES_PER_MINUTE, seconds: 60 });
  /** Authenticates a caller. A 401 tells the client where to find the authorization server (RFC 9728). */
  const admitCaller = async ({ incoming, request }: IncomingCall): Promise<Principal> => {
    try {
      return await authenticate(incoming, request);
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 401) throw error;
      const { "WWW-Authenticate": given = "Bearer", ...headers } = error.headers;
      // Replaces the API's own resource metadata.
      const own = given.replace(/,? resource_metadata="[^"]*"/, "");
      const metadata = `resource_metadata="${site.url()}${metadataPathOf("mcp")}"`;
      const challenge = own.startsWith("Bearer ") ? `${own}, ${metadata}` : `${own}, Bearer ${metadata}`;
      throw new AppError(error.code, error.message, {
        headers: { ...headers, "WWW-Authenticate": challenge.replace(/^Bearer, /, "") },
        extensions: error.extensions,
        cause: error,
      });
    }
  };
  return {
    async serve(incomingCall) {
      const { request, incoming, response, headers } = incomingCall;
      requireOwnOrigin(incoming.headers, options);
      if (answersOptions(incomingCall, METHODS)) return;
      const admittedAt = performance.now();
      const principal = await admitCaller(incomingCall);
      const message = await readMessage(incomingCall);
      // The server refused the request while its body was arriving.
      if (response.headersSent) return;
      request.record.operation = message.method;
      request.record.client = message.client;
      request.traceId ??= message.traceId;
      const isHandshake = message.isNotification || HANDSHAKE.has(message.method ?? "");
      if (isHandshake) await countOrThrow(handshakes, principal.id, TOO_MANY_HANDSHAKES);
      const admission = isHandshake ? null : count(principal, request.now, admittedAt);
      // An exceeded limit is reported in the tool's result.
      const budget = await admission?.rateLimit.catch((error): undefined => {
        if (message.method !== "tools/call") throw error;
      });
      const all = { ...headers, ...(budget && rateLimitHeaders(budget, request.now)) };
      const call: McpCall = { incomingCall, principal, admission };
      const accepted = readAccepted(incoming);
      const answered = answerPlain(incoming.headers, message.body, call);
      if (answered) {
        const { type, body } = inAccepted(await answered, accepted);
        sendPlain(response, 200, listHeaders(["Content-Type", type], [all]), body, Buffer.byteLength(body));
        return;
      }
      for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
      const isSubscription = message.method?.startsWith("subscriptions/") === true;
      const extra = { call, accepted, isSubscription } satisfies Wanted;
      const auth = { token: "", clientId: principal.id, scopes: [...principal.scopes], extra };
      await answer(Object.assign(incoming, { auth, method: "POST", url: MCP_PATH }), response, message.body);
    },
    stop: () => handler.close(),
  };
}

/** Data that the SDK passes from a request to its answer. */
interface Wanted {
  readonly call: McpCall;
  readonly accepted: ReturnType<typeof readAccepted>;
  readonly isSubscription: boolean;
}

/** A message, with the parts that the gateway itself reads. */
interface Message {
  readonly body: object;
  readonly method: string | undefined;
  /** True for a message that expects no answer. */
  readonly isNotification: boolean;
  /** Name and version of the client, if given. */
  readonly client: string | undefined;
  /** Id of the client's trace, if given. */
  readonly traceId: string | undefined;
}

/** Reads the message of a request. Throws BAD_REQUEST for a batch, or if the body cannot be read as JSON. */
async function readMessage(incomingCall: IncomingCall): Promise<Message> {
  const body = await readJson(incomingCall);
  if (body === undefined) throw notJson(incomingCall.incoming);
  if (Array.isArray(body)) throw new AppError("BAD_REQUEST", "Expected one message, got a batch.");
  const { method, params } = body as { readonly method?: unknown; readonly params?: unknown };
  const isNotification = typeof method === "string" && !Object.hasOwn(body as object, "id");
  return {
    body: body as object,
    method: typeof method === "string" ? method.slice(0, 100) : undefined,
    isNotification,
    client: readClient(params),
    traceId: readTraceId(
      (params as { _meta?: { traceparent?: unknown } } | null | undefined)?._meta?.traceparent,
    ),
  };
}

/** Maximum number of characters of a client's name and version in the log. */
const MAX_CLIENT_LENGTH = 80;

function readClient(params: unknown): string | undefined {
  const { clientInfo, _meta } = (params ?? {}) as Record<
    string,
    Readonly<Record<string, unknown>> | undefined
  >;
  const info = _meta?.["io.modelcontextprotocol/clientInfo"] ?? clientInfo;
  if (typeof info !== "object" || info === null) return undefined;
  const { name, version } = info as Record<string, unknown>;
  if (typeof name !== "string") return undefined;
  const text = typeof version === "string" ? `${name} ${version}` : name;
  return escapeHidden(text.slice(0, MAX_CLIENT_LENGTH)).slice(0, MAX_CLIENT_LENGTH);
}

const LOCAL_HOSTS = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Throws FORBIDDEN if the request comes from a page of a site that is not allowed, or from a page whose host name
 * resolves to this machine (DNS rebinding). Programs send no Origin.
 */
function requireOwnOrigin(
  { origin, host = "" }: { readonly origin?: string | undefined; readonly host?: string | undefined },
  { site, corsOrigins, isLocal }: Pick<McpOptions, "site" | "corsOrigins" | "isLocal">,
): void {
  const allowed = [...site.origins(), ...corsOrigins];
  if (origin !== undefined && !allowed.includes("*") && !allowed.includes(origin)) {
    throw new AppError(
      "FORBIDDEN",
      `Pages on ${origin.slice(0, 200)} may not call this endpoint. To allow them, add the origin to CORS_ORIGINS.`,
    );
  }
  const name = host.replace(/:\d*$/, "").toLowerCase();
  if (isLocal && !LOCAL_HOSTS.includes(name))
    throw new AppError(
      "FORBIDDEN",
      `Expected the Host ${LOCAL_HOSTS.join(" or ")}, got ${name.slice(0, 200)}.`,
    );
}
