import { hashKey, type Pepper } from "../../access/secrets/api-key.js";
import { generateToken } from "../../access/secrets/token.js";
import type { NewAdditionLink } from "../../data/people/addition-links.js";
import type { MailLinkKind, NewMailLink } from "../../data/people/mail-links.js";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const LIFETIMES_MS: Readonly<Record<MailLinkKind, number>> = {
  confirm: DAY_MS,
  notifications: DAY_MS,
  reset: 30 * MINUTE_MS,
  change: DAY_MS,
  cancel: 7 * DAY_MS,
};

const ADDITION_LINK_MS = 7 * DAY_MS;

const TOKEN_KINDS = {
  confirm: "confirmation",
  notifications: "confirmation",
  reset: "reset",
  change: "change",
  cancel: "cancel",
} as const;

/** Returns the expiry of a link that is mailed now. */
export const expiryOf = (kind: MailLinkKind, now: Date): Date => new Date(now.getTime() + LIFETIMES_MS[kind]);

/** The owner and the kind of a link. */
export type LinkOwner = Pick<NewMailLink, "userId" | "kind" | "email"> & { readonly now: Date };

/** Creates the token of a link, and the row to store. */
export function createMailLink(
  { kind, now, ...owner }: LinkOwner,
  pepper: Pepper,
): { readonly token: string; readonly row: NewMailLink } {
  const token = generateToken(TOKEN_KINDS[kind]);
  return {
    token,
    row: {
      ...owner,
      kind,
      tokenHash: hashKey(token, pepper),
      createdAt: now,
      expiresAt: expiryOf(kind, now),
    },
  };
}

/** Creates the token of a link that removes one addition to an account, and the row to store. */
export function createAdditionLink(
  {
    now,
    ...addition
  }: Pick<NewAdditionLink, "userId" | "kind" | "targetId" | "addedAt"> & {
    readonly now: Date;
  },
  pepper: Pepper,
): { readonly token: string; readonly row: NewAdditionLink } {
  const token = generateToken("disown");
  const expiresAt = new Date(now.getTime() + ADDITION_LINK_MS);
  return { token, row: { ...addition, tokenHash: hashKey(token, pepper), expiresAt } };
}
