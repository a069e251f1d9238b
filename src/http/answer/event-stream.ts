/** Headers of Server-Sent Events. They tell proxies not to buffer. */
export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "X-Accel-Buffering": "no",
};

/** Creates a function that serializes each event only once, however many streams send it. */
export function createEventWriter<Event extends object>(
  write: (event: Event) => string,
): (event: Event) => string {
  const frames = new WeakMap<Event, string>();
  return (event) => {
    const found = frames.get(event) ?? write(event);
    frames.set(event, found);
    return found;
  };
}
