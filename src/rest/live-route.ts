import type { Admit } from "../access/admission.js";
import { refuseArgument } from "../catalogue/refusals.js";
import { AppError } from "../errors.js";
import { EVENT_STREAM_HEADERS } from "../http/answer/event-stream.js";
import type { LiveEndpoint } from "./endpoint.js";
import { createInputReader } from "./input.js";
import type { StreamRoute } from "./stream-route.js";

/** Creates the route of an endpoint that streams Server-Sent Events. It has no time limit. */
export function createLiveRoute(
  endpoint: LiveEndpoint,
  options: { readonly admit: Admit; readonly refusesUnknown: boolean },
): StreamRoute {
  const readInput = createInputReader(endpoint, options);
  return {
    admit: options.admit,
    async open(incomingCall, params, admission) {
      const input = await readInput(incomingCall, params);
      try {
        return {
          headers: EVENT_STREAM_HEADERS,
          chunks: await endpoint.listen(incomingCall, admission, input),
        };
      } catch (error) {
        const isRefusal = error instanceof AppError && error.code === "BAD_USER_INPUT";
        throw isRefusal ? refuseArgument(endpoint, error, {}, undefined) : error;
      }
    },
  };
}
