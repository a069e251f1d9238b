import { isToken } from "../../access/secrets/token.js";
import { write } from "../../data/database/transaction.js";
import { findSessionByToken } from "../../data/people/sessions.js";
import { endSession, endSessionsOf } from "../../data/people/write-sessions.js";
import { lockUser } from "../../data/people/write-users.js";
import { type AccountsContext, findByToken, hashesOf, type Visit, writerOf } from "../accounts/context.js";

/**
 * Ends the session of a token, or with `all` every session of its user. Returns the number of ended sessions: 0 for a
 * token without an active session.
 */
export async function signOut(
  context: AccountsContext,
  token: string,
  all: boolean,
  visit: Visit,
): Promise<number> {
  const { database, noteChange } = context.resources;
  const { now, record } = visit.request;
  const session = isToken("session", token)
    ? await findByToken(context, visit, () => findSessionByToken(database, hashesOf(context, token)))
    : null;
  if (session === null) return 0;
  const { id, user, organization } = session;
  const organizationId = organization?.id ?? null;
  record.principal = { user_id: user.id, session_id: id, organization: organizationId };
  const ended = await write(database, writerOf(user, visit), async (sql) => {
    if (all) await lockUser(sql, user.id);
    const isEnded = await endSession(sql, id, now);
    // The token of an ended session must not end other sessions.
    return isEnded ? 1 + (all ? await endSessionsOf(sql, user.id, now) : 0) : 0;
  });
  noteChange({ table: "sessions", organizationId: all ? null : organizationId });
  return ended;
}
