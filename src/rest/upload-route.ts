import type { Admit } from "../access/admission.js";
import type { OpenContext } from "../access/context.js";
import type { OpenRepeatable, Repeatable } from "../access/idempotency.js";
import { requireScopes } from "../access/require-scopes.js";
import { serializeData } from "../http/answer/envelope.js";
import { noteFile } from "../http/body/digest.js";
import { openUpload } from "../http/body/upload.js";
import { watchClient } from "./client-signal.js";
import type { DataRoute } from "./data-route.js";
import type { UploadEndpoint } from "./endpoint.js";
import { createInputReader } from "./input.js";

export interface UploadRouteOptions {
  readonly admit: Admit;
  readonly openContext: OpenContext;
  readonly openRepeatable: OpenRepeatable;
  readonly refusesUnknown: boolean;
}

/** Creates the route of an endpoint that accepts a file. Checks the caller and the query before reading the file. */
export function createUploadRoute(
  endpoint: UploadEndpoint,
  { admit, openContext, openRepeatable, refusesUnknown }: UploadRouteOptions,
): DataRoute {
  const readInput = createInputReader(endpoint, { refusesUnknown });
  return {
    admit,
    cost: undefined,
    isRead: false,
    async answer(incomingCall, params, admission) {
      const { request, incoming, response } = incomingCall;
      try {
        await admission.rateLimit;
        requireScopes(admission.principal, [[endpoint.scope]]);
        const input = await readInput(incomingCall, params);
        const signal = watchClient(incomingCall);
        const { name, chunks } = await openUpload(incoming, endpoint.fileType, {
          maxBytes: endpoint.maxBytes,
          signal,
        });
        const change = async (repeatable?: Repeatable) => {
          const file = { name, signal, chunks: repeatable ? noteFile(incoming, name, chunks) : chunks };
          const context = openContext(request, { ...admission, repeatable });
          const data = serializeData(await endpoint.receive(context, input, file));
          return { ...data, ...(repeatable && { keep: repeatable.keep }) };
        };
        const repeatable = endpoint.isRead ? undefined : openRepeatable(incomingCall, admission.principal);
        // Only the whole file shows whether the request is a repetition.
        return await (repeatable
          ? repeatable.once(() => change(repeatable), { readsBodyLater: true })
          : change());
      } catch (error) {
        // The server drops the rest of the file, and must not mistake it for the next request.
        response.shouldKeepAlive &&= incoming.complete;
        incoming.resume();
        throw error;
      }
    },
  };
}
