import { type ChainHead, hasEntry, listChains, PLATFORM_CHAIN } from "../data/audit/chain.js";
import { type CheckedChain, checkChain, recordCheck } from "../data/audit/check-chain.js";
import type { ChainState } from "../data/audit/verify-chain.js";
import { createFairQueue } from "../data/database/fair-queue.js";
import type { Database } from "../data/database/types.js";
import { listOrganizations } from "../data/organizations/organizations.js";
import { tooMany } from "../errors.js";
import { requireOrganization } from "./people/organizations.js";

/** Result of checking one chain of the audit trail. */
export interface ChainReport extends ChainState {
  /** Null for the platform's chain. */
  readonly organizationId: string | null;
  /** The organization's slug; null for the platform and for a deleted organization. */
  readonly organization: string | null;
}

/** Result of checking the audit trail. */
export interface TrailReport {
  readonly ok: boolean;
  readonly chains: readonly ChainReport[];
  /** The given head; `found` is true if the chains still contain it. Null if none was given. */
  readonly noted: (ChainHead & { readonly found: boolean }) | null;
}

export interface TrailOptions {
  /** Slug of the organization whose chain to check; all chains if omitted. */
  readonly organization?: string | undefined;
  /** A previously recorded head, which the chains must still contain. */
  readonly head?: ChainHead | undefined;
}

/** Maximum time a request waits for checks of other chains. */
const WAIT_MS = 10_000;

/** Limits checks to one at a time, because each occupies a connection and the event loop. */
const enqueue = createFairQueue({
  perOwner: 1,
  total: 1,
  refuse: () => tooMany("Other audit trails are being checked.", 5_000),
});

/** Checks in progress for requests, by organization. */
const inProgress = new Map<string, Promise<CheckedChain>>();

/**
 * Checks an organization's chain from the last full check on, or the whole chain if a check finds a break. Requests of
 * the same organization share one check. Throws RATE_LIMIT_EXCEEDED after a long wait for other organizations' checks.
 */
export function verifyOwnTrail(database: Database, organizationId: string): Promise<CheckedChain> {
  const running = inProgress.get(organizationId);
  if (running) return running;
  const check = () => checkChain(database, organizationId, { whole: false });
  const started = enqueue({ ownerId: organizationId, msLeft: WAIT_MS }, check).finally(() =>
    inProgress.delete(organizationId),
  );
  inProgress.set(organizationId, started);
  return started;
}

/** Checks a whole chain, after any check in progress. */
const checkWhole = (database: Database, id: string | null): Promise<CheckedChain> =>
  enqueue({ ownerId: "all", msLeft: Number.POSITIVE_INFINITY }, () =>
    checkChain(database, id, { whole: true }),
  );

/** Checks a whole chain, and records the check so that requests can continue from it. Throws if the chain is broken. */
export async function checkTrail(database: Database, chain: string): Promise<void> {
  const organizationId = chain === PLATFORM_CHAIN ? null : chain;
  const state = await checkWhole(database, organizationId);
  await recordCheck(database, organizationId, state);
  if (!state.ok)
    throw new Error(`the audit trail is broken at entry ${state.firstBrokenSeq}: ${state.problem}`);
}

/** Checks every chain of the audit trail, or one organization's. Throws ActionError for an unknown slug. */
export async function verifyTrail(
  database: Database,
  { organization: slug, head }: TrailOptions,
): Promise<TrailReport> {
  const slugs = new Map((await listOrganizations(database)).map((one) => [one.id, one.slug]));
  const only = slug === undefined ? undefined : (await requireOrganization(database, slug)).id;
  const ids = only === undefined ? await listChains(database) : [only];
  const chains: ChainReport[] = [];
  for (const id of ids) {
    const organization = id === null ? null : (slugs.get(id) ?? null);
    const { verifiedFromSeq: _from, lastFullCheckAt: _at, ...state } = await checkWhole(database, id);
    chains.push({ organizationId: id, organization, ...state });
  }
  const noted = head ? { ...head, found: await hasEntry(database, only, head) } : null;
  return { ok: chains.every(({ ok }) => ok) && noted?.found !== false, chains, noted };
}
