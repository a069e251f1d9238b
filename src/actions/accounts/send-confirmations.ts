import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { listUnconfirmed } from "../../data/people/mail-links.js";
import type { StoredSession } from "../../data/people/sessions.js";
import { mailNewLink } from "../notifications/mailed-links.js";
import { mailRequired } from "./account-errors.js";
import { type AccountsContext, type ClientInfo, writerOf } from "./context.js";

/**
 * Mails confirmation links to the user's unconfirmed addresses. Returns all of these addresses, including any that have
 * received too many links to get another one. Rejects with OPERATOR_REQUIRED without a mail server.
 */
export async function sendConfirmations(
  context: AccountsContext,
  { user }: StoredSession,
  client: ClientInfo,
): Promise<string[]> {
  const { database, outbound } = context.resources;
  if (outbound.mailer === null) throw mailRequired("users confirm-email <email>");
  return write(database, writerOf(user, client), (sql) => sendConfirmationsTo(context, sql, user.id, client));
}

/** Queues confirmation links to a user's unconfirmed addresses, and returns the addresses. */
export async function sendConfirmationsTo(
  { resources }: Pick<AccountsContext, "resources">,
  sql: SqlSession,
  userId: string,
  { request }: ClientInfo,
): Promise<string[]> {
  const unconfirmed = await listUnconfirmed(sql, userId);
  const owner = { userId, address: request.address(), now: request.now };
  for (const address of unconfirmed) await mailNewLink(resources, sql, { ...address, ...owner });
  return unconfirmed.map(({ email }) => email);
}
