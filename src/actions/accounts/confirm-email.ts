import { isToken } from "../../access/secrets/token.js";
import { write } from "../../data/database/transaction.js";
import { confirmByLink, listUnconfirmed } from "../../data/people/mail-links.js";
import type { StoredSession } from "../../data/people/sessions.js";
import { AppError } from "../../errors.js";
import { sendConfirmation } from "../notifications/confirmations.js";
import { type AccountsContext, findByToken, hashesOf, type Visit, writerOf } from "./context.js";

/**
 * Confirms an e-mail address of the session's user with the single-use link that was sent to it, and returns the
 * address. Requires the session, so that somebody who follows a link does not confirm the address for a stranger who
 * entered it. Rejects with LINK_EXPIRED for any other link.
 */
export async function confirmAddress(
  context: AccountsContext,
  { user }: StoredSession,
  token: string,
  visit: Visit,
): Promise<string> {
  const { now } = visit.request;
  const email = isToken("confirmation", token)
    ? await findByToken(context, visit, () =>
        write(context.resources.database, writerOf(user, visit), (sql) =>
          confirmByLink(sql, user.id, hashesOf(context, token), now),
        ),
      )
    : null;
  if (email !== null) return email;
  throw new AppError("LINK_EXPIRED", "The link was used or replaced, has expired, or is not yours.");
}

/**
 * Sends links to the unconfirmed addresses of the session's user. Returns all of these addresses, including those that
 * have received too many links to get another one.
 */
export function sendConfirmations(
  { resources }: AccountsContext,
  { user }: StoredSession,
  visit: Visit,
): Promise<string[]> {
  const { now } = visit.request;
  return write(resources.database, writerOf(user, visit), async (sql) => {
    const unconfirmed = await listUnconfirmed(sql, user.id);
    for (const address of unconfirmed)
      await sendConfirmation(resources, sql, { ...address, userId: user.id, now });
    return unconfirmed.map(({ email }) => email);
  });
}
