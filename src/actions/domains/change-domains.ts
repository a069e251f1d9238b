import { randomInt } from "node:crypto";
import { BASE62 } from "../../access/secrets/api-key.js";
import { write } from "../../data/database/transaction.js";
import { type DomainRow, findDomain } from "../../data/domains/domains.js";
import {
  countLockedDomains,
  deleteDomain,
  insertDomain,
  lockDomain,
} from "../../data/domains/write-domains.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import type { FindTexts } from "../../delivery/dns-text.js";
import { MAX_DOMAINS, readDomain } from "../../domain/domains/domain-name.js";
import { ActionError, InvalidInput, requireFound } from "../action-error.js";
import { type ActorContext, requireConfirmedAndRecent } from "../actor-context.js";
import { checkClaim } from "./check-domain.js";

const TOKEN_LENGTH = 32;

const generateToken = (): string =>
  Array.from({ length: TOKEN_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join("");

/**
 * Claims a domain, to be proven by a TXT record. Throws InvalidInput, EMAIL_NOT_CONFIRMED, REAUTHENTICATION_REQUIRED,
 * and CONFLICT if the organization already has the domain or the maximum number of domains.
 */
export async function addDomain(caller: ActorContext, given: string): Promise<DomainRow> {
  const { resources, writer, now } = caller;
  const { organizationId } = writer;
  const domain = readDomain(given);
  if (domain === undefined) {
    const shown = given.length > 60 ? "something longer" : JSON.stringify(given);
    throw new InvalidInput("domain", "domain", `must be a domain such as example.com (got ${shown})`);
  }
  requireConfirmedAndRecent(caller);
  const token = generateToken();
  await write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    if ((await countLockedDomains(sql, organizationId)) >= MAX_DOMAINS) {
      const message = `The organization already has ${MAX_DOMAINS} domains, the maximum. Remove one first.`;
      throw new ActionError("CONFLICT", "domain", message);
    }
    if (!(await insertDomain(sql, { organizationId, domain, token }, now)))
      throw new ActionError("CONFLICT", "domain", `The organization already has the domain ${domain}.`);
  });
  return { domain, token, provenAt: null, checkedAt: null, failingSince: null };
}

/**
 * Looks up the record of a domain now. Throws NOT_FOUND, CONFLICT, EMAIL_NOT_CONFIRMED, REAUTHENTICATION_REQUIRED, and
 * RATE_LIMIT_EXCEEDED if too many lookups run at once.
 */
export async function checkDomain(caller: ActorContext, given: string): Promise<DomainRow> {
  const { resources, writer, now } = caller;
  requireConfirmedAndRecent(caller);
  const { domain, token } = await requireDomain(caller, given);
  const { database, outbound } = resources;
  const { organizationId } = writer;
  const findTexts: FindTexts = async (name) => {
    const queued = { ownerId: organizationId, msLeft: 2_000 };
    const texts = await outbound.enqueueLookup(queued, () => outbound.findTexts(name));
    // Time spent by name servers does not count against the request.
    writer.renewTime?.();
    return texts;
  };
  const checked = await checkClaim({ database, findTexts, writer, now }, { organizationId, domain, token });
  return requireFound(checked, "domain", given);
}

/**
 * Removes a domain, which ends single sign-on for its addresses. Throws NOT_FOUND, EMAIL_NOT_CONFIRMED and
 * REAUTHENTICATION_REQUIRED.
 */
export async function removeDomain(caller: ActorContext, given: string): Promise<DomainRow> {
  const { resources, writer } = caller;
  requireConfirmedAndRecent(caller);
  const { domain } = await requireDomain(caller, given);
  return write(
    resources.database,
    writer,
    async (sql) => {
      const removed = requireFound(await lockDomain(sql, writer.organizationId, domain), "domain", given);
      await deleteDomain(sql, writer.organizationId, domain);
      return removed;
    },
    "domain.removed",
  );
}

const requireDomain = async ({ tenant }: ActorContext, given: string): Promise<DomainRow> =>
  requireFound(await findDomain(tenant, readDomain(given) ?? ""), "domain", given);
