/** Kinds of sessions, by credential: a browser's cookie or an access token. */
export const SESSION_KINDS = ["browser", "token"] as const;

export type SessionKind = (typeof SESSION_KINDS)[number];
