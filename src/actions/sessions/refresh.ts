import { isToken } from "../../access/secrets/token.js";
import { unauthenticated } from "../../access/session.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { findRefreshedSession, findRefreshTokenUse } from "../../data/people/refresh-tokens.js";
import { endSession, lockSession, renewSession } from "../../data/people/write-sessions.js";
import type { AppError } from "../../errors.js";
import { refreshTokenReused } from "../accounts/account-errors.js";
import {
  type AccountsContext,
  type ClientInfo,
  findByToken,
  hashesOf,
  writerOf,
} from "../accounts/context.js";
import { createTokens, endOfRefresh, type IssuedSession } from "./tokens.js";

/** A refresh token that is repeated within this time is a client's retry. After that, it is treated as theft. */
const SECOND_ATTEMPT_MS = 30_000;

/**
 * Replaces both tokens of a session. Rejects with UNAUTHENTICATED if the token, session or account is not valid, and
 * with RATE_LIMIT_EXCEEDED after too many changes of the session. Ends the session and rejects with
 * REFRESH_TOKEN_REUSED if the refresh token was used more than 30 seconds ago.
 */
export async function refresh(
  context: AccountsContext,
  refreshToken: string,
  client: ClientInfo,
): Promise<IssuedSession> {
  const { database, pepper, noteChange } = context.resources;
  const { now, record, log } = client.request;
  if (!isToken("refresh", refreshToken)) throw unauthenticated("The token is not a refresh token.");
  const hashes = hashesOf(context, refreshToken);
  const found = await findByToken(context, client, () => findRefreshedSession(database, hashes));
  if (found === null) throw unauthenticated("There is no such session.");
  const { id, userId } = found;
  await context.countSessionChange(id);

  const replace = async (sql: SqlSession) => {
    // One request at a time: of several with the same token, only the first gets new tokens.
    const session = await lockSession(sql, id);
    if (session === null) return unauthenticated("The session does not exist.");
    const { organizationId, refreshHash, revokedAt, expiresAt } = session;
    record.principal = { user_id: userId, session_id: id, organization: organizationId };
    if (revokedAt !== null) return unauthenticated("The session was ended.");
    if (now >= expiresAt) return unauthenticated("The session has expired.");
    if (refreshHash === null || !hashes.includes(refreshHash)) {
      return (await endIfStolen(sql)) ?? unauthenticated("The refresh token was used a moment ago.");
    }
    if (now >= endOfRefresh(session)) return unauthenticated("The refresh token has expired.");
    if (!session.isAllowed) return unauthenticated("The account is disabled, or no longer a member.");
    const { proof, issue } = createTokens(session, pepper, now);
    await renewSession(sql, id, session, proof, now);
    return issue(id);
  };
  const endIfStolen = async (sql: SqlSession): Promise<AppError | null> => {
    const usedAt = await findRefreshTokenUse(sql, hashes);
    if (usedAt === null || now.getTime() - usedAt.getTime() <= SECOND_ATTEMPT_MS) return null;
    await endSession(sql, id, now);
    log.warn({ session_id: id, user_id: userId }, "a refresh token was reused: its session was ended");
    return refreshTokenReused();
  };

  // Failures are returned rather than thrown, so that the end of a session is committed.
  const result = await write(database, writerOf({ id: userId }, client), replace);
  noteChange({ table: "sessions", organizationId: record.principal?.organization ?? null });
  if (result instanceof Error) throw result;
  return result;
}
