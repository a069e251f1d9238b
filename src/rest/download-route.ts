import type { Admit } from "../access/admission.js";
import type { OpenContext } from "../access/context.js";
import { requireScopes } from "../access/require-scopes.js";
import { serializeData } from "../http/answer/envelope.js";
import { watchClient } from "./client-signal.js";
import type { DataRoute } from "./data-route.js";
import type { ComputedEndpoint, DownloadEndpoint } from "./endpoint.js";
import { createInputReader } from "./input.js";
import type { StreamRoute } from "./stream-route.js";

interface DownloadOptions {
  readonly admit: Admit;
  readonly openContext: OpenContext;
  readonly refusesUnknown: boolean;
}

/** Creates the route of an endpoint that returns a file. */
export function createDownloadRoute(
  endpoint: DownloadEndpoint,
  { admit, openContext, refusesUnknown }: DownloadOptions,
): StreamRoute {
  const readInput = createInputReader(endpoint, { refusesUnknown });
  return {
    admit,
    async open(incomingCall, params, admission) {
      const { request } = incomingCall;
      requireScopes(admission.principal, [[endpoint.scope]]);
      const input = await readInput(incomingCall, params);
      const { mediaType, name, headers, ...file } = await endpoint.open(
        openContext(request, admission),
        input,
        watchClient(incomingCall),
      );
      // Before the answer, so that a client can open the next file at once.
      if (incomingCall.incoming.method === "HEAD") await file.close();
      const disposition = `attachment; filename="${name}"`;
      return {
        ...file,
        headers: { "Content-Type": mediaType, "Content-Disposition": disposition, ...headers },
      };
    },
  };
}

/** Creates the route of an endpoint that computes its answer. */
export function createComputedRoute(
  endpoint: ComputedEndpoint,
  { admit, openContext, refusesUnknown }: DownloadOptions,
): DataRoute {
  const readInput = createInputReader(endpoint, { refusesUnknown });
  return {
    admit,
    cost: undefined,
    isRead: true,
    async answer(incomingCall, params, admission) {
      const { request } = incomingCall;
      await admission.rateLimit;
      requireScopes(admission.principal, [[endpoint.scope]]);
      const input = await readInput(incomingCall, params);
      const context = openContext(request, admission);
      return serializeData(await endpoint.compute(context, input, watchClient(incomingCall)));
    },
  };
}
