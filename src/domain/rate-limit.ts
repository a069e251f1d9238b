import type { PolicyName } from "./tiers.js";

/** State of an hourly limit, after counting a request unless it was only read. */
export interface RateLimitState {
  readonly policy: PolicyName;
  /** Requests per window. */
  readonly limit: number;
  /** Requests accepted in this window so far. */
  readonly used: number;
  readonly remaining: number;
  readonly msToReset: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly secondsToReset: number;
  /** False if this request exceeds the limit. */
  readonly allowed: boolean;
}

/** Returns the first whole second after the window, in seconds since 1970. */
export function resetSecond({ msToReset }: RateLimitState, now: Date): number {
  return Math.ceil((now.getTime() + msToReset) / 1_000);
}
