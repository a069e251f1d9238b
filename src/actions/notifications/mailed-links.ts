import type { SqlSession } from "../../data/database/types.js";
import { insertMailLink } from "../../data/people/mail-links.js";
import { type MailQueue, queueLinkMail } from "./link-mail.js";
import { createMailLink, type LinkOwner } from "./mail-tokens.js";

/**
 * Queues an e-mail with a new link. Returns false without a mail server, and after too many e-mails; none is then
 * queued, and the previous link still works.
 */
export async function mailNewLink(
  resources: MailQueue,
  sql: SqlSession,
  {
    address,
    ...owner
  }: LinkOwner & { readonly kind: "confirm" | "notifications" | "cancel"; readonly address: string | null },
): Promise<boolean> {
  const { token, row } = createMailLink(owner, resources.pepper);
  const { userId, email, now } = owner;
  const kind = owner.kind === "cancel" ? "cancel" : "confirm";
  const mail = { kind, email, token, userId, organizationId: null, address, now } as const;
  const isQueued = await queueLinkMail(resources, sql, mail);
  if (isQueued) await insertMailLink(sql, row);
  return isQueued;
}
