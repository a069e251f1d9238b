import { z } from "zod";
import type { Admission } from "../../access/admission.js";
import { AppError } from "../../errors.js";
import { createEventWriter } from "../../http/answer/event-stream.js";
import type { IncomingCall } from "../../http/incoming-call.js";
import type { LiveEndpoint } from "../endpoint.js";

interface Request {
  readonly after: string | null;
  readonly types: readonly string[] | null;
}

/**
 * Opens the stream of a caller's events. Rejects with BAD_USER_INPUT, CURSOR_EXPIRED, RATE_LIMIT_EXCEEDED, and as
 * `requireScopes` does. While the gateway stops, rejects with INTERNAL_ERROR and status 503.
 */
export type OpenStream = (
  incomingCall: IncomingCall,
  admission: Admission,
  request: Request,
) => Promise<AsyncIterable<{ readonly events: readonly { readonly id: string }[]; readonly next: string }>>;

const query = z.strictObject({
  after: z.string().min(1).optional().meta({
    description:
      "Id of the event to continue after; if omitted, only new events. `Last-Event-ID` takes precedence.",
  }),
  types: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({
      type: "string",
      description: "Comma-separated types of events, such as `facility.*`; all if omitted.",
    }),
});

/** Milliseconds a client waits before it reopens a stream that has ended. */
const RETRY_MS = 2_000;

/** Creates the endpoint that streams events as they happen. */
export function createEventStream(openStream: OpenStream): LiveEndpoint {
  const writeEvent = createEventWriter<{ readonly id: string }>(
    (event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  return {
    method: "GET",
    path: "/events/stream",
    area: "events",
    summary: "Events as they happen, as Server-Sent Events. Send `Last-Event-ID` to continue after an event",
    scope: [],
    input: { query },
    data: z.string(),
    example: `retry: ${RETRY_MS}\n\nid: 4711-81070dcecdfac070\ndata: {"specversion":"1.0",…}\n\n`,
    failures: ["CURSOR_EXPIRED"],
    async listen(incomingCall, admission, input) {
      const { after, types } = input.query as z.infer<typeof query>;
      const batches = await openStream(incomingCall, admission, {
        after: readLastId(incomingCall) ?? after ?? null,
        types: types === undefined ? null : [types].flat(),
      });
      return (async function* () {
        yield `retry: ${RETRY_MS}\n\n`;
        for await (const { events, next } of batches) {
          // The position advances even if the caller may see none of the events, so that a reconnecting client
          // continues from there.
          yield events.length > 0 ? events.map(writeEvent).join("") : `: \nid: ${next}\n\n`;
        }
      })();
    },
  };
}

/**
 * Returns the id after which a browser continues. Throws CURSOR_EXPIRED for an invalid id, which makes the browser
 * stop reconnecting.
 */
function readLastId({ incoming }: IncomingCall): string | undefined {
  const { "last-event-id": id } = incoming.headers;
  if (typeof id !== "string" || id === "") return undefined;
  if (/^\d{1,15}-[0-9a-f]{16}$/.test(id)) return id;
  throw new AppError("CURSOR_EXPIRED", "Last-Event-ID: expected the id of an event of this stream.");
}
