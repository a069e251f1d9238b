import { hash } from "node:crypto";
import type { Database } from "../database/types.js";
import { type ChainHead, findHead, ofChain, PLATFORM_CHAIN, readChain, type StoredEntry } from "./chain.js";

/** Result of verifying a chain, with its first break. */
export interface ChainState {
  readonly ok: boolean;
  /** Number of valid entries. */
  readonly entries: number;
  /** Number of the first entry that was changed, is missing or was inserted. */
  readonly firstBrokenSeq: number | null;
  /** Description of the break, to show to users. */
  readonly problem: string | null;
  readonly head: ChainHead | null;
}

/** The predecessor of a chain's first entry. */
export const CHAIN_START: ChainHead = { seq: 0, hash: "0".repeat(64) };

/** Hashes an entry: the previous entry's hash, then the entry's own text. */
export function hashEntry(prevHash: string, entry: string): string {
  return hash("sha256", `${prevHash}\n${entry}`, "hex");
}

/** Returns an entry's columns as an object with the same keys as its text. */
function columnsOf(organizationId: string | null, stored: StoredEntry): unknown {
  return {
    action: stored.action,
    actor: { id: stored.actorId, type: stored.actorType },
    database_user: stored.databaseUser,
    occurred_at: stored.occurredAt.toISOString(),
    organization_id: organizationId,
    request_id: stored.requestId,
    seq: stored.seq,
    target: { id: stored.targetId, type: stored.targetType },
  };
}

/** Returns true if an entry's columns have the same content as its text. */
function matchesText(organizationId: string | null, stored: StoredEntry): boolean {
  try {
    const { changes: _, ...textColumns } = JSON.parse(stored.entry) as Record<string, unknown>;
    return JSON.stringify(textColumns) === JSON.stringify(columnsOf(organizationId, stored));
  } catch {
    return false;
  }
}

function findFault(
  organizationId: string | null,
  stored: StoredEntry,
  expected: ChainHead,
): string | undefined {
  if (stored.seq !== expected.seq) return "it is missing";
  if (stored.prevHash !== expected.hash) return "it does not follow the entry before it";
  if (stored.hash !== hashEntry(stored.prevHash, stored.entry)) return "its text does not match its hash";
  return matchesText(organizationId, stored) ? undefined : "its columns do not match its text";
}

/** Returns the highest number in a chain and the number of its head, in one snapshot. */
async function readEnd(database: Database, organizationId: string | null) {
  const [end] = await database.select<{ last: number; head: number | null }>(
    `SELECT coalesce(max(e.seq), 0) AS last,
       (SELECT h.seq FROM audit_heads AS h WHERE h.chain = coalesce($1::uuid, '${PLATFORM_CHAIN}')) AS head
     FROM audit_entries AS e WHERE ${ofChain(organizationId)}`,
    [organizationId],
  );
  return { last: end?.last ?? 0, head: end?.head ?? 0 };
}

/**
 * Verifies an organization's chain, or the platform's (null), up to the head. Starts with the entry after `start`,
 * which an earlier check has verified.
 */
export async function verifyChain(
  database: Database,
  organizationId: string | null,
  start = CHAIN_START,
): Promise<ChainState> {
  const head = await findHead(database, organizationId);
  const last = head ?? CHAIN_START;
  let before = start;
  const state = (firstBrokenSeq: number | null, problem: string | null): ChainState => {
    return { ok: problem === null, entries: before.seq, firstBrokenSeq, problem, head };
  };
  for await (const stored of readChain(database, organizationId, { after: start.seq, last: last.seq })) {
    const seq = before.seq + 1;
    const fault = findFault(organizationId, stored, { seq, hash: before.hash });
    if (fault !== undefined) return state(seq, fault);
    before = { seq, hash: stored.hash };
  }
  if (before.seq < last.seq) return state(before.seq + 1, "it is missing, and so are all later entries");
  if (before.hash !== last.hash) return state(last.seq, "its hash differs from that of the chain's head");
  // Entries appended in the meantime have moved the head, so both are read again.
  const end = await readEnd(database, organizationId);
  return end.last > end.head
    ? state(end.head + 1, "it comes after the head of its chain")
    : state(null, null);
}
