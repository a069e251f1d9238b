import { listChains } from "../data/audit/chain.js";
import { verifyChain } from "../data/audit/verify-chain.js";
import type { Database } from "../data/database/types.js";
import { findOrganization, listOrganizations } from "../data/organizations/organizations.js";
import { refuseUnknown } from "./organizations.js";

/** Whether one chain of the audit trail is whole. */
export interface ChainReport {
  /** The organization's id; null for the platform's chain. */
  readonly organization_id: string | null;
  /** Its slug; null for the platform, and for an organization that was deleted. */
  readonly organization: string | null;
  readonly ok: boolean;
  /** How many fit, from the first one on. */
  readonly entries: number;
  readonly first_broken_seq: number | null;
  /** What is wrong with that entry. */
  readonly problem: string | null;
  readonly head: { readonly seq: number; readonly hash: string } | null;
}

/** Whether the audit trail is whole; the JSON output of the command. */
export interface TrailReport {
  readonly ok: boolean;
  readonly chains: readonly ChainReport[];
}

/** Checks every chain of the audit trail, or one organization's. Throws OperatorError if there is no such organization. */
export async function verifyTrail(database: Database, slug: string | undefined): Promise<TrailReport> {
  const slugs = new Map((await listOrganizations(database)).map((one) => [one.id, one.slug]));
  const ids =
    slug === undefined
      ? await listChains(database)
      : [((await findOrganization(database, slug)) ?? refuseUnknown(slug)).id];
  const chains: ChainReport[] = [];
  for (const id of ids) {
    const { ok, entries, firstBrokenSeq, problem, head } = await verifyChain(database, id);
    const organization = id === null ? null : (slugs.get(id) ?? null);
    chains.push({
      ...{ organization_id: id, organization, ok, entries },
      ...{ first_broken_seq: firstBrokenSeq, problem, head },
    });
  }
  return { ok: chains.every(({ ok }) => ok), chains };
}
