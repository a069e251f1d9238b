import type { User } from "../../access/principal.js";
import { BROWSER_IDLE_MS } from "../../access/session.js";
import type { SqlSession } from "../../data/database/types.js";
import { endExcessSessions } from "../../data/people/own-sessions.js";
import { findActiveOrganization, type OwnOrganization } from "../../data/people/users.js";
import { insertSession } from "../../data/people/write-sessions.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import type { AccountsContext, ClientInfo, Transport } from "../accounts/context.js";
import { requireDirectSignIn } from "../sso/enforcement-checks.js";
import { createTokens, endOfSession, type IssuedSession } from "./tokens.js";

const MAX_ADDRESS_LENGTH = 200;

/** Maximum number of a user's active sessions. */
const MAX_SESSIONS = 50;

/** Result of signing in. */
export interface SignedIn {
  readonly user: User;
  /** The active organization; null for a user without organizations. */
  readonly organization: Pick<OwnOrganization, "id" | "slug" | "name"> | null;
  readonly session: IssuedSession;
}

/** A session to begin. */
interface SessionStart {
  readonly transport: Transport;
  /** The organization of the session; by default, the last active one. */
  readonly active?: Pick<OwnOrganization, "id" | "slug" | "name"> | undefined;
  /** Time at which the user gave a second factor; null if none was given. */
  readonly factorAt?: Date | null;
  /** Time at which the user authenticated; now by default. */
  readonly authenticatedAt?: Date;
  /** The identity at the provider that began the session; undefined for other sign-ins. */
  readonly identity?: SessionIdentity | undefined;
}

export interface SessionIdentity {
  readonly id: string;
  /** Hash of the provider's id of the session; null without one. */
  readonly sidHash: string | null;
}

/**
 * Starts a session of a user who has just authenticated and whose row is locked. Ends the user's least recently used
 * session if there are 50.
 */
export async function beginSession(
  { resources }: Pick<AccountsContext, "resources">,
  sql: SqlSession,
  { request, userAgent }: ClientInfo,
  { id, email, name, createdAt }: User,
  { transport, active, factorAt = null, authenticatedAt, identity }: SessionStart,
): Promise<SignedIn> {
  const { now, record } = request;
  if (identity === undefined) await requireDirectSignIn({ resources }, sql, { id, email }, request);
  const organization = active ?? (await findActiveOrganization(sql, id));
  const kind: IssuedSession["kind"] = transport === "cookie" ? "browser" : "token";
  const expiresAt = endOfSession(kind, now);
  const { proof, issue } = createTokens({ kind, expiresAt }, resources.pepper, now);
  const session = {
    ...proof,
    userId: id,
    organizationId: organization?.id ?? null,
    kind,
    expiresAt,
    factorAt,
    authenticatedAt: authenticatedAt ?? now,
    identityId: identity?.id ?? null,
    ssoSidHash: identity?.sidHash ?? null,
    // Behind a proxy that passes on the headers of clients, the address may be any text.
    address: request.address().slice(0, MAX_ADDRESS_LENGTH) || null,
    userAgent: userAgent?.slice(0, TEXT_LIMITS.userAgent) ?? null,
  };
  const filter = { userId: id, now, idleSince: new Date(now.getTime() - BROWSER_IDLE_MS) };
  await endExcessSessions(sql, filter, MAX_SESSIONS - 1);
  const sessionId = await insertSession(sql, session, now);
  record.principal = { user_id: id, session_id: sessionId, organization: session.organizationId };
  return {
    user: { id, email, name, createdAt },
    organization: organization && {
      id: organization.id,
      slug: organization.slug,
      name: organization.name,
    },
    session: issue(sessionId),
  };
}
