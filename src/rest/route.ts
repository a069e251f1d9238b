import type { DocumentNode, GraphQLSchema } from "graphql";
import type { Admit } from "../access/admission.js";
import type { Answer } from "../access/answers.js";
import type { OpenContext } from "../access/context.js";
import { type OpenRepeatable, refuseIdempotencyKey } from "../access/idempotency.js";
import { requirePerson } from "../access/principal.js";
import { renewPrincipal } from "../access/renew.js";
import { requireScopes } from "../access/require-scopes.js";
import { listScopes } from "../catalogue/callable.js";
import { createComputation } from "../catalogue/compute.js";
import { prepareEndpoint, type ScopesOf, type Variables } from "../catalogue/prepare.js";
import { type SerializedData, serializeData } from "../http/answer/envelope.js";
import type { IncomingCall } from "../http/incoming-call.js";
import type { RequestTracing } from "../http/server/observer.js";
import type { DataRoute } from "./data-route.js";
import { createComputedRoute, createDownloadRoute } from "./download-route.js";
import {
  type Endpoint,
  isAboutSession,
  isComputed,
  isDownload,
  isLive,
  isOperation,
  isStream,
  isUpload,
  type Lines,
  type OperationEndpoint,
  type Reply,
  type SessionEndpoint,
  type StreamEndpoint,
} from "./endpoint.js";
import { createInputReader, type PathParameters } from "./input.js";
import { createLiveRoute } from "./live-route.js";
import type { StreamRoute } from "./stream-route.js";
import { createUploadRoute } from "./upload-route.js";

export interface RouteOptions {
  readonly schema: GraphQLSchema;
  readonly scopesOf: ScopesOf;
  /** Returns true if all callers of an organization with the same scopes get the same answer to a document. */
  readonly isShared: (document: DocumentNode) => boolean;
  readonly trace: RequestTracing["wrap"];
  /** Authenticates a request and counts it. */
  readonly admit: Admit;
  /** Name in the cache, unique per path. */
  readonly cacheName: string;
  /** True if the route refuses unknown query parameters. */
  readonly refusesUnknown: boolean;
  /** Returns an answer from the cache, or computes it. */
  readonly answer: Answer<SerializedData>;
  /** Returns the repeatable change of a request with an idempotency key. */
  readonly openRepeatable: OpenRepeatable;
  /** Opens the context of a request whose answer is never cached. */
  readonly openContext: OpenContext;
  /** Returns true if answers are currently cached. */
  readonly isListening: () => boolean;
}

/** A method of a path that runs no operation of the graph. */
export interface SessionRoute {
  reply(incomingCall: IncomingCall, params: PathParameters): Promise<Reply>;
}

export type Route = DataRoute | StreamRoute | SessionRoute;

/** Explains which endpoints refuse idempotency keys. */
const SESSIONS = "to endpoints below /auth";

/** Creates the route of an endpoint. Throws if the endpoint does not fit the schema. */
export function createRoute(endpoint: Endpoint, options: RouteOptions): Route {
  if (isOperation(endpoint)) return createOperationRoute(endpoint, options);
  if (isUpload(endpoint)) return createUploadRoute(endpoint, options);
  if (isDownload(endpoint)) return createDownloadRoute(endpoint, options);
  if (isComputed(endpoint)) return createComputedRoute(endpoint, options);
  if (isLive(endpoint)) return createLiveRoute(endpoint, options);
  return isStream(endpoint) ? createStreamRoute(endpoint, options) : createSessionRoute(endpoint, options);
}

function createSessionRoute(endpoint: SessionEndpoint, options: RouteOptions): SessionRoute {
  const readInput = createInputReader(endpoint, options);
  return {
    async reply(incomingCall, params) {
      if (endpoint.method !== "GET") refuseIdempotencyKey(incomingCall.incoming, SESSIONS);
      return endpoint.handle(incomingCall, () => readInput(incomingCall, params));
    },
  };
}

/**
 * Creates the route of an operation. The answer to a GET is cached by its variables if callers can share it. All other
 * requests run the operation after they have been counted against the limit.
 */
function createOperationRoute(endpoint: OperationEndpoint, options: RouteOptions): DataRoute {
  const { admit, answer, openContext, isListening, cacheName } = options;
  const { document, costOf, isRead, ...prepared } = prepareEndpoint(
    options.schema,
    endpoint,
    options.scopesOf,
  );
  const run = options.trace("execute", prepared.run);
  const readInput = createInputReader(endpoint, options);
  const share = createSharing();
  const versionOf = (data: unknown) =>
    endpoint.version && {
      version: endpoint.version(data),
      isVersioned: endpoint.isVersioned?.(data) ?? true,
    };
  const computeWith = (variables: Variables) =>
    createComputation(isListening, async (context) => {
      const data = endpoint.reshape(await run(context, variables), undefined);
      return share({ ...serializeData(data), ...versionOf(data) });
    });
  const readVariables = async (incomingCall: IncomingCall, params: PathParameters) => {
    const { request } = incomingCall;
    const input = await readInput(incomingCall, params);
    const variables = endpoint.variables?.(input) ?? {};
    request.record.cost = costOf(variables);
    return { variables, body: input.body };
  };

  if (endpoint.method !== "GET" || !options.isShared(document)) {
    return {
      admit,
      isRead,
      cost: undefined,
      async answer(incomingCall, params, admission) {
        await admission.rateLimit;
        // Refuses before reading the body, which may take a while.
        const isAllowedAccount = endpoint.serviceAccounts && admission.principal.serviceAccount;
        if (endpoint.scope === null && !isAllowedAccount) requirePerson(admission.principal);
        requireScopes(admission.principal, [listScopes(endpoint.scope)]);
        if (!isRead && isAboutSession(endpoint)) refuseIdempotencyKey(incomingCall.incoming, SESSIONS);
        const repeatable = isRead ? undefined : options.openRepeatable(incomingCall, admission.principal);
        const { variables, body } = await readVariables(incomingCall, params);
        const change = async () => {
          const result = await run(
            openContext(incomingCall.request, { ...admission, repeatable }),
            variables,
            body,
          );
          const data = endpoint.reshape(result, body);
          const id = endpoint.createdId?.(data, result);
          const list = fillPath(endpoint.createdIn ?? endpoint.path, params);
          return {
            ...serializeData(data),
            ...(id !== undefined && { created: id === null ? list : (`${list}/${id}` as const) }),
            ...versionOf(data),
            ...(repeatable && { keep: repeatable.keep }),
          };
        };
        return repeatable ? repeatable.once(change) : change();
      },
    };
  }
  if (endpoint.variables) {
    return {
      admit,
      isRead,
      cost: undefined,
      async answer(incomingCall, params, admission) {
        const { variables } = await readVariables(incomingCall, params);
        const fullName = `${cacheName} ${JSON.stringify(variables)}`;
        return answer(fullName, incomingCall.request, admission, computeWith(variables));
      },
    };
  }
  const compute = computeWith({});
  return {
    admit,
    isRead,
    cost: costOf({}),
    answer(incomingCall, params, admission) {
      const { request, incoming } = incomingCall;
      const respond = () => answer(cacheName, request, admission, compute);
      if (!options.refusesUnknown || !incoming.url?.includes("?")) return respond();
      return readInput(incomingCall, params).then(respond);
    },
  };
}

/** Replaces the parameters in a path with their values. */
const fillPath = (path: `/${string}`, params: PathParameters) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "") as `/${string}`;

/**
 * Creates the route of a stream. Reads a page once the previous ones have been sent or fit into the connection's
 * buffer, so few pages are in memory.
 */
function createStreamRoute(endpoint: StreamEndpoint, options: RouteOptions): StreamRoute {
  const { schema, scopesOf, trace, admit, openContext } = options;
  const { costOf, ...prepared } = prepareEndpoint(schema, endpoint, scopesOf);
  const run = trace("execute", prepared.run);
  const readInput = createInputReader(endpoint, options);
  const { columns } = endpoint;
  return {
    admit,
    async open(incomingCall, params, admission) {
      const { request } = incomingCall;
      const first = ((await readInput(incomingCall, params)).params ?? {}) as Variables;
      request.record.cost = costOf(first);
      const read = async (variables: Variables) => {
        request.renewTime();
        // The caller may have lost the right to read since the previous page.
        const { database } = openContext(request, admission).access.resources;
        const principal = await request.inTime(() =>
          renewPrincipal(database, admission.principal, request.now, endpoint.scope),
        );
        return endpoint.readLines(await run(openContext(request, { ...admission, principal }), variables));
      };
      const contentType = columns ? "text/csv; charset=utf-8" : "application/x-ndjson";
      return {
        headers: { "Content-Type": contentType },
        chunks: writeLines(await read(first), read, columns),
      };
    },
  };
}

async function* writeLines(
  first: Lines,
  read: (variables: Variables) => Promise<Lines>,
  columns: readonly string[] | undefined,
) {
  const write = (line: unknown) =>
    columns ? columns.map((column) => (line as Record<string, string>)[column]).join() : JSON.stringify(line);
  if (columns) yield `${columns.join()}\n`;
  for (let page = first; ; page = await read(page.next)) {
    yield page.lines.map((line) => `${write(line)}\n`).join("");
    if (page.next === null) return;
  }
}

/** Keeps a single copy of consecutive equal answers in memory, such as reference data for several tenants. */
function createSharing(): (data: SerializedData) => SerializedData {
  let latest: SerializedData | undefined;
  return (data) => {
    if (latest?.json === data.json) return { ...latest, isShared: true };
    latest = data;
    return data;
  };
}
