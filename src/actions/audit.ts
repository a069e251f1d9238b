import { type ChainHead, hasEntry, listChains } from "../data/audit/chain.js";
import { type ChainState, verifyChain } from "../data/audit/verify-chain.js";
import type { Database } from "../data/database/types.js";
import { findOrganization, listOrganizations } from "../data/organizations/organizations.js";
import { refuseUnknown } from "./people/organizations.js";

/** Whether one chain of the audit trail is whole. */
export interface ChainReport extends ChainState {
  /** Null for the platform's chain. */
  readonly organizationId: string | null;
  /** Its slug; null for the platform, and for an organization that was deleted. */
  readonly organization: string | null;
}

/** Whether the audit trail is whole. */
export interface TrailReport {
  readonly ok: boolean;
  readonly chains: readonly ChainReport[];
  /** A head that was noted earlier, and whether it is still in these chains; null if none was given. */
  readonly noted: (ChainHead & { readonly found: boolean }) | null;
}

/** Which chain is checked, all by default, and a head that was noted earlier and must still be in it. */
export interface TrailQuestion {
  readonly organization?: string | undefined;
  readonly head?: ChainHead | undefined;
}

/** Checks every chain of the audit trail, or one organization's. Throws ActionError for an unknown slug. */
export async function verifyTrail(
  database: Database,
  { organization: slug, head }: TrailQuestion,
): Promise<TrailReport> {
  const slugs = new Map((await listOrganizations(database)).map((one) => [one.id, one.slug]));
  const only =
    slug === undefined ? undefined : ((await findOrganization(database, slug)) ?? refuseUnknown(slug)).id;
  const ids = only === undefined ? await listChains(database) : [only];
  const chains: ChainReport[] = [];
  for (const id of ids) {
    const organization = id === null ? null : (slugs.get(id) ?? null);
    chains.push({ organizationId: id, organization, ...(await verifyChain(database, id)) });
  }
  const noted = head ? { ...head, found: await hasEntry(database, only, head) } : null;
  return { ok: chains.every(({ ok }) => ok) && noted?.found !== false, chains, noted };
}
