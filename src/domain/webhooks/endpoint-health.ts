/** Maximum number of an organization's endpoints. */
export const MAX_ENDPOINTS = 10;

/** Maximum number of an endpoint's patterns of event types. */
export const MAX_TYPES = 50;

/** Maximum number of requests in progress to an endpoint. */
export const MAX_IN_FLIGHT = 16;

/** Consecutive failed attempts after which an endpoint is failing. */
export const FAILING_AFTER = 10;

/** Duration without a success after which a failing endpoint is disabled. */
export const UNREACHABLE_MS = 5 * 86_400_000;

/** Days for which deliveries are listed. */
export const DELIVERY_DAYS = 30;

/** Maximum number of deliveries that one request resends. */
export const MAX_RESENT = 10_000;

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];

/** Delays before each retry of a delivery. The delivery is abandoned when the last retry fails. */
const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Random share of a delay, so that retries to many endpoints do not coincide. */
const JITTER = 0.1;

/** Returns the time of the next attempt after `attempts` failed ones, with ±10 % jitter; null after the last one. */
export function nextAttemptAt(attempts: number, now: Date, random = Math.random()): Date | null {
  const delay = RETRY_DELAYS_MS[attempts - 1];
  if (delay === undefined) return null;
  return new Date(now.getTime() + Math.round(delay * (1 - JITTER + 2 * JITTER * random)));
}

/** Reason an endpoint is disabled: a caller's request, status 410, or five days without a success. */
export type DisabledReason = "request" | "gone" | "unreachable";

/** The latest attempts of an endpoint. */
export interface Health {
  /** Number of consecutive failed attempts. */
  readonly failures: number;
  /** Time of the first of these failures; null without one. */
  readonly failingSince: Date | null;
}

/** Returns true for a failing endpoint. The gateway makes only one attempt at a time to deliver to it. */
export const isFailing = ({ failures }: Pick<Health, "failures">): boolean => failures >= FAILING_AFTER;

/** Returns the health after an attempt at `now`. */
export const countAttempt = ({ failures, failingSince }: Health, isSuccess: boolean, now: Date): Health =>
  isSuccess
    ? { failures: 0, failingSince: null }
    : { failures: failures + 1, failingSince: failingSince ?? now };

/** Returns the reason to disable an endpoint after a failed attempt at `now`, or null. */
export function findDisabledReason(
  health: Health,
  status: number | null,
  now: Date,
): Exclude<DisabledReason, "request"> | null {
  if (status === 410) return "gone";
  return isUnreachable(health, now) ? "unreachable" : null;
}

/** Returns true if a failing endpoint has accepted nothing for five days. */
export const isUnreachable = (health: Health, now: Date): boolean =>
  isFailing(health) &&
  health.failingSince !== null &&
  now.getTime() - health.failingSince.getTime() >= UNREACHABLE_MS;
