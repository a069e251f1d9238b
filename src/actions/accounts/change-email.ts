import { requireRecentPassword } from "../../access/principal.js";
import { write } from "../../data/database/transaction.js";
import { cancelChangeMails } from "../../data/notifications/mail-jobs.js";
import { endMailLink, findCancelAddress } from "../../data/people/mail-links.js";
import type { StoredSession } from "../../data/people/sessions.js";
import { lockUser } from "../../data/people/write-users.js";
import { foldEmail } from "../../domain/people/email.js";
import { queueLinkMail } from "../notifications/link-mail.js";
import { sendMailLink } from "../notifications/mailed-links.js";
import { type AccountsContext, type Visit, writerOf } from "./context.js";
import { mailRequired, requireNoFaults, taken } from "./refusals.js";

/**
 * Sends a link to a new address of the session's user, and a notice with a link that cancels the change to the present
 * address. Until the new address is confirmed, the present one counts. Nothing here depends on whether the new address
 * has an account. Rejects with OPERATOR_REQUIRED without a mail server, with REAUTHENTICATION_REQUIRED, and with
 * CONFLICT while the reader of a former address can undo the last change: another change must not take that away.
 */
export async function requestChange(
  { resources }: AccountsContext,
  session: StoredSession,
  email: string,
  visit: Visit,
): Promise<void> {
  const { user } = session;
  const { now } = visit.request;
  if (resources.outbound.mailer === null) throw mailRequired("users change-email <email> <new>");
  requireRecentPassword({ session }, now);
  if (foldEmail(email) === foldEmail(user.email))
    requireNoFaults({ email: "expected another address, got the present one" });
  const owner = { userId: user.id, address: visit.request.address(), now };
  await write(resources.database, writerOf(user, visit), async (sql) => {
    await lockUser(sql, user.id);
    const cancelAddress = await findCancelAddress(sql, user.id, now);
    if (cancelAddress !== null && foldEmail(cancelAddress) !== foldEmail(user.email))
      throw taken("email", "Your address was changed in the last 7 days. Change it again after that.");
    await endMailLink(sql, user.id, "change", now);
    await cancelChangeMails(sql, user.id);
    const isNoticed = await sendMailLink(resources, sql, { ...owner, kind: "cancel", email: user.email });
    // Nothing changes unless the present address has a link that cancels the change.
    if (!isNoticed && cancelAddress === null) return;
    await queueLinkMail(resources, sql, {
      ...owner,
      kind: "change",
      email,
      token: null,
      organizationId: null,
    });
  });
}
