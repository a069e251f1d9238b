/** How sessions prove themselves: by a browser's cookie, or by an access token. */
export const SESSION_KINDS = ["browser", "token"] as const;

export type SessionKind = (typeof SESSION_KINDS)[number];
