import type { Policy } from "./tiers.js";

/** The state of an hourly limit after a request was counted. */
export interface RateLimitState {
  readonly policy: Policy;
  /** Requests per window. */
  readonly limit: number;
  /** Requests allowed in this window so far. */
  readonly used: number;
  readonly remaining: number;
  readonly msToReset: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly secondsToReset: number;
  /** False if this request exceeds the limit. */
  readonly allowed: boolean;
}

/** Returns the first whole second at which the window has ended, in seconds since 1970. */
export function resetSecond({ msToReset }: RateLimitState, now: Date): number {
  return Math.ceil((now.getTime() + msToReset) / 1_000);
}
