import type { Principal } from "../../access/principal.js";
import { requireScopes } from "../../access/require-scopes.js";
import { type EventPosition, parseEventId } from "../../domain/events/event-id.js";
import {
  EVENT_SCOPES,
  type EventType,
  eventTypesFor,
  findEventTypes,
} from "../../domain/events/event-types.js";
import { hideKeys } from "../../domain/keys/text.js";
import { isIsoDate } from "../../domain/window.js";
import { AppError } from "../../errors.js";

/** Maximum number of types in a request. */
const MOST_TYPES = 200;

/** Arguments of a request for events. */
export interface EventRequest {
  /** Id of the event or entry to read after. */
  readonly after?: string | null | undefined;
  /** Names and patterns of types. Each text may have several, separated by commas. */
  readonly types?: readonly string[] | null | undefined;
}

/** Throws unless the principal has a scope that opens a type of event. */
export function requireEventScope(principal: Principal): void {
  requireScopes(
    principal,
    EVENT_SCOPES.map((scope) => [scope]),
  );
}

const refuse = (argument: "after" | "types", expected: string, got: string) =>
  new AppError(
    "BAD_USER_INPUT",
    `${argument}: expected ${expected}, got ${hideKeys(JSON.stringify(got.slice(0, 60)))}`,
    { extensions: { argument } },
  );

/** Returns the requested types that the principal's scopes open; all of these without a request. Throws BAD_USER_INPUT. */
export function readEventTypes(
  { scopes }: Pick<Principal, "scopes">,
  requested: EventRequest["types"],
): readonly EventType[] {
  const open = eventTypesFor(scopes);
  if (requested == null) return open;
  const patterns = requested.flatMap((text) => text.split(","));
  if (patterns.length > MOST_TYPES) {
    throw refuse("types", `at most ${MOST_TYPES} types`, `${patterns.length}`);
  }
  const wanted = new Set(
    patterns.flatMap((pattern) => {
      const found = findEventTypes(pattern.trim());
      if (found.length > 0) return found;
      throw refuse("types", "types of events such as facility.updated or facility.*", pattern);
    }),
  );
  return open.filter((type) => wanted.has(type));
}

const PLACE = "the id of an event or next_cursor, such as 4711-81070dcecdfac070";

/** Reads the id of an event; null if it is absent. Throws BAD_USER_INPUT. */
export function readEventPosition(after: EventRequest["after"]): EventPosition | null {
  if (after == null) return null;
  const place = parseEventId(after);
  if (place) return place;
  throw refuse("after", PLACE, after);
}

/** Reads the id of an event, or the beginning of a day; null if it is absent. Throws BAD_USER_INPUT. */
export function readEventStart(after: EventRequest["after"]): EventPosition | Date | null {
  if (after == null) return null;
  const start = isIsoDate(after) ? new Date(after) : parseEventId(after);
  if (start) return start;
  throw refuse("after", `${PLACE}, or a day`, after);
}
