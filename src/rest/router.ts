import type { Admit } from "../access/admission.js";
import type { Arrival } from "../http/arrival.js";
import { sendData, sendError } from "../http/envelope.js";
import { notAllowed, nothingAt, toAppError } from "../http/failure.js";
import { rateLimitHeaders } from "../http/headers.js";
import type { EndpointGroup } from "./endpoint.js";
import { createResources } from "./resources.js";
import { createRoute, type RouteOptions } from "./route.js";

export interface RestOptions extends Omit<RouteOptions, "cacheName"> {
  readonly groups: readonly EndpointGroup[];
  readonly admit: Admit;
}

/** Answers one request, failures included. */
export type AnswerRest = (arrival: Arrival) => Promise<void>;

/**
 * Makes the REST surface of groups of endpoints. It refuses unknown paths and other methods before it looks at the key,
 * and they cost nothing. Throws if an endpoint does not fit the schema.
 */
export function createRest({ groups, admit, ...options }: RestOptions): AnswerRest {
  const findResource = createResources(
    groups.flatMap(({ prefixes, endpoints }) =>
      endpoints.map((endpoint) => {
        const { path, method } = endpoint;
        const route = createRoute(endpoint, { ...options, cacheName: `${prefixes[0]}${path}` });
        return { prefixes, path, method, route };
      }),
    ),
  );

  return async (arrival) => {
    const { request, path, incoming, response, headers: common } = arrival;
    const headers = [common];
    try {
      const found = findResource(path);
      if (!found) throw nothingAt(path);
      const { resource, params } = found;
      request.record.operation = resource.name;
      request.record.route = resource.route;
      const { method = "" } = incoming;
      const route = resource.methods.get(method);
      if (!route) {
        if (method !== "OPTIONS") throw notAllowed(method, resource.allowed);
        return void response.writeHead(204, { ...common, Allow: resource.allowed.join(", ") }).end();
      }
      const admission = await admit(request, incoming);
      // A read runs while the request is counted, which takes as long as a statement.
      const data = route.answer(arrival, params, admission);
      if (data instanceof Promise) data.catch(() => undefined);
      headers.push(rateLimitHeaders(await admission.rateLimit, request.now));
      request.record.cost ??= route.cost;
      sendData(response, request, headers, data instanceof Promise ? await data : data);
    } catch (error) {
      sendError(response, request, headers, toAppError(error, request.log));
    }
  };
}
