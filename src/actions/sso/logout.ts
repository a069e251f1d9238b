import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { listHashes } from "../../access/secrets/api-key.js";
import { readLogoutToken } from "../../access/sso/logout-token.js";
import { write } from "../../data/database/transaction.js";
import { spendToken } from "../../data/second-factors/spent-tokens.js";
import { type Connection, findConnectionOfSession } from "../../data/sso/connections.js";
import { asQueryable } from "../../data/sso/enforcement.js";
import { endProviderSessions, listUsersOf } from "../../data/sso/identities.js";
import { type AccountsContext, type ClientInfo, writerOf } from "../accounts/context.js";

/**
 * Ends the sessions that a logout token of a provider names. Returns false, and ends none, if the token is invalid or
 * was used before.
 */
export async function endByProvider(
  { resources }: AccountsContext,
  connection: Connection,
  token: string,
  client: ClientInfo,
): Promise<boolean> {
  const { database, outbound, peppers, noteChange } = resources;
  const { request } = client;
  const { now } = request;
  const logout = await readLogoutToken(outbound.providers, connection, token, now);
  if (logout === null) return false;
  const { id: connectionId, organizationId } = connection;
  const { sid, subject, jti, expiresAt } = logout;
  const named = { connectionId, subject, sidHashes: sid === null ? null : listHashes(sid, peppers) };
  const visitor = { actor: null, organizationId, requestId: request.id };
  const isFirst = await write(database, visitor, (sql) =>
    spendToken(sql, hash("sha256", `logout ${connectionId} ${jti}`), expiresAt),
  );
  if (!isFirst) return false;
  // A session that has switched to another organization is left to its user.
  for (const { id } of await listUsersOf(asQueryable(database), named))
    await write(database, writerOf({ id }, client, organizationId), (sql) =>
      endProviderSessions(sql, { ...named, userId: id }, now),
    );
  noteChange({ table: "sessions", organizationId: null });
  return true;
}

/** Maximum time a sign-out waits for the provider's metadata. */
const METADATA_WAIT_MS = 2_000;

/**
 * Returns the logout URL of the provider that began a session (OpenID Connect RP-Initiated Logout 1.0); null for other
 * sessions, and if the provider has none or does not respond in time.
 */
export async function findProviderLogout(
  { resources: { database, outbound } }: Pick<AccountsContext, "resources">,
  sessionId: string,
  now: Date,
): Promise<string | null> {
  const connection = await findConnectionOfSession(database, sessionId);
  if (connection === null) return null;
  const metadata = await Promise.race([
    outbound.providers.findMetadata(connection.issuer, now).catch(() => null),
    pause(METADATA_WAIT_MS, null, { ref: false }),
  ]);
  const endpoint = metadata?.end_session_endpoint;
  if (endpoint === undefined) return null;
  const url = new URL(endpoint);
  url.searchParams.set("client_id", connection.clientId);
  return url.href;
}
