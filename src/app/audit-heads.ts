import { listHeads } from "../data/audit/chain.js";
import type { Database } from "../data/database/types.js";
import type { Log } from "../log.js";
import { limitTime } from "../time-limit.js";
import type { Part } from "./parts.js";
import { startRepeating } from "./repeating.js";

const HOUR_MS = 3_600_000;
/** How long `stop` waits for the database. */
const STOP_MS = 500;

export interface AuditHeadsOptions {
  readonly database: Database;
  readonly log: Log;
  readonly intervalMs?: number;
}

export interface AuditHeads extends Part {
  /** Begins to write. A gateway that could not listen writes nothing. */
  begin(): void;
  /** The number of entries in all chains when it was last read. Has it read anew, without waiting for that. */
  countEntries(): number;
}

/**
 * Writes the heads of the audit trail's chains into the log once an hour and at the end, each where it has moved. Whoever
 * cuts off the end of a chain together with its head cannot take these lines back.
 */
export function watchAuditHeads({ database, log, intervalMs = HOUR_MS }: AuditHeadsOptions): AuditHeads {
  /** By organization. */
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
      // Afterwards: the statement must not count among those that are under way now.
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
