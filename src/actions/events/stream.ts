import type { Principal } from "../../access/principal.js";
import { type EventPosition, TRAIL_START } from "../../domain/events/event-id.js";
import { EVENT_TYPES, type EventType } from "../../domain/events/event-types.js";
import { AppError } from "../../errors.js";
import { type EventRequest, readEventTypes, requireEventScope } from "./read-events.js";

export interface StreamCaller {
  readonly principal: Principal;
  /** Checks the caller's credential again. Throws once it is no longer valid. */
  readonly renew: (now: Date) => Principal | Promise<Principal>;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface Stream {
  readonly callerId: string;
  readonly organizationId: string;
  readonly renew: StreamCaller["renew"];
  readonly requested: EventRequest["types"];
  readonly opened: number;
  principal: Principal;
  types: readonly EventType[];
  /** The same for streams with the same types. */
  typesKey: string;
  place: EventPosition;
  isOver: boolean;
  /** True if there may be events after `place`. */
  isDue: boolean;
  /** Wakes the stream if it waits. */
  wake: () => void;
}

/**
 * Creates a stream, whose place the caller sets before the first read. Throws FORBIDDEN without a scope for events, and
 * BAD_USER_INPUT for unknown types.
 */
export function createStream({ principal, renew }: StreamCaller, { types: requested }: EventRequest): Stream {
  requireEventScope(principal);
  const types = readEventTypes(principal, requested);
  return {
    callerId: principal.id,
    organizationId: principal.organization.id,
    renew,
    requested,
    opened: performance.now(),
    principal,
    types,
    typesKey: keyOf(types),
    place: TRAIL_START,
    isOver: false,
    isDue: true,
    wake: () => undefined,
  };
}

/** Waits until the stream is woken, at most for `ms`. */
export function waitForWake(stream: Stream, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms).unref();
    stream.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

/** Reads the caller's rights again. Throws if the credential is no longer valid or is for another organization. */
export async function renew(stream: Stream, now: Date): Promise<void> {
  const renewed = stream.renew(now);
  const principal = renewed instanceof Promise ? await renewed.catch(keepIfUnavailable(stream)) : renewed;
  if (principal === stream.principal) return;
  if (principal.organization.id !== stream.organizationId) throw new Error("another organization is active");
  requireEventScope(principal);
  stream.principal = principal;
  stream.types = readEventTypes(principal, stream.requested);
  stream.typesKey = keyOf(stream.types);
}

/**
 * Keeps the principal while the database is unavailable: the credential cannot be checked, but no events can be read
 * either.
 */
const keepIfUnavailable = (stream: Stream) => (error: unknown) => {
  if (error instanceof AppError && error.status < 500) throw error;
  return stream.principal;
};

const keyOf = (types: readonly EventType[]): string =>
  EVENT_TYPES.map((type) => (types.includes(type) ? "1" : "0")).join("");
