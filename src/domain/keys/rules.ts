/** States of a key. `expiring`: it expires within a week, or was replaced and goes on for a while. */
export const KEY_STATUSES = ["active", "expiring", "expired", "revoked"] as const;

export type KeyStatus = (typeof KEY_STATUSES)[number];

/** How long before its end a key is `expiring`. */
export const EXPIRING_DAYS = 7;

/** The most keys of an organization that work at the same time: with any number, limits by key would mean nothing. */
export const MOST_KEYS = 20;

/** The most characters of a key's name. */
export const MOST_KEY_NAME = 80;

/** For how many hours a key that is replaced may go on. */
export const OVERLAP_HOURS: readonly number[] = [0, 1, 24, 168];

/** For how many days the use of keys is kept. */
export const USAGE_DAYS = 90;
