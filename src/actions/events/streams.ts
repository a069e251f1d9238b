import { isServerFailure } from "../../data/cache/cache.js";
import type { Changes } from "../../data/cache/changes.js";
import type { Database } from "../../data/database/types.js";
import { type EventPage, findEventHead, listEvents } from "../../data/events/events.js";
import { readHeadNumbers } from "../../data/events/heads.js";
import type { GatewayEvent } from "../../data/events/to-event.js";
import { readAsTenant } from "../../data/tenant/reader.js";
import { eventIdOf, parseEventId } from "../../domain/events/event-id.js";
import { AppError, tooMany } from "../../errors.js";
import type { Site } from "../../http/site.js";
import type { Logger } from "../../log.js";
import { limitTime } from "../../time-limit.js";
import { takeTurn } from "../../turns.js";
import { coalesceCalls } from "./coalesce-calls.js";
import { type EventRequest, readEventPosition } from "./read-events.js";
import { createStream, renew, type Stream, type StreamCaller, waitForWake } from "./stream.js";

/** Limits and intervals of streams. */
export interface StreamLimits {
  /** Maximum number of a caller's open streams in a process. */
  readonly ofCaller: number;
  /** Maximum number of an organization's open streams in a process. */
  readonly ofOrganization: number;
  /** Maximum number of open streams in a process. */
  readonly ofProcess: number;
  /** Time after which a stream ends. Its client then opens another. */
  readonly maxMs: number;
  /** Interval at which streams check credentials and poll for events that no notification announced. */
  readonly pollMs: number;
  /** Time without an event after which a stream sends a heartbeat. */
  readonly heartbeatMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  ofCaller: 5,
  ofOrganization: 100,
  ofProcess: 500,
  maxMs: 3_600_000,
  pollMs: 500,
  heartbeatMs: 15_000,
};

/** Time to collect notifications before reading heads. */
const COLLECT_MS = 20;
/** Maximum number of a stream's events in memory until its client has read them. */
const PAGE_SIZE = 100;

/** Events in order. Empty at the start of a stream and for a heartbeat. */
export interface EventBatch {
  readonly events: readonly GatewayEvent[];
  /** Id to continue after. */
  readonly next: string;
}

/**
 * Opens a stream of the events after `after`, or only of new ones without it. Rejects before the stream starts with
 * FORBIDDEN, BAD_USER_INPUT, CURSOR_EXPIRED, or RATE_LIMIT_EXCEEDED if too many are open. The stream ends when the
 * client disconnects, when the caller's credential ends, after an hour, and when the process stops.
 */
export type OpenEvents = (caller: StreamCaller, request: EventRequest) => Promise<AsyncIterable<EventBatch>>;

export interface EventStreams {
  readonly open: OpenEvents;
  /** Returns the number of open streams. */
  readonly count: () => number;
  /** Ends all streams and refuses new ones. */
  stop(): Promise<void>;
}

export interface StreamOptions {
  readonly database: Database;
  readonly changes: Pick<Changes, "observe">;
  readonly site: Site;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly limits?: StreamLimits | undefined;
}

/**
 * Starts the streams of this process. Database notifications wake them; a timer polls for events that none announced.
 * Streams at the same place share their reads.
 */
export function startEventStreams(options: StreamOptions): EventStreams {
  const { database, changes, site, clock, log, limits = STREAM_LIMITS } = options;
  const streams = new Set<Stream>();
  let isStopped = false;
  /** True from the first failed read until one succeeds. */
  let isFailing = false;

  const pages = new Map<string, Promise<EventPage>>();
  const readerOf = (organizationId: string) =>
    readAsTenant(database, organizationId, { now: clock(), inTime: limitTime(database.timeLimitMs) });
  const read = ({ organizationId, types, typesKey, place }: Stream): Promise<EventPage> => {
    const key = [organizationId, eventIdOf(place), typesKey].join(" ");
    const found = pages.get(key);
    if (found) return found;
    const query = { after: place, types, limit: PAGE_SIZE, now: clock(), url: site.url() };
    const page = listEvents(readerOf(organizationId), query).finally(() => pages.delete(key));
    pages.set(key, page);
    return page;
  };

  const end = (stream: Stream) => {
    streams.delete(stream);
    stream.isOver = true;
    stream.wake();
  };

  /** Number of each organization's last entry at the latest poll. */
  let heads: ReadonlyMap<string, number> = new Map();
  /** Wakes the streams whose organizations have new entries. */
  const poll = coalesceCalls(async () => {
    const ids = [...new Set([...streams].map(({ organizationId }) => organizationId))];
    heads = await readHeadNumbers(database, ids);
    for (const stream of streams) {
      // A smaller number means that the database was restored, which the next read notices.
      if ((heads.get(stream.organizationId) ?? 0) === stream.place.seq) continue;
      stream.isDue = true;
      stream.wake();
    }
  });

  /**
   * Ends the streams that have reached `maxMs` or whose credentials are no longer valid. Checks one at a time, because
   * each may need a query if nothing is cached.
   */
  const check = coalesceCalls(async () => {
    for (const stream of streams) {
      if (performance.now() - stream.opened >= limits.maxMs) end(stream);
      if (!stream.isOver) await renew(stream, clock()).catch(() => end(stream));
    }
  });

  let collecting: NodeJS.Timeout | undefined;
  const pollSoon = () => {
    collecting ??= setTimeout(() => {
      collecting = undefined;
      poll();
    }, COLLECT_MS).unref();
  };
  changes.observe({
    changed({ organizationId }) {
      if (organizationId === null ? streams.size > 0 : hasStreamOf(streams, organizationId)) pollSoon();
    },
    lost: pollSoon,
  });
  const timer = setInterval(() => {
    if (streams.size === 0) return;
    poll();
    check();
  }, limits.pollMs).unref();

  const reserve = ({ callerId, organizationId }: Stream) => {
    if (isStopped) {
      const message = "The gateway is stopping. Open the stream again in a moment.";
      throw new AppError("INTERNAL_ERROR", message, { status: 503, headers: { "Retry-After": "2" } });
    }
    const { ofCaller, ofOrganization } = limits;
    const colleagues = [...streams].filter((stream) => stream.organizationId === organizationId);
    if (colleagues.filter((stream) => stream.callerId === callerId).length >= ofCaller) {
      throw tooMany(`A caller can have at most ${ofCaller} open streams.`, 5_000);
    }
    if (colleagues.length >= ofOrganization) {
      throw tooMany(`An organization can have at most ${ofOrganization} open streams.`, 5_000);
    }
    if (streams.size >= limits.ofProcess) throw tooMany("Too many streams are open.", 5_000);
  };

  return {
    async open(caller, request) {
      const after = readEventPosition(request.after);
      const stream = createStream(caller, request);
      reserve(stream);
      streams.add(stream);
      try {
        stream.place = after ?? (await findEventHead(readerOf(stream.organizationId)));
        const first = await read(stream);
        caller.signal.addEventListener("abort", () => end(stream), { once: true });
        if (caller.signal.aborted) end(stream);
        return follow(stream, first);
      } catch (error) {
        end(stream);
        throw error;
      }
    },
    count: () => streams.size,
    async stop() {
      isStopped = true;
      clearInterval(timer);
      clearTimeout(collecting);
      for (const stream of streams) end(stream);
    },
  };

  async function* follow(stream: Stream, first: EventPage): AsyncGenerator<EventBatch> {
    try {
      // The start of the stream, from which a client can resume before its first event.
      yield { events: [], next: eventIdOf(stream.place) };
      let sent = performance.now();
      let page: EventPage | null = first;
      while (!stream.isOver) {
        if (page) {
          stream.place = parseEventId(page.next) ?? stream.place;
          // An entry may have been added during the read.
          stream.isDue = page.hasMore || (heads.get(stream.organizationId) ?? 0) > stream.place.seq;
          if (page.events.length > 0) {
            yield { events: page.events, next: page.next };
            sent = performance.now();
          }
        }
        if (stream.isDue) await takeTurn();
        else await waitForWake(stream, Math.max(0, sent + limits.heartbeatMs - performance.now()));
        if (stream.isOver) return;
        // Heartbeats are sent even while the organization writes entries that the stream does not show.
        if (performance.now() - sent >= limits.heartbeatMs) {
          yield { events: [], next: eventIdOf(stream.place) };
          sent = performance.now();
        }
        page = stream.isDue ? await readAgain(stream) : null;
      }
    } finally {
      end(stream);
    }
  }

  /**
   * Reads the next page; null while the database is unavailable, until the next poll. Any other failure, such as a
   * place that is no longer in the trail, ends the stream. Its client gets the reason when it opens the next stream.
   */
  async function readAgain(stream: Stream): Promise<EventPage | null> {
    try {
      const page = await read(stream);
      isFailing = false;
      return page;
    } catch (error) {
      if (!isServerFailure(error)) end(stream);
      if (!(error instanceof AppError && error.code === "CURSOR_EXPIRED")) {
        if (!isFailing) log.warn({ err: error }, "failed to read the events of streams");
        isFailing = true;
      }
      stream.isDue = false;
      return null;
    }
  }
}

function hasStreamOf(streams: ReadonlySet<Stream>, organizationId: string): boolean {
  for (const stream of streams) if (stream.organizationId === organizationId) return true;
  return false;
}
