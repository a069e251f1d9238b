import type { Database } from "../../data/database/types.js";
import { listAllDomains } from "../../data/domains/write-domains.js";
import type { FindTexts } from "../../delivery/dns-text.js";
import { type DomainStatus, statusOf } from "../../domain/domains/domain-name.js";
import { ActionError } from "../action-error.js";
import { checkClaim } from "./check-domain.js";

/** Result of checking a domain. */
export interface CheckedDomain {
  /** The organization's slug. */
  readonly organization: string;
  readonly domain: string;
  /** `taken` if the domain is proven for another organization. */
  readonly status: DomainStatus | "taken";
}

/** Checks all domains of all organizations, one at a time. */
export async function checkAllDomains(
  database: Database,
  findTexts: FindTexts,
  now: Date,
): Promise<CheckedDomain[]> {
  const checked: CheckedDomain[] = [];
  for (const claim of await listAllDomains(database)) {
    const { organization, domain } = claim;
    try {
      const result = await checkClaim({ database, findTexts, writer: "domains check", now }, claim);
      if (result !== null) checked.push({ organization, domain, status: statusOf(result) });
    } catch (error) {
      if (!(error instanceof ActionError && error.code === "CONFLICT")) throw error;
      checked.push({ organization, domain, status: "taken" });
    }
  }
  return checked;
}
