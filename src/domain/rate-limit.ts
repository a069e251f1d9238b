import type { Tier } from "./tiers.js";

/** A key's budget after a request was counted against it. */
export interface RateLimitState {
  readonly tier: Tier;
  /** Requests a window. */
  readonly limit: number;
  /** Requests of this window that were let through. */
  readonly used: number;
  readonly remaining: number;
  readonly msToReset: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly secondsToReset: number;
  /** False when this request is over the limit. */
  readonly allowed: boolean;
}

/** The first whole second at which the window has ended, in seconds since 1970. */
export function resetSecond({ msToReset }: RateLimitState, now: Date): number {
  return Math.ceil((now.getTime() + msToReset) / 1_000);
}
