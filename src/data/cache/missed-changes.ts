import type { Query } from "../database/types.js";

const MAX_SETS = 10_000;

/**
 * Reads the change sets of transactions that the given snapshot does not see: those that were running, and later ones.
 * If the sets were restored or replicated from another cluster, their stamps may be higher than any of this cluster. A
 * standby's snapshot does not list running transactions, so every transaction from its `xmin` on counts as unseen.
 */
const SETS_SINCE = `
  SELECT now.unseen::text AS snapshot, now.position, ARRAY(
    SELECT concat_ws(' ', s.stamp, s.organization_id, array_to_string(s.tables, ' ')) FROM change_sets AS s
    WHERE s.tables <> '{}' AND (
      s.stamp >= pg_snapshot_xmax($1::pg_snapshot)::text::bigint AND s.stamp < pg_snapshot_xmax(now.snapshot)::text::bigint
      OR s.stamp = ANY (ARRAY(SELECT id::text::bigint FROM pg_snapshot_xip($1::pg_snapshot) AS id)))
    LIMIT ${MAX_SETS}) AS sets
  FROM (
    SELECT snapshot, CASE WHEN pg_is_in_recovery()
        THEN format('%1$s:%1$s:', pg_snapshot_xmin(snapshot))::pg_snapshot ELSE snapshot END AS unseen,
      (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END - '0/0')::float8
        AS position
    FROM pg_current_snapshot() AS snapshot) AS now`;

/** An organization's id, or zeros, followed by the tables in which its rows changed. */
type ChangedTables = readonly string[];

/** Creates a check for committed changes that were never announced. */
export function createMissedChanges() {
  /** The snapshot of the last check. */
  let checked: string | null = null;
  /** Transactions announced since the last check, and since the one before. */
  let [recent, former] = [new Set<string>(), new Set<string>()];
  /** Changes that the last check found unannounced, by transaction. Their announcements may still be on the way. */
  let due = new Map<string, ChangedTables[]>();
  return {
    /** Notes that a transaction was announced. */
    remove(stamp: string): void {
      recent.add(stamp);
      due.delete(stamp);
    },
    /**
     * Returns the changes that the previous check found and that have not been announced since, or null if there are
     * too many. Also returns the server's position in the write-ahead log, which covers them.
     */
    async check(query: Query): Promise<{ missed: ChangedTables[] | null; position: number }> {
      const [found] = await query<{ snapshot: string; position: number; sets: string[] }>(SETS_SINCE, [
        checked,
      ]);
      if (!found) throw new Error("the database returned no row");
      const missed = [...due.values()].flat();
      for (const stamp of due.keys()) recent.add(stamp);
      due = new Map();
      for (const set of found.sets) {
        const [stamp = "", ...changed] = set.split(" ");
        // A standby reports a set repeatedly while an older transaction is running.
        if (recent.has(stamp) || former.has(stamp)) recent.add(stamp);
        else due.set(stamp, [...(due.get(stamp) ?? []), changed]);
      }
      checked = found.snapshot;
      [recent, former] = [new Set(), recent];
      return { missed: found.sets.length < MAX_SETS ? missed : null, position: found.position };
    },
    /** Starts over, for a new connection. */
    reset(): void {
      checked = null;
      [recent, former, due] = [new Set(), new Set(), new Map()];
    },
  };
}
