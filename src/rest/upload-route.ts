import type { Admit } from "../access/admission.js";
import type { OpenContext } from "../access/context.js";
import { requirePerson } from "../access/principal.js";
import { requireScopes } from "../access/require-scopes.js";
import { AppError } from "../errors.js";
import type { Arrival } from "../http/arrival.js";
import { serializeData } from "../http/envelope.js";
import { openUpload } from "../http/upload.js";
import type { DataRoute } from "./data-route.js";
import type { UploadEndpoint } from "./endpoint.js";
import { createInputReader } from "./input.js";

/**
 * Creates the route of an endpoint that accepts a file. It checks the caller and the query before it reads the file.
 */
export function createUploadRoute(
  endpoint: UploadEndpoint,
  { admit, openContext, refusesUnknown }: { admit: Admit; openContext: OpenContext; refusesUnknown: boolean },
): DataRoute {
  const readInput = createInputReader(endpoint, { refusesUnknown });
  return {
    admit,
    cost: undefined,
    isRead: false,
    async answer(arrival, params, admission) {
      const { request, incoming, response } = arrival;
      try {
        await admission.rateLimit;
        requireScopes(admission.principal, [[endpoint.scope]]);
        requirePerson(admission.principal);
        const input = await readInput({ params, incoming, response });
        const signal = watchClient(arrival);
        const file = await openUpload(incoming, endpoint.fileType, { mostBytes: endpoint.mostBytes, signal });
        return serializeData(
          await endpoint.receive(openContext(request, admission), input, { ...file, signal }),
        );
      } catch (error) {
        // The server must neither read the rest of the file nor mistake it for the next request.
        response.shouldKeepAlive &&= incoming.complete;
        incoming.resume();
        throw error;
      }
    },
  };
}

/** Returns a signal that aborts when the connection closes, also after a refusal of the body. */
function watchClient({ response }: Arrival): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort(new AppError("BAD_REQUEST", "The client has left.")));
  return controller.signal;
}
