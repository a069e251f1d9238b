/** Requests per hour and key, by tier (contract, section 8). */
export const TIER_LIMITS = { free: 100, pro: 1_000, enterprise: 10_000 } as const;

export type Tier = keyof typeof TIER_LIMITS;

/**
 * An hourly limit for a key (by tier), a user's sessions, a service account (by its organization's plan) or SCIM
 * requests.
 */
export type Policy = Tier | "session" | "scim" | `service ${Tier}`;

/** Name of an hourly limit in headers. The limits of service accounts have the same name on every plan. */
export type PolicyName = Tier | "session" | "scim" | "service";

export const nameOfPolicy = (policy: Policy): PolicyName =>
  policy.startsWith("service ") ? "service" : (policy as PolicyName);

export const TIERS = Object.keys(TIER_LIMITS) as [Tier, ...Tier[]];

/** Length of a limit's window, which starts with the first request. */
export const WINDOW_SECONDS = 3_600;
