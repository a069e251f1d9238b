import { isToken } from "../../access/secrets/token.js";
import { write } from "../../data/database/transaction.js";
import { findSessionByToken } from "../../data/people/sessions.js";
import { endSession, endSessionsOf } from "../../data/people/write-sessions.js";
import { lockUser } from "../../data/people/write-users.js";
import {
  type AccountsContext,
  type ClientInfo,
  findByToken,
  hashesOf,
  writerOf,
} from "../accounts/context.js";
import { findProviderLogout } from "../sso/logout.js";

/** Result of signing out. */
export interface SignedOut {
  /** Number of ended sessions: 0 for a token without an active session. */
  readonly ended: number;
  /**
   * URL at which the provider that began the session ends its own session; null if none did, or if the URL is unknown.
   */
  readonly providerLogoutUrl: string | null;
}

/** Ends the session of a token, or with `all` every session of its user. */
export async function signOut(
  context: AccountsContext,
  token: string,
  all: boolean,
  client: ClientInfo,
): Promise<SignedOut> {
  const { database, noteChange } = context.resources;
  const { now, record } = client.request;
  const session = isToken("session", token)
    ? await findByToken(context, client, () => findSessionByToken(database, hashesOf(context, token)))
    : null;
  if (session === null) return { ended: 0, providerLogoutUrl: null };
  const { id, user, organization } = session;
  const organizationId = organization?.id ?? null;
  record.principal = { user_id: user.id, session_id: id, organization: organizationId };
  // Starts before the session ends, because an ended one may be deleted. Ending it must not wait for the provider.
  const providerLogout = session.isFromProvider
    ? findProviderLogout(context, id, now).catch(() => null)
    : null;
  const ended = await write(database, writerOf(user, client), async (sql) => {
    if (all) await lockUser(sql, user.id);
    const isEnded = await endSession(sql, id, now);
    // The token of an ended session must not end other sessions.
    return isEnded ? 1 + (all ? await endSessionsOf(sql, user.id, now) : 0) : 0;
  });
  noteChange({ table: "sessions", organizationId: all ? null : organizationId });
  return { ended, providerLogoutUrl: ended > 0 ? await providerLogout : null };
}
