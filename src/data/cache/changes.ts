import type { Database } from "../database/types.js";
import { createUnannounced } from "./unannounced.js";

/** A change of rows: an addition, an update or a removal. Null stands for any table, or for any organization. */
export interface Change {
  readonly table: string | null;
  readonly organizationId: string | null;
}

/** Returns true if a change may affect the data of an organization; null stands for an unknown organization. */
export function concerns(change: Change, organizationId: string | null): boolean {
  return (
    change.organizationId === null || organizationId === null || change.organizationId === organizationId
  );
}

export interface ChangeObserver {
  /** Called once the change can be read. */
  changed(change: Change): void;
  /** Called when changes may have been missed. */
  lost(): void;
}

/** The changes that the database announces, of this process and all others. */
export interface Changes {
  /** Returns true if every change is received. Otherwise, nothing may be cached. */
  isHeard(): boolean;
  observe(observer: ChangeObserver): void;
  /** Notifies the observers of this process's own change, without waiting for the database to announce it. */
  note(change: Change): void;
  stop(): Promise<void>;
}

/** Channel on which changes are announced. The triggers in the migrations write its messages. */
export const CHANGES_CHANNEL = "gateway_changes";

/** The organization of sets of changes, and the word of messages, for rows without an organization. */
const NOBODY: ReadonlySet<string> = new Set(["*", "00000000-0000-0000-0000-000000000000"]);

/**
 * Listens for changes until it is stopped. Resolves after the first attempt to listen, whether it succeeded or not.
 * Calls `onHearing` with the reason when changes cannot be received, and with null when they can again. Writers announce
 * changes after their commit; it also looks for those whose writer died before that.
 */
export async function listenForChanges(
  database: Database,
  onHearing: (error: Error | null) => void = () => undefined,
): Promise<Changes> {
  const observers: ChangeObserver[] = [];
  const note = (change: Change) => {
    for (const observer of observers) observer.changed(change);
  };
  const { replicas } = database;
  /** `position` is the one in the write-ahead log by which the change is committed, if it is known. */
  const noteRows = (table: string, owner = "*", position?: number) => {
    const change = { table, organizationId: NOBODY.has(owner) ? null : owner };
    // Before anybody reads the rows again.
    replicas?.changed(change, position);
    note(change);
  };
  const lose = () => {
    replicas?.lost();
    for (const observer of observers) observer.lost();
  };
  const unannounced = createUnannounced();
  const listening = await database.listen(CHANGES_CHANNEL, {
    onMessage(message) {
      const [table = "", owner, stamp, position] = message.split(" ");
      if (stamp !== undefined) unannounced.remove(stamp);
      noteRows(table, owner, position === undefined ? undefined : Number(position));
    },
    onLost() {
      unannounced.reset();
      lose();
    },
    onHearing,
    async check(query, server) {
      const sample = server === "primary" ? replicas?.sample() : undefined;
      const { missed, position } = await unannounced.check(query);
      if (missed === null) lose();
      for (const [owner, ...tables] of missed ?? [])
        for (const table of tables) noteRows(table, owner, position);
      sample?.(position);
    },
  });
  return {
    isHeard: listening.isHearing,
    observe: (observer) => void observers.push(observer),
    note,
    stop: listening.stop,
  };
}
