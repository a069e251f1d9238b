import { AppError } from "../errors.js";
import type { IncomingCall } from "../http/incoming-call.js";

/**
 * Returns a signal that aborts once the response has been sent or the client has disconnected. A client that closes
 * only its own side counts as disconnected, because until the server writes, nothing tells one from the other.
 */
export function watchClient({ incoming: { socket }, response }: IncomingCall): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    socket.off("end", abort);
    controller.abort(new AppError("BAD_REQUEST", "The client has disconnected."));
  };
  socket.once("end", abort);
  response.once("close", abort);
  if (response.destroyed) abort();
  return controller.signal;
}
