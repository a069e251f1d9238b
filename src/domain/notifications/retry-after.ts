/** The longest wait that a receiver can ask for. */
const LONGEST_MS = 24 * 3_600_000;

/** Statuses with which a receiver can ask to wait (RFC 9110, RFC 6585). */
const WAITING: readonly number[] = [429, 503];

/**
 * Returns the time until which an answer asks to wait, at most 24 hours from now. `retryAfter` is the header
 * Retry-After: seconds or a date. Null if the answer does not ask for it.
 */
export function readRetryAfter(
  { status, retryAfter = "" }: { readonly status: number; readonly retryAfter: string | undefined },
  now: Date,
): Date | null {
  if (!WAITING.includes(status)) return null;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now.getTime();
  return ms > 0 ? new Date(now.getTime() + Math.min(ms, LONGEST_MS)) : null;
}
