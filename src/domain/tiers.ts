/** Requests per hour and key, by tier (contract, section 8). */
export const TIER_LIMITS = { free: 100, pro: 1_000, enterprise: 10_000 } as const;

export type Tier = keyof typeof TIER_LIMITS;

/** The name of an hourly limit: a key's tier, or `session` for a user's sessions. */
export type Policy = Tier | "session";

export const TIERS = Object.keys(TIER_LIMITS) as [Tier, ...Tier[]];

/** Length of the limit's window, which starts with the key's first request. */
export const WINDOW_SECONDS = 3_600;
