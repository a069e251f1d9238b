import { randomUUID } from "node:crypto";
import type { SqlSession } from "../../data/database/types.js";
import { listMailableOwners } from "../../data/domains/write-domains.js";
import { isReserved, listBreakGlassOf, mustUseProvider } from "../../data/sso/enforcement.js";
import { recordEvent } from "../../data/sso/events.js";
import { AppError } from "../../errors.js";
import type { RequestInfo } from "../../http/request-info.js";
import { wrongCredentials } from "../accounts/refusals.js";
import { type MailQueue, queueLinkMail } from "../notifications/link-mail.js";
import { tellOfSecurity } from "../notifications/security.js";

type Person = { readonly id: string; readonly email: string };

/**
 * Throws INVALID_CREDENTIALS if a user, whose row is locked, must sign in by a provider. The use of a break-glass account is
 * recorded, and mailed to all owners.
 */
export async function requireOtherWayIn(
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
    const title = "The break-glass account was used";
    // Without the organization: whoever signs in may not write in it yet.
    await tellOfSecurity(sql, {
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

/** Throws FORBIDDEN if an organization has everybody with an address of this domain sign in by its provider. */
export async function requireFreeAddress(sql: Pick<SqlSession, "query">, email: string): Promise<void> {
  if (!(await isReserved(sql, email))) return;
  const message = "The organization of this e-mail address has its people sign in with its own provider.";
  throw new AppError("FORBIDDEN", message);
}
