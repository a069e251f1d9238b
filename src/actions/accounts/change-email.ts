import { requireRecentProof } from "../../access/principal.js";
import { unauthenticated } from "../../access/session.js";
import { write } from "../../data/database/transaction.js";
import { isManaged } from "../../data/directory/write-users.js";
import { cancelChangeMails } from "../../data/notifications/mail-jobs.js";
import { endMailLink, findCancelAddress } from "../../data/people/mail-links.js";
import type { StoredSession } from "../../data/people/sessions.js";
import { lockUser } from "../../data/people/write-users.js";
import { foldEmail } from "../../domain/people/email.js";
import { queueLinkMail } from "../notifications/link-mail.js";
import { sendMailLink } from "../notifications/mailed-links.js";
import { lockActiveSession } from "../sessions/active-session.js";
import { mailRequired, requireNoFaults, taken } from "./account-errors.js";
import { type AccountsContext, type ClientInfo, writerOf } from "./context.js";

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
  client: ClientInfo,
): Promise<void> {
  const { user } = session;
  const { now } = client.request;
  if (resources.outbound.mailer === null) throw mailRequired("users change-email <email> <new>");
  const owner = { userId: user.id, address: client.request.address(), now };
  await write(resources.database, writerOf(user, client), async (sql) => {
    // Both may have changed since the session was found, while the body was on its way.
    const account = await lockUser(sql, user.id);
    const present = await lockActiveSession(sql, session.id);
    if (account === null) throw unauthenticated("The account was removed.");
    requireRecentProof({ session: present, hasFactor: account.hasFactor }, now);
    if (foldEmail(email) === foldEmail(account.email))
      requireNoFaults({ email: "expected another address, got the present one" });
    if (await isManaged(sql, user.id))
      throw taken("email", "The directory of your organization decides on your address.");
    const cancelAddress = await findCancelAddress(sql, user.id, now);
    if (cancelAddress !== null && foldEmail(cancelAddress) !== foldEmail(account.email))
      throw taken("email", "Your address was changed in the last 7 days. Change it again after that.");
    await endMailLink(sql, user.id, "change", now);
    await cancelChangeMails(sql, user.id);
    // Nothing changes unless the present address gets a link that cancels the change. If nobody has proved to own that
    // address, its reader must not get the account.
    const notice = { ...owner, kind: "cancel", email: account.email } as const;
    if (account.isConfirmed && !(await sendMailLink(resources, sql, notice))) return;
    await queueLinkMail(resources, sql, {
      ...owner,
      kind: "change",
      email,
      token: null,
      organizationId: null,
    });
  });
}
