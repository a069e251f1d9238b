import { setTimeout as delay } from "node:timers/promises";
import type { Resources } from "../../access/context.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { type EventPage, listEvents } from "../../data/events/events.js";
import { readAsTenant } from "../../data/tenant/reader.js";
import {
  type AttemptResult,
  type Claim,
  type ClaimedEndpoint,
  type DueDelivery,
  findProbe,
  listDue,
  queueEvents,
  queueFailedSince,
  releaseEndpoint,
  renewClaim,
  settleAttempts,
  updateHealth,
} from "../../data/webhooks/claims.js";
import { WebhookFailure } from "../../delivery/webhook.js";
import { parseEventId } from "../../domain/events/event-id.js";
import { findEventTypes } from "../../domain/events/event-types.js";
import { readRetryAfter } from "../../domain/notifications/retry-after.js";
import { cutText, TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import {
  countAttempt,
  findDisabledReason,
  type Health,
  isFailing,
  isUnreachable,
  MAX_IN_FLIGHT,
  nextAttemptAt,
} from "../../domain/webhooks/endpoint-health.js";
import { AppError } from "../../errors.js";
import { limitTime } from "../../time-limit.js";
import { disableUnreachable } from "./disable-unreachable.js";
import { writeEventRequest } from "./webhook-request.js";

export interface EventDelivery {
  readonly resources: Resources;
  readonly clock: () => Date;
  readonly stopped: AbortSignal;
}

/** Duration after which a turn sends nothing new, so that other endpoints get theirs. */
const TURN_MS = 10_000;
/** Time to wait for more results, which are then stored together. */
const GATHER_MS = 10;

/** A finished attempt, with the end of the pause that the receiver requested. */
interface Finished extends AttemptResult {
  readonly waitUntil: Date | null;
}

/** Deliveries to send next to an endpoint. */
interface Step {
  readonly endpoint: ClaimedEndpoint;
  readonly due: readonly DueDelivery[];
  /** Number of events to read from the trail. */
  readonly room: number;
}

/**
 * Sends a claimed endpoint its due deliveries, and then its events in the order of the trail, at most 16 at once. An
 * event is queued before it is sent, together with the endpoint's place in the trail, so it is sent at least once even
 * if this process ends. A failing endpoint gets one attempt at a time, and its place advances only once
 * nothing else is pending.
 */
export async function deliverEvents(delivering: EventDelivery, claim: Claim): Promise<void> {
  const { resources, clock, stopped } = delivering;
  const { database } = resources;
  const end = performance.now() + TURN_MS;
  const inProgress = new Map<string, Promise<void>>();
  let finished: Finished[] = [];
  const begin = (endpoint: ClaimedEndpoint, delivery: DueDelivery) => {
    const progress = attempt(delivering, endpoint, delivery).then((result) => {
      inProgress.delete(delivery.id);
      if (result) finished.push(result);
    });
    inProgress.set(delivery.id, progress);
  };
  for (;;) {
    // Read together: an attempt that ended in between would be in neither list, and its event would be sent again.
    const settled = finished;
    const sending = [...inProgress.keys()];
    finished = [];
    const isOver = stopped.aborted || performance.now() > end;
    const step = await write(database, "serve", (sql) =>
      takeStep(sql, claim, settled, { inProgress: sending, isOver, now: clock() }),
    );
    if (step === undefined) break;
    for (const delivery of step.due) begin(step.endpoint, delivery);
    if (step.room > 0) {
      const page = await readEvents(delivering, claim, step);
      const place = { place: step.endpoint.place, ...page };
      const queued = await write(database, "serve", (sql) => queueEvents(sql, claim, place, clock()));
      if (queued === undefined) break;
      for (const delivery of queued) begin(step.endpoint, delivery);
      if (page.hasMore && inProgress.size < MAX_IN_FLIGHT && !isFailing(step.endpoint)) continue;
    }
    if (inProgress.size === 0 && finished.length === 0) break;
    if (finished.length === 0) await Promise.race(inProgress.values());
    await delay(GATHER_MS);
  }
  // Another process has claimed the endpoint, or this turn sends nothing more.
  await Promise.all(inProgress.values());
  await write(database, "serve", async (sql) => {
    await settleAttempts(sql, finished);
    await releaseEndpoint(sql, claim);
  });
}

/**
 * Stores the results of attempts, and chooses what to send next. Returns undefined if the process has lost the
 * endpoint.
 */
async function takeStep(
  sql: SqlSession,
  claim: Claim,
  settled: readonly Finished[],
  { inProgress, isOver, now }: { inProgress: readonly string[]; isOver: boolean; now: Date },
): Promise<Step | undefined> {
  const before = await renewClaim(sql, claim, now);
  if (settled.length > 0) await settleAttempts(sql, settled);
  if (before === undefined) return undefined;
  const endpoint = await applyResults(sql, claim, before, settled, now);
  const idle = { endpoint, due: [], room: 0 };
  const isPaused = endpoint.pausedUntil !== null && endpoint.pausedUntil > now;
  if (isOver || endpoint.isDisabled || isPaused) return idle;
  if (isFailing(endpoint)) {
    if (inProgress.length > 0) return idle;
    const probe = await findProbe(sql, claim.endpointId, now);
    if (probe) return { ...idle, due: probe.isDue ? [probe] : [] };
    if (endpoint.hasMore) return { ...idle, room: 1 };
    // Tries permanently failed deliveries one last time.
    if (endpoint.failingSince && isUnreachable(endpoint, now)) {
      const queued = await queueFailedSince(sql, claim.endpointId, endpoint.failingSince, now);
      if (queued === 0) await disableUnreachable(sql, claim, "unreachable", now);
    }
    return idle;
  }
  const max = MAX_IN_FLIGHT - inProgress.length;
  const due = await listDue(sql, claim.endpointId, { max, inProgress, now });
  return { endpoint, due, room: endpoint.hasMore ? max - due.length : 0 };
}

/** Updates an endpoint's health with the results of attempts, and disables it if it is gone or unreachable. */
async function applyResults(
  sql: SqlSession,
  claim: Claim,
  endpoint: ClaimedEndpoint,
  results: readonly Finished[],
  now: Date,
): Promise<ClaimedEndpoint> {
  if (results.length === 0) return endpoint;
  let health: Health = endpoint;
  let { pausedUntil } = endpoint;
  let reason: ReturnType<typeof findDisabledReason> = null;
  for (const { error, status, at, waitUntil } of results) {
    const isSuccess = error === null;
    if (isSuccess && isFailing(health) && health.failingSince)
      await queueFailedSince(sql, claim.endpointId, health.failingSince, now);
    health = countAttempt(health, isSuccess, at);
    if (!isSuccess) reason ??= findDisabledReason(health, status, at);
    if (waitUntil && (pausedUntil === null || waitUntil > pausedUntil)) pausedUntil = waitUntil;
  }
  await updateHealth(sql, claim, health, pausedUntil);
  if (reason && !endpoint.isDisabled) await disableUnreachable(sql, claim, reason, now);
  return { ...endpoint, ...health, pausedUntil, isDisabled: endpoint.isDisabled || reason !== null };
}

/** Reads the next events of an endpoint, from the oldest available one if its place is too old. */
async function readEvents(
  { resources: { database, site }, clock }: EventDelivery,
  { organizationId }: Claim,
  { endpoint, room }: Step,
): Promise<EventPage> {
  const now = clock();
  const tenant = readAsTenant(database, organizationId, { now, inTime: limitTime(database.timeLimitMs) });
  const types = [...new Set(endpoint.types.flatMap(findEventTypes))];
  const query = { types, limit: room, now, url: site.url() };
  try {
    return await listEvents(tenant, { ...query, after: parseEventId(endpoint.place) ?? null });
  } catch (error) {
    if (!(error instanceof AppError && error.code === "CURSOR_EXPIRED")) throw error;
    return listEvents(tenant, { ...query, after: null });
  }
}

/**
 * Sends a delivery once. Returns null if the gateway stopped before the response arrived; the attempt then does not
 * count.
 */
async function attempt(
  { resources, clock, stopped }: EventDelivery,
  endpoint: ClaimedEndpoint,
  { id, eventId, body, attempts: before }: DueDelivery,
): Promise<Finished | null> {
  const attempts = before + 1;
  try {
    const request = writeEventRequest(resources, endpoint, { id: eventId, body }, clock());
    const status = await resources.outbound.webhooks.post(request, stopped);
    return { id, attempts, status, error: null, at: clock(), nextAt: null, waitUntil: null };
  } catch (error) {
    if (stopped.aborted) return null;
    const at = clock();
    const answer = error instanceof WebhookFailure ? error.answer : null;
    const waitUntil = answer && readRetryAfter(answer, at);
    const planned = nextAttemptAt(attempts, at);
    return {
      id,
      attempts,
      status: answer?.status ?? null,
      error: cutText(error instanceof Error ? error.message : String(error), TEXT_LIMITS.name),
      at,
      nextAt: planned && waitUntil && waitUntil > planned ? waitUntil : planned,
      waitUntil,
    };
  }
}
