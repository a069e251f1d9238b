/** Types of access to an account that someone may have added, and that its owner can remove with a mailed link. */
export const ADDITION_KINDS = [
  "totp",
  "passkey",
  "recovery_codes",
  "identity",
  "session",
  "email_change",
  "notification_address",
  "notification_webhook",
] as const;

export type AdditionKind = (typeof ADDITION_KINDS)[number];

/** Types of an organization's own rows that a user may have added. Removing access does not remove them. */
export const LEFT_KINDS = [
  "membership",
  "invitation",
  "api_key",
  "service_account",
  "webhook_endpoint",
] as const;

export type LeftKind = (typeof LEFT_KINDS)[number];

/** Something that was added to an account. */
export interface Addition {
  readonly kind: AdditionKind;
  /** For `totp` and `recovery_codes`, the account's id. */
  readonly id: string;
  /** Name of a passkey, organization of an identity, user agent of a session, address or host; empty if unknown. */
  readonly name: string;
  /** Null if the time is unknown. */
  readonly addedAt: Date | null;
}

/** An addition in an e-mail, which contains no names. */
export interface MailedAddition {
  readonly kind: AdditionKind;
  /** ISO 8601; null if the time is unknown. */
  readonly addedAt: string | null;
}

/** Something that a user added to an organization. */
export interface LeftAddition {
  readonly kind: LeftKind;
  readonly name: string;
  /** Name of the organization. */
  readonly organization: string;
  readonly addedAt: Date;
}

const DAY_MS = 86_400_000;

/** Days of additions that are removed together. */
export const REACH_DAYS = 7;

/** Returns the start of the additions that an event at `time` makes doubtful. */
export const reachFrom = (time: Date): Date => new Date(time.getTime() - REACH_DAYS * DAY_MS);

/**
 * Hours before a mailed link sets a password, once a mailed link has removed the last second factor. Without the wait,
 * access to the mailbox would be enough to get past a new factor.
 */
export const HOLD_HOURS = 24;

/** Returns additions as an e-mail lists them. */
export const mailed = (additions: readonly Addition[]): MailedAddition[] =>
  additions.map(({ kind, addedAt }) => ({ kind, addedAt: addedAt?.toISOString() ?? null }));

const NOUNS: Readonly<Record<AdditionKind, string>> = {
  totp: "an authenticator app",
  passkey: "a passkey",
  recovery_codes: "a set of recovery codes",
  identity: "single sign-on with an organization's provider",
  session: "a session",
  email_change: "a change of your e-mail address",
  notification_address: "an e-mail address for notifications",
  notification_webhook: "a webhook for notifications",
};

/** Writes a list of additions for an e-mail, one a line. */
export const writeAdditions = (additions: readonly MailedAddition[]): string =>
  additions
    .map(
      ({ kind, addedAt }) =>
        `- ${NOUNS[kind]}${addedAt ? `, added on ${writeMinute(new Date(addedAt))}` : ""}`,
    )
    .join("\n");

/** Writes a time like `2026-11-20 10:00 UTC`. */
export const writeMinute = (time: Date): string => `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
