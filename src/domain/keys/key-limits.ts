/** States of a key. `expiring`: expires within a week, or was replaced and is still valid. */
export const KEY_STATUSES = ["active", "expiring", "expired", "revoked"] as const;

export type KeyStatus = (typeof KEY_STATUSES)[number];

/** Number of days before expiry in which a key is `expiring`. */
export const EXPIRING_DAYS = 7;

/** Maximum number of an organization's valid keys. Without a maximum, limits per key would be meaningless. */
export const MAX_KEYS = 20;

/** Maximum length of a key's name, in characters. */
export const MAX_KEY_NAME = 80;

/** Maximum remaining lifetime in days of a key that a service account creates or widens. */
export const MAX_DAYS_BY_SERVICE_ACCOUNT = 90;

/** Maximum number of an organization's active service accounts. */
export const MAX_SERVICE_ACCOUNTS = 20;

/** Maximum number of a service account's valid tokens. */
export const MAX_SERVICE_TOKENS = 2;

/** Choices for the number of hours that a replaced key or token remains valid. */
export const OVERLAP_HOURS: readonly number[] = [0, 1, 24, 168];

/** Number of days for which key usage is stored. */
export const USAGE_DAYS = 90;
