import type { IncomingMessage, ServerResponse } from "node:http";
import type { GraphQLSchema } from "graphql";
import type { Admit } from "../access/admission.js";
import type { Answer } from "../access/answers.js";
import type { AdmittedContext } from "../access/context.js";
import { type SerializedData, sendData, sendError, serializeData } from "../http/envelope.js";
import { notAllowed, nothingAt, READ_METHODS, toAppError } from "../http/failure.js";
import { rateLimitHeaders } from "../http/headers.js";
import type { RequestInfo } from "../http/request-info.js";
import { REST_PREFIXES } from "../http/surface.js";
import { type DocumentReaders, prepareEndpoint } from "./endpoint.js";
import { endpoints } from "./ext/index.js";

export interface RestOptions extends DocumentReaders {
  readonly schema: GraphQLSchema;
  readonly admit: Admit;
  readonly answer: Answer<SerializedData>;
  /** Whether answers are remembered. */
  readonly isHeard: () => boolean;
}

/** A request of the REST surface, and where it is answered. */
export interface RestCall {
  readonly request: RequestInfo;
  /** Of the address, without its query. */
  readonly path: string;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers that the answer has in any case. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Route {
  /** Such as `emissions`. */
  readonly name: string;
  readonly cost: number;
  readonly compute: (context: AdmittedContext) => Promise<SerializedData>;
}

/** Answers one request, failures included. */
export type AnswerRest = (call: RestCall) => Promise<void>;

/**
 * Makes the REST surface of the list of endpoints. Unknown paths and other methods are refused before the key is looked
 * at, and cost nothing. Throws where an endpoint does not fit the schema.
 */
export function createRest({ schema, admit, answer, isHeard, ...readers }: RestOptions): AnswerRest {
  const latest = new Map<string, SerializedData>();
  /** What is the same for all tenants, such as reference data, is held once. */
  const shareText = (name: string, data: SerializedData): SerializedData => {
    const last = latest.get(name);
    if (last?.json === data.json) return { ...last, isShared: true };
    latest.set(name, data);
    return data;
  };

  const routes = new Map<string, Route>();
  for (const endpoint of endpoints) {
    const name = endpoint.path.slice(1);
    const { cost, run } = prepareEndpoint(schema, endpoint, readers);
    const compute = async (context: AdmittedContext) => {
      const { rateLimit, wasSpent } = context.access;
      // What is refused must not be computed each time, as where nothing is remembered.
      if (!isHeard() || wasSpent) await rateLimit;
      return shareText(name, serializeData(await run(context)));
    };
    for (const prefix of REST_PREFIXES) {
      for (const slash of ["", "/"]) routes.set(`${prefix}${endpoint.path}${slash}`, { name, cost, compute });
    }
  }

  return async ({ request, path, incoming, response, headers: common }) => {
    const headers = [common];
    try {
      const route = routes.get(path);
      if (!route) throw nothingAt(path);
      request.record.operation = route.name;
      const { method } = incoming;
      if (method === "OPTIONS") return void response.writeHead(204, { ...common, Allow: READ_METHODS }).end();
      if (method !== "GET" && method !== "HEAD") throw notAllowed(method);
      const admission = await admit(request, incoming);
      // While the request is counted, which takes as long as a statement.
      const found = answer(route.name, request, admission, route.compute);
      if (found instanceof Promise) found.catch(() => undefined);
      headers.push(rateLimitHeaders(await admission.rateLimit, request.now));
      request.record.cost = route.cost;
      sendData(response, request, headers, found instanceof Promise ? await found : found);
    } catch (error) {
      sendError(response, request, headers, toAppError(error, request.log));
    }
  };
}
