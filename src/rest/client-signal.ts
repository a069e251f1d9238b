import { AppError } from "../errors.js";
import type { IncomingCall } from "../http/incoming-call.js";

/** Returns a signal that aborts once the response has been sent or the client has disconnected. */
export function watchClient({ response }: Pick<IncomingCall, "response">): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new AppError("BAD_REQUEST", "The client has disconnected."));
  response.once("close", abort);
  if (response.destroyed) abort();
  return controller.signal;
}
