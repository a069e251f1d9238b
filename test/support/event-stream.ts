/** A frame of a stream of Server-Sent Events: its fields, each at most once. */
export type Frame = Readonly<Partial<Record<"id" | "data" | "retry" | "event" | "", string>>>;

export interface EventStream {
  readonly response: Response;
  /** Reads the next frame; null at the end of the stream. */
  next(): Promise<Frame | null>;
  /** Reads and parses the data of the next `count` events. */
  events<Event>(count: number): Promise<Event[]>;
  /** Reads all remaining frames, until the gateway ends the stream. */
  rest(): Promise<Frame[]>;
  close(): void;
}

/** Opens a stream of Server-Sent Events. */
export async function openEventStream(url: string, init: RequestInit): Promise<EventStream> {
  const controller = new AbortController();
  const response = await fetch(url, { ...init, signal: controller.signal });
  const frames = readFrames(response);
  const next = async () => (await frames.next()).value ?? null;
  return {
    response,
    next,
    async events<Event>(count: number) {
      const events: Event[] = [];
      while (events.length < count) {
        const frame = await next();
        if (frame === null) throw new Error(`the stream ended after ${events.length} events`);
        if (frame.data) events.push(JSON.parse(frame.data));
      }
      return events;
    },
    async rest() {
      const left: Frame[] = [];
      for (let frame = await next(); frame !== null; frame = await next()) left.push(frame);
      return left;
    },
    close: () => controller.abort(),
  };
}

async function* readFrames({ body }: Response): AsyncGenerator<Frame, null> {
  let text = "";
  for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      yield Object.fromEntries(frame.split("\n").map((line) => /^(\w*): ?(.*)$/.exec(line)?.slice(1) ?? []));
    }
  }
  return null;
}
