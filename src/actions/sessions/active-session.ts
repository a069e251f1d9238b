import { unauthenticated } from "../../access/session.js";
import type { SqlSession } from "../../data/database/types.js";
import { type LockedSession, lockSession } from "../../data/people/write-sessions.js";

/** Locks a session until the transaction ends, and returns it. Rejects with UNAUTHENTICATED if it was ended. */
export async function lockActiveSession(sql: SqlSession, id: string): Promise<LockedSession> {
  const session = await lockSession(sql, id);
  if (session === null || session.revokedAt !== null) throw unauthenticated("The session was ended.");
  return session;
}
