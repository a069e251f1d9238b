import { listHeads } from "../data/audit/chain.js";
import type { Database } from "../data/database/types.js";
import type { Log } from "../log.js";
import { limitTime } from "../time-limit.js";
import type { Part } from "./parts.js";
import { startRepeating } from "./repeating.js";

const HOUR_MS = 3_600_000;
/** Maximum time `stop` waits for the database. */
const STOP_MS = 500;

export interface AuditHeadsOptions {
  readonly database: Database;
  readonly log: Log;
  readonly intervalMs?: number;
}

export interface AuditHeads extends Part {
  /** Starts logging. Called once the gateway listens, so that a failed start logs nothing. */
  begin(): void;
  /** Returns the number of entries in all chains at the last read, and starts a refresh in the background. */
  countEntries(): number;
}

/**
 * Logs changed heads of the audit trail's chains once an hour and when the gateway stops. Someone who cuts off the end
 * of a chain in the database cannot remove these lines.
 */
export function watchAuditHeads({ database, log, intervalMs = HOUR_MS }: AuditHeadsOptions): AuditHeads {
  /** Last logged hash by organization. */
  const logged = new Map<string | null, string>();
  let entries = 0;
  const read = async () => {
    const heads = await listHeads(database);
    entries = heads.reduce((sum, { seq }) => sum + seq, 0);
    return heads;
  };
  const warn = (error: unknown) => log.warn({ err: error }, "failed to read the heads of the audit trail");
  const logHeads = async () => {
    for (const head of await read()) {
      if (logged.get(head.organization) === head.hash) continue;
      logged.set(head.organization, head.hash);
      log.info({ audit_head: head }, "audit trail");
    }
  };
  const firstRead = read().catch(warn);
  let repeating: Part | undefined;
  return {
    begin() {
      repeating = startRepeating(() => logHeads().catch(warn), intervalMs);
    },
    countEntries() {
      // Deferred, so that the current metrics response does not count this query.
      setImmediate(() => read().catch(warn));
      return entries;
    },
    async stop() {
      await repeating?.stop();
      // A hanging database server must not keep the gateway from stopping.
      await limitTime(STOP_MS)(() => (repeating ? firstRead.then(logHeads) : firstRead)).catch(warn);
    },
  };
}
