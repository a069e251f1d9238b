import type { Resources } from "../../access/context.js";
import { write } from "../../data/database/transaction.js";
import { isMailWaiting, type MailJobRow } from "../../data/notifications/mail-jobs.js";
import { insertMailLink, type MailLinkKind } from "../../data/people/mail-links.js";
import { findAccountToReset } from "../../data/people/users.js";
import { isAddressFree } from "../../data/people/write-addresses.js";
import { lockUser } from "../../data/people/write-users.js";
import type { LinkMailKind } from "../../domain/notifications/link-mail.js";
import { makeMailLink } from "./mail-tokens.js";

/** An e-mail to send, whose link was created now. */
export interface LateMail {
  readonly kind: LinkMailKind;
  readonly email: string;
  readonly token: string | null;
}

/**
 * Creates the link of an e-mail that depends on the account. The request that queued the e-mail did not look the account
 * up, so that its time reveals nothing. Returns null if nothing is to be sent.
 */
export async function createLateLink(
  { database, pepper }: Pick<Resources, "database" | "pepper">,
  { id, kind, email, userId }: Pick<MailJobRow, "id" | "kind" | "email" | "userId">,
  now: Date,
): Promise<LateMail | null> {
  const owner =
    kind === "reset"
      ? await findAccountToReset(database, email)
      : userId === null
        ? null
        : { id: userId, email };
  if (owner === null) return null;
  return write(database, { actor: null, organizationId: null, requestId: id }, async (sql) => {
    const user = await lockUser(sql, owner.id);
    if (user === null || user.disabledAt !== null || !(await isMailWaiting(sql, id))) return null;
    if (kind === "change" && !(await isAddressFree(sql, owner.id, email, now)))
      return { kind: "address_used", email, token: null };
    const link = { userId: owner.id, kind: kind as MailLinkKind, email: owner.email, now };
    const { token, row } = makeMailLink(link, pepper);
    await insertMailLink(sql, row);
    return { kind, email: owner.email, token };
  });
}
