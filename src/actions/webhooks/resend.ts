import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { resendDeliveries } from "../../data/webhooks/write-endpoints.js";
import { parseEventId } from "../../domain/events/event-id.js";
import { ActionError, InvalidInput, requireFound } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { requireEndpoint } from "./endpoint-checks.js";

/** Locks an endpoint to send it something again. Throws NOT_FOUND, and CONFLICT if it is disabled. */
async function requireEnabled(sql: SqlSession, caller: ActorContext, id: string): Promise<void> {
  const { disabledAt } = await requireEndpoint(sql, caller, id);
  if (disabledAt === null) return;
  throw new ActionError("CONFLICT", "webhook", `The webhook endpoint ${id} is disabled: enable it first.`);
}

/** Sends a delivery again. Throws NOT_FOUND, and CONFLICT if the endpoint is disabled. */
export async function resendDelivery(caller: ActorContext, endpointId: string, id: string): Promise<void> {
  const { resources, writer, now } = caller;
  await write(resources.database, writer, async (sql) => {
    await requireEnabled(sql, caller, endpointId);
    const count = await resendDeliveries(sql, { endpointId, id }, false, now);
    requireFound(count > 0 || null, "delivery", id);
  });
}

/** Deliveries to send again: those of the events after `after`, up to `until`. */
export interface ResendRequest {
  readonly id: string;
  readonly after?: string | null | undefined;
  readonly until?: string | null | undefined;
  readonly status?: "failed" | null | undefined;
  readonly dryRun: boolean;
}

/**
 * Sends at most 10,000 deliveries again, oldest first, and returns their number. A dry run only counts them. Throws
 * InvalidInput for a malformed event id, NOT_FOUND, and CONFLICT if the endpoint is disabled.
 */
export async function resendMany(
  caller: ActorContext,
  { id, after, until, status, dryRun }: ResendRequest,
): Promise<number> {
  const { resources, writer: claiming, now } = caller;
  const { claim: _, ...counting } = claiming;
  // A dry run changes nothing, so it leaves the idempotency key to the real run.
  const writer = dryRun ? counting : claiming;
  const range = { after: readNumber("after", after), until: readNumber("until", until) };
  return write(resources.database, writer, async (sql) => {
    if (dryRun) await requireEndpoint(sql, caller, id);
    else await requireEnabled(sql, caller, id);
    return resendDeliveries(sql, { endpointId: id, ...range, status: status ?? null }, dryRun, now);
  });
}

function readNumber(field: string, id: string | null | undefined): number | null {
  if (id == null) return null;
  const place = parseEventId(id);
  if (place) return place.seq;
  throw new InvalidInput("webhook", field, "must be the id of an event, such as 4711-81070dcecdfac070");
}
