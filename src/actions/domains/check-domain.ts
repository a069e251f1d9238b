import { type Writer, write } from "../../data/database/transaction.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import { isUniqueViolation } from "../../data/database/unique-violation.js";
import { type ClaimedDomain, lockDomain, updateDomain } from "../../data/domains/write-domains.js";
import type { FindTexts, TextRecords } from "../../delivery/dns-text.js";
import { LAPSE_MS, recordOf } from "../../domain/domains/domain-name.js";
import { ActionError } from "../action-error.js";

/** Dependencies of a check. */
export interface DomainCheck {
  readonly database: Database;
  readonly findTexts: FindTexts;
  readonly writer: Writer;
  readonly now: Date;
  /** Called in the check's transaction if the name servers confirm that a proven domain has no record. */
  readonly onMissing?: (sql: SqlSession, domain: ClaimedDomain) => Promise<void>;
}

/**
 * Looks up the TXT record of a domain, stores the result and returns the domain; null if it was removed. A proof ends
 * once the record has been confirmed missing for a week. Throws CONFLICT if the domain is proven for another
 * organization.
 */
export async function checkClaim(
  { database, findTexts, writer, now, onMissing }: DomainCheck,
  { organizationId, domain, token }: Pick<ClaimedDomain, "organizationId" | "domain" | "token">,
): Promise<ClaimedDomain | null> {
  const { name, value } = recordOf(domain, token);
  const texts = await findTexts(name);
  try {
    return await write(database, writer, async (sql) => {
      const claim = await lockDomain(sql, organizationId, domain);
      // Another process may have removed the domain and added it again during the lookup.
      if (claim === null || claim.token !== token) return null;
      const checked = applyRecords(claim, texts, value, now);
      await updateDomain(sql, checked);
      if (claim.provenAt !== null && texts !== null && !texts.includes(value))
        await onMissing?.(sql, checked);
      return checked;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = `${domain} is proven for another organization. Remove its record there first.`;
    throw new ActionError("CONFLICT", "domain", message);
  }
}

function applyRecords(
  claim: ClaimedDomain,
  texts: TextRecords | null,
  value: string,
  now: Date,
): ClaimedDomain {
  const checked = { ...claim, checkedAt: now };
  if (texts === null) return checked;
  if (texts.includes(value)) return { ...checked, provenAt: claim.provenAt ?? now, failingSince: null };
  if (claim.provenAt === null) return checked;
  const failingSince = claim.failingSince ?? now;
  return now.getTime() - failingSince.getTime() < LAPSE_MS
    ? { ...checked, failingSince }
    : { ...checked, provenAt: null, failingSince: null };
}
