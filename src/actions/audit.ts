import { listChains } from "../data/audit/chain.js";
import { type ChainState, verifyChain } from "../data/audit/verify-chain.js";
import type { Database } from "../data/database/types.js";
import { findOrganization, listOrganizations } from "../data/organizations/organizations.js";
import { refuseUnknown } from "./organizations.js";

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
}

/** Checks every chain of the audit trail, or one organization's. Throws ActionError for an unknown slug. */
export async function verifyTrail(database: Database, slug: string | undefined): Promise<TrailReport> {
  const slugs = new Map((await listOrganizations(database)).map((one) => [one.id, one.slug]));
  const ids =
    slug === undefined
      ? await listChains(database)
      : [((await findOrganization(database, slug)) ?? refuseUnknown(slug)).id];
  const chains: ChainReport[] = [];
  for (const id of ids) {
    const organization = id === null ? null : (slugs.get(id) ?? null);
    chains.push({ organizationId: id, organization, ...(await verifyChain(database, id)) });
  }
  return { ok: chains.every(({ ok }) => ok), chains };
}
