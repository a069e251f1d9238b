import { takeTurn } from "../../turns.js";
import type { Database } from "../database/types.js";

/** The last entry of a chain. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** The chain of the platform, which belongs to no organization. */
export const PLATFORM_CHAIN = "00000000-0000-0000-0000-000000000000";

/** Returns the head of an organization's chain, or of the platform's (null); null if the chain has no entries. */
export async function findHead(database: Database, organizationId: string | null): Promise<ChainHead | null> {
  const [head] = await database.select<ChainHead>(
    "SELECT seq, hash FROM audit_heads WHERE chain = $1::uuid",
    [organizationId ?? PLATFORM_CHAIN],
  );
  return head ?? null;
}

/** Lists the heads of all chains. `organization` is an id, or null for the platform. */
export function listHeads(
  database: Database,
): Promise<(ChainHead & { readonly organization: string | null })[]> {
  return database.select(
    "SELECT nullif(chain, $1::uuid)::text AS organization, seq, hash FROM audit_heads ORDER BY chain",
    [PLATFORM_CHAIN],
  );
}

/** Returns true if an organization's chain has this entry. Without `organizationId`, any chain may have it. */
export async function hasEntry(
  database: Database,
  organizationId: string | undefined,
  { seq, hash }: ChainHead,
): Promise<boolean> {
  const found = await database.select(
    `SELECT 1 AS found FROM audit_entries AS e
     WHERE e.hash = $1 AND e.seq = $2 AND ($3::uuid IS NULL OR e.organization_id = $3::uuid)`,
    [hash, seq, organizationId ?? null],
  );
  return found.length > 0;
}

/** Lists the organizations that have a chain, including removed ones; null for the platform. */
export async function listChains(database: Database): Promise<(string | null)[]> {
  const chains = await database.select<{ chain: string }>(
    `SELECT chain::text AS chain FROM audit_heads
     UNION SELECT DISTINCT coalesce(organization_id, $1::uuid)::text FROM audit_entries ORDER BY chain`,
    [PLATFORM_CHAIN],
  );
  return chains.map(({ chain }) => (chain === PLATFORM_CHAIN ? null : chain));
}

/** A stored entry: its text, and the columns with the same content. */
export interface StoredEntry {
  readonly seq: number;
  readonly occurredAt: Date;
  readonly action: string;
  readonly actorType: string;
  readonly actorId: string | null;
  readonly targetType: string;
  readonly targetId: string | null;
  readonly requestId: string | null;
  readonly databaseUser: string;
  readonly entry: string;
  readonly prevHash: string;
  readonly hash: string;
}

/** The columns of a StoredEntry, selected from `audit_entries AS e`. */
export const ENTRY_COLUMNS = `e.seq, e.occurred_at AS "occurredAt", e.action, e.actor_type AS "actorType", e.actor_id AS "actorId",
  e.target_type AS "targetType", e.target_id AS "targetId", e.request_id AS "requestId", e.database_user AS "databaseUser",
  e.entry, e.prev_hash AS "prevHash", e.hash`;

/** Returns the condition for a chain's entries; $1 is the organization. `IS NOT DISTINCT FROM` cannot use an index. */
export const ofChain = (organizationId: string | null) =>
  organizationId === null ? "e.organization_id IS NULL AND $1::uuid IS NULL" : "e.organization_id = $1::uuid";

/** Entries per page. Checking a page takes a few milliseconds. */
const PAGE = 200;

/** Reads the entries of a chain after number `after`, up to number `last`. Lets other requests run between pages. */
export async function* readChain(
  database: Database,
  organizationId: string | null,
  { after, last }: { readonly after: number; readonly last: number },
): AsyncGenerator<StoredEntry> {
  for (let before = after; before < last; ) {
    const page = await database.select<StoredEntry>(
      `SELECT ${ENTRY_COLUMNS} FROM audit_entries AS e WHERE ${ofChain(organizationId)} AND e.seq > $2 AND e.seq <= $3
       ORDER BY e.seq LIMIT ${PAGE}`,
      [organizationId, before, last],
    );
    await takeTurn();
    yield* page;
    if (page.length < PAGE) return;
    before = page.at(-1)?.seq ?? last;
  }
}
