import type { Principal } from "../../access/principal.js";
import { requireScopes } from "../../access/require-scopes.js";
import { type EventPosition, parseEventId } from "../../domain/events/event-id.js";
import {
  EVENT_SCOPES,
  type EventType,
  eventTypesFor,
  findEventTypes,
} from "../../domain/events/event-types.js";
import { maskSecrets } from "../../domain/keys/secrets.js";
import { isIsoDate } from "../../domain/window.js";
import { AppError } from "../../errors.js";

/** Maximum number of types in a request. */
const MAX_TYPES = 200;

/** Arguments of a request for events. */
export interface EventRequest {
  /** Id of the event or entry after which to read. A list also accepts a day from which to read. */
  readonly after?: string | null | undefined;
  /** Names and patterns of types. Each string may have several, separated by commas. */
  readonly types?: readonly string[] | null | undefined;
}

/** Throws FORBIDDEN unless the principal has a scope for some event type. */
export function requireEventScope(principal: Principal): void {
  requireScopes(
    principal,
    EVENT_SCOPES.map((scope) => [scope]),
  );
}

const refuse = (argument: "after" | "types", expected: string, got: string) =>
  new AppError(
    "BAD_USER_INPUT",
    `${argument}: expected ${expected}, got ${maskSecrets(JSON.stringify(got.slice(0, 60)))}`,
    { extensions: { argument } },
  );

/**
 * Returns the requested event types that the principal's scopes allow; all allowed types by default. Throws
 * BAD_USER_INPUT.
 */
export function readEventTypes(
  { scopes }: Pick<Principal, "scopes">,
  requested: EventRequest["types"],
): readonly EventType[] {
  const allowed = eventTypesFor(scopes);
  if (requested == null) return allowed;
  const patterns = requested.flatMap((text) => text.split(","));
  if (patterns.length > MAX_TYPES) {
    throw refuse("types", `at most ${MAX_TYPES} types`, `${patterns.length}`);
  }
  const wanted = new Set(
    patterns.flatMap((pattern) => {
      const found = findEventTypes(pattern.trim());
      if (found.length > 0) return found;
      throw refuse("types", "event types such as facility.updated or facility.*", pattern);
    }),
  );
  return allowed.filter((type) => wanted.has(type));
}

const POSITION = "the id of an event or next_cursor, such as 4711-81070dcecdfac070";

/** Reads the id of an event; null if omitted. Throws BAD_USER_INPUT. */
export function readEventPosition(after: EventRequest["after"]): EventPosition | null {
  if (after == null) return null;
  const position = parseEventId(after);
  if (position) return position;
  throw refuse("after", POSITION, after);
}

/** Reads the id of an event or the start of a day; null if omitted. Throws BAD_USER_INPUT. */
export function readEventStart(after: EventRequest["after"]): EventPosition | Date | null {
  if (after == null) return null;
  const start = isIsoDate(after) ? new Date(after) : parseEventId(after);
  if (start) return start;
  throw refuse("after", `${POSITION}, or a day`, after);
}
