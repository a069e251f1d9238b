import { write } from "../database/transaction.js";
import type { Database } from "../database/types.js";
import { type ChainHead, hasEntry, PLATFORM_CHAIN } from "./chain.js";
import { CHAIN_START, type ChainState, verifyChain } from "./verify-chain.js";

/** The state of a chain, with the range that the check read. */
export interface CheckedChain extends ChainState {
  /** Number of the first entry read. The last full check covered the entries before it. */
  readonly verifiedFromSeq: number;
  /** Time of the last full check by a job; null if none has run. */
  readonly lastFullCheckAt: Date | null;
}

/** The latest full check of a chain, with the last entry that an intact full check read. */
interface LastCheck extends ChainHead {
  readonly checkedAt: Date;
  readonly isBroken: boolean;
}

async function findLastCheck(database: Database, organizationId: string | null): Promise<LastCheck | null> {
  const [last] = await database.select<LastCheck>(
    `SELECT seq, hash, checked_at AS "checkedAt", broken_seq IS NOT NULL AS "isBroken" FROM audit_checks WHERE chain = $1::uuid`,
    [organizationId ?? PLATFORM_CHAIN],
  );
  return last ?? null;
}

/**
 * Checks an organization's chain, or the platform's (null): the whole chain, or only the entries since the last full
 * check. Checks the whole chain after all if one of these entries is broken, or if the last full check found a break.
 * The last entry of that check must still be in the chain.
 */
export async function checkChain(
  database: Database,
  organizationId: string | null,
  { whole }: { readonly whole: boolean },
): Promise<CheckedChain> {
  const last = await findLastCheck(database, organizationId);
  const checked = (state: ChainState, start: ChainHead): CheckedChain => {
    return { ...state, verifiedFromSeq: start.seq + 1, lastFullCheckAt: last?.checkedAt ?? null };
  };
  const hasLastEntry =
    last === null || last.seq === 0 || (await hasEntry(database, organizationId ?? undefined, last));
  if (last && hasLastEntry && !last.isBroken && !whole) {
    const state = await verifyChain(database, organizationId, last);
    if (state.ok) return checked(state, last);
  }
  const state = await verifyChain(database, organizationId);
  if (!state.ok || hasLastEntry) return checked(state, CHAIN_START);
  const firstBrokenSeq = state.entries + 1;
  const problem = "it is missing, but existed at the last check";
  return checked({ ...state, ok: false, firstBrokenSeq, problem }, CHAIN_START);
}

/** Records a full check, so that later checks continue from it. If it found a break, keeps the previous last entry. */
export async function recordCheck(
  database: Database,
  organizationId: string | null,
  { ok, head, firstBrokenSeq }: ChainState,
): Promise<void> {
  const { seq, hash } = (ok && head) || CHAIN_START;
  await write(database, "serve", (sql) =>
    sql.execute(
      `INSERT INTO audit_checks AS kept (chain, seq, hash, checked_at, broken_seq) VALUES ($1::uuid, $2::bigint, $3, now(), $4::bigint)
       ON CONFLICT (chain) DO UPDATE SET checked_at = excluded.checked_at, broken_seq = excluded.broken_seq,
         seq = CASE WHEN excluded.broken_seq IS NULL THEN excluded.seq ELSE kept.seq END,
         hash = CASE WHEN excluded.broken_seq IS NULL THEN excluded.hash ELSE kept.hash END`,
      [organizationId ?? PLATFORM_CHAIN, seq, hash, firstBrokenSeq],
    ),
  );
}
