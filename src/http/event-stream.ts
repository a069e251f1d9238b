import type { ServerResponse } from "node:http";

/** Headers of Server-Sent Events. Proxies must not collect them. */
export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "X-Accel-Buffering": "no",
};

/** Creates a function that writes an event once, however many streams send it. */
export function createFrames<Event extends object>(
  write: (event: Event) => string,
): (event: Event) => string {
  const frames = new WeakMap<Event, string>();
  return (event) => {
    const found = frames.get(event) ?? write(event);
    frames.set(event, found);
    return found;
  };
}

/** Returns a signal that aborts when the client of an answer leaves. */
export function whenClosed(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  if (response.destroyed) controller.abort();
  return controller.signal;
}
