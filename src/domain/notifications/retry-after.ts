const MAX_MS = 24 * 3_600_000;

/** Statuses with which a receiver may send `Retry-After` (RFC 9110, RFC 6585). */
const WAITING: readonly number[] = [429, 503];

/**
 * Returns the time of the `Retry-After` header (seconds or a date), at most 24 hours from now; null unless it is in the
 * future and the status is 429 or 503.
 */
export function readRetryAfter(
  { status, retryAfter = "" }: { readonly status: number; readonly retryAfter: string | undefined },
  now: Date,
): Date | null {
  if (!WAITING.includes(status)) return null;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now.getTime();
  return ms > 0 ? new Date(now.getTime() + Math.min(ms, MAX_MS)) : null;
}
