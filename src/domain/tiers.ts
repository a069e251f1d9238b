/** Requests per hour and key, by tier (contract, section 8). */
export const TIER_LIMITS = { free: 100, pro: 1_000, enterprise: 10_000 } as const;

export type Tier = keyof typeof TIER_LIMITS;

/**
 * An hourly limit: that of a key's tier, of a user's sessions, of a service account, which has the limit of its
 * organization's plan, or of a service account's requests as a directory.
 */
export type Policy = Tier | "session" | "scim" | `service ${Tier}`;

/** The name of an hourly limit, in headers: that of service accounts is the same on every plan. */
export type PolicyName = Tier | "session" | "scim" | "service";

/** Returns the name of an hourly limit. */
export const nameOfPolicy = (policy: Policy): PolicyName =>
  policy.startsWith("service ") ? "service" : (policy as PolicyName);

export const TIERS = Object.keys(TIER_LIMITS) as [Tier, ...Tier[]];

/** Length of the limit's window, which starts with the key's first request. */
export const WINDOW_SECONDS = 3_600;
