import { requireRecentProof } from "../../access/principal.js";
import { unauthenticated } from "../../access/session.js";
import { write } from "../../data/database/transaction.js";
import { isManaged } from "../../data/directory/write-users.js";
import { cancelChangeMails } from "../../data/notifications/mail-jobs.js";
import { canBeUndone, endMailLink } from "../../data/people/mail-links.js";
import type { StoredSession } from "../../data/people/sessions.js";
import { lockUser } from "../../data/people/write-users.js";
import { foldEmail } from "../../domain/people/email.js";
import { queueLinkMail } from "../notifications/link-mail.js";
import { mailNewLink } from "../notifications/mailed-links.js";
import { lockActiveSession } from "../sessions/active-session.js";
import { fieldConflict, mailRequired, requireNoFaults } from "./account-errors.js";
import { type AccountsContext, type ClientInfo, writerOf } from "./context.js";

/**
 * Mails a confirmation link to the user's new address and, if the current address is confirmed, a link there that
 * cancels the change. The current address remains valid until the new one is confirmed. The result does not reveal
 * whether the new address has an account. Rejects with OPERATOR_REQUIRED without a mail server, with
 * REAUTHENTICATION_REQUIRED, and with VALIDATION_FAILED for the current address. Rejects with CONFLICT if a directory
 * manages the address, and while the owner of the previous address can still undo the last change.
 */
export async function requestEmailChange(
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
    // The account and the session may have changed while the body arrived.
    const account = await lockUser(sql, user.id);
    const current = await lockActiveSession(sql, session.id);
    if (account === null) throw unauthenticated("This account no longer exists.");
    requireRecentProof({ session: current, hasFactor: account.hasFactor }, now);
    if (foldEmail(email) === foldEmail(account.email))
      requireNoFaults({ email: "expected a different address, got the current one" });
    if (await isManaged(sql, user.id))
      throw fieldConflict(
        "email",
        "Your organization's directory manages your e-mail address. Ask its administrator to change it.",
      );
    if (await canBeUndone(sql, { id: user.id, email: account.email }, now))
      throw fieldConflict(
        "email",
        "Your e-mail address was changed less than 7 days ago. Try again when 7 days have passed.",
      );
    await endMailLink(sql, user.id, "change", now);
    await cancelChangeMails(sql, user.id);
    // If the current address is confirmed, nothing changes unless the cancel link can be sent to it. An unconfirmed
    // address gets no link: it may belong to a stranger, who could use the link to take over the account.
    const notice = { ...owner, kind: "cancel", email: account.email } as const;
    if (account.isConfirmed && !(await mailNewLink(resources, sql, notice))) return;
    await queueLinkMail(resources, sql, {
      ...owner,
      kind: "change",
      email,
      token: null,
      organizationId: null,
    });
  });
}
