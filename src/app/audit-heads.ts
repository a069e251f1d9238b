import { listHeads } from "../data/audit/chain.js";
import type { Database } from "../data/database/types.js";
import type { Log } from "../log.js";
import { limitTime } from "../time-limit.js";
import type { Part } from "./parts.js";
import { startRepeating } from "./repeating.js";

const HOUR_MS = 3_600_000;
/** Longest time that `stop` waits for the database. */
const STOP_MS = 500;

export interface AuditHeadsOptions {
  readonly database: Database;
  readonly log: Log;
  readonly intervalMs?: number;
}

export interface AuditHeads extends Part {
  /** Starts logging. A gateway that could not listen logs nothing. */
  begin(): void;
  /** Returns the number of entries in all chains as of the latest read, and starts a refresh in the background. */
  countEntries(): number;
}

/**
 * Logs the heads of the audit trail's chains once an hour and at the end, each if it has changed. Anyone who cuts off
 * the end of a chain together with its head cannot remove these lines.
 */
export function watchAuditHeads({ database, log, intervalMs = HOUR_MS }: AuditHeadsOptions): AuditHeads {
  /** The last logged hash by organization. */
  const logged = new Map<string | null, string>();
  let entries = 0;
  const read = async () => {
    const heads = await listHeads(database);
    entries = heads.reduce((sum, { seq }) => sum + seq, 0);
    return heads;
  };
  const warn = (error: unknown) => log.warn({ err: error }, "could not read the heads of the audit trail");
  const tell = async () => {
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
      repeating = startRepeating(() => tell().catch(warn), intervalMs);
    },
    countEntries() {
      // Deferred, so that the statement does not count among those in progress now.
      setImmediate(() => read().catch(warn));
      return entries;
    },
    async stop() {
      await repeating?.stop();
      // A server that hangs must not keep the gateway from ending.
      await limitTime(STOP_MS)(() => (repeating ? firstRead.then(tell) : firstRead)).catch(warn);
    },
  };
}
