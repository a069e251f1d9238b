import type { Resources } from "../../access/context.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { isMailWaiting, type MailJobRow } from "../../data/notifications/mail-jobs.js";
import { insertMailLink, type MailLinkKind } from "../../data/people/mail-links.js";
import { isAddressFree } from "../../data/people/write-addresses.js";
import { lockEnabledAccount, lockUser } from "../../data/people/write-users.js";
import { mustUseProvider } from "../../data/sso/enforcement.js";
import type { LinkMailKind } from "../../domain/notifications/link-mail.js";
import { createMailLink } from "./mail-tokens.js";

/** An e-mail to send. `token` is the secret in its link, or null for a notice. */
export interface DeferredMail {
  readonly kind: LinkMailKind;
  readonly email: string;
  readonly token: string | null;
}

/**
 * Creates the link of an e-mail that depends on the account. The request that queued the e-mail did not look up the
 * account, so that its duration reveals nothing. Returns null if no e-mail is due.
 */
export async function createDeferredLink(
  { database, pepper }: Pick<Resources, "database" | "pepper">,
  { id, kind, email, userId }: Pick<MailJobRow, "id" | "kind" | "email" | "userId">,
  now: Date,
): Promise<DeferredMail | null> {
  return write(database, { actor: null, organizationId: null, requestId: id }, async (sql) => {
    const owner =
      kind === "reset" ? await lockEnabledAccount(sql, email) : await lockOwner(sql, userId, email);
    if (owner === null || !(await isMailWaiting(sql, id))) return null;
    if (kind === "change" && !(await isAddressFree(sql, owner.id, email, now)))
      return { kind: "address_used", email, token: null };
    if (kind === "reset" && (await mustUseProvider(sql, owner)))
      return { kind: "sso_required", email: owner.email, token: null };
    const link = { userId: owner.id, kind: kind as MailLinkKind, email: owner.email, now };
    const { token, row } = createMailLink(link, pepper);
    await insertMailLink(sql, row);
    return { kind, email: owner.email, token };
  });
}

/** Locks the enabled account that a new address is for. */
async function lockOwner(sql: SqlSession, id: string | null, email: string) {
  const user = id === null ? null : await lockUser(sql, id);
  return id === null || user === null || user.disabledAt !== null ? null : { id, email };
}
