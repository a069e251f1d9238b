import type { Resources } from "../../access/context.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import {
  type ClaimedDomain,
  listMailableOwners,
  listOrganizationsWithDomains,
  listProvenDomains,
} from "../../data/domains/write-domains.js";
import { queueLinkMail } from "../notifications/link-mail.js";
import { notifyOfSecurity } from "../notifications/security.js";
import { checkClaim } from "./check-domain.js";

type DomainResources = Pick<Resources, "outbound" | "pepper">;

/** A little less than a day, so that a domain is checked at the same hour each day. */
const EVERY_MS = 23 * 3_600_000;

/** Lists organizations with a proven domain that is due for its daily check. */
export const listOrganizationsToCheck = (
  database: Database,
  { after, max, now }: { readonly after: string; readonly max: number; readonly now: Date },
): Promise<string[]> =>
  listOrganizationsWithDomains(database, { after, max, before: new Date(now.getTime() - EVERY_MS) });

/** Checks an organization's proven domains. Notifies its owners once a day of each domain whose record is missing. */
export async function checkDomains(
  resources: DomainResources,
  database: Database,
  organizationId: string,
  now: Date,
): Promise<void> {
  const { findTexts } = resources.outbound;
  for (const claim of await listProvenDomains(database, organizationId)) {
    const onMissing = (sql: SqlSession, checked: ClaimedDomain) => notifyOwners(resources, sql, checked, now);
    await checkClaim({ database, findTexts, writer: "serve", now, onMissing }, claim);
  }
}

async function notifyOwners(
  resources: DomainResources,
  sql: SqlSession,
  { organizationId, domain, provenAt }: ClaimedDomain,
  now: Date,
): Promise<void> {
  const isLost = provenAt === null;
  const title = isLost ? "A domain is no longer proven" : "The TXT record of a domain is missing";
  await notifyOfSecurity(sql, {
    organizationId,
    to: { membersWith: "manage:organization" },
    key: `domain ${domain} missing ${now.toISOString().slice(0, 10)}`,
    title,
    summary: title,
    body: `The TXT record of ${domain} is missing. ${isLost ? "Single sign-on for its addresses is off until you prove the domain again." : "Restore it: after 7 days without the record, the domain is no longer proven."}`,
    link: "/console/settings/security",
    isMailed: true,
    now,
  });
  for (const { id: userId, email } of await listMailableOwners(sql, organizationId)) {
    const mail = { kind: "domain_unchecked", email, userId, organizationId } as const;
    await queueLinkMail(resources, sql, { ...mail, token: null, address: null, now });
  }
}
