import { randomUUID } from "node:crypto";
import type { SqlSession } from "../../data/database/types.js";
import { listMailableOwners } from "../../data/domains/write-domains.js";
import { findConnectionOfSession } from "../../data/sso/connections.js";
import {
  findEnforcedConnection,
  isReserved,
  listBreakGlassOf,
  mustUseProvider,
} from "../../data/sso/enforcement.js";
import { recordEvent } from "../../data/sso/events.js";
import { AppError } from "../../errors.js";
import type { RequestInfo } from "../../http/request-info.js";
import { wrongCredentials } from "../accounts/account-errors.js";
import { type MailQueue, queueLinkMail } from "../notifications/link-mail.js";
import { notifyOfSecurity } from "../notifications/security.js";

type Person = { readonly id: string; readonly email: string };

/**
 * Throws INVALID_CREDENTIALS if a locked user must sign in with a provider. Records the use of a break-glass account,
 * and mails all owners.
 */
export async function requireDirectSignIn(
  { resources }: { readonly resources: MailQueue },
  sql: SqlSession,
  person: Person,
  request: Pick<RequestInfo, "now" | "address">,
): Promise<void> {
  if (await mustUseProvider(sql, person)) throw wrongCredentials();
  const { now } = request;
  for (const { organizationId } of await listBreakGlassOf(sql, person.id)) {
    await recordEvent(sql, { organizationId, action: "break_glass.used", targetId: person.id }, now);
    const owners = await listMailableOwners(sql, organizationId);
    const title = "A break-glass account was used";
    // Without the organization: a person who signs in may not write in it yet.
    await notifyOfSecurity(sql, {
      organizationId: null,
      to: { users: owners.map(({ id }) => id) },
      key: `break-glass ${randomUUID()}`,
      title,
      summary: title,
      link: "/console/settings/security",
      isMailed: true,
      now,
    });
    const address = request.address();
    for (const { id: userId, email } of owners) {
      const mail = { kind: "break_glass_used", email, userId, organizationId: null, token: null } as const;
      await queueLinkMail(resources, sql, { ...mail, address, now });
    }
  }
}

/**
 * Throws FORBIDDEN if an organization requires the user of a session to sign in with its provider, and another method
 * began the session: the user may have become a member since then.
 */
export async function requireProviderSession(
  sql: SqlSession,
  { id, user }: { readonly id: string; readonly user: Person },
  organizationId: string,
): Promise<void> {
  const enforced = await findEnforcedConnection(sql, user);
  if (enforced?.organizationId !== organizationId) return;
  const connection = await findConnectionOfSession({ select: sql.query }, id);
  if (connection?.id === enforced.id) return;
  throw new AppError(
    "FORBIDDEN",
    "The organization requires you to sign in with its identity provider. Sign in again.",
  );
}

/** Throws FORBIDDEN if an organization requires its provider for all addresses in the domain of this one. */
export async function requireFreeAddress(sql: Pick<SqlSession, "query">, email: string): Promise<void> {
  if (!(await isReserved(sql, email))) return;
  const message =
    "This e-mail address belongs to an organization that requires sign-in with its identity provider.";
  throw new AppError("FORBIDDEN", message);
}
