import type { Database } from "../database/types.js";
import { createMissedChanges } from "./missed-changes.js";

/** Rows that were added, updated or removed. Null means any table, or any organization. */
export interface Change {
  readonly table: string | null;
  readonly organizationId: string | null;
}

/** Returns true if a change may affect an organization's data; null means an unknown organization. */
export function concerns(change: Change, organizationId: string | null): boolean {
  return (
    change.organizationId === null || organizationId === null || change.organizationId === organizationId
  );
}

export interface ChangeObserver {
  /** Called once readers can see the change. */
  changed(change: Change): void;
  /** Called when changes may have been missed. */
  lost(): void;
}

/** Changes that the database announces, made by this process or any other. */
export interface Changes {
  /** Returns true if this process receives every change. If not, nothing may be cached. */
  isListening(): boolean;
  observe(observer: ChangeObserver): void;
  /** Notifies the observers of this process's own change before the database announces it. */
  note(change: Change): void;
  stop(): Promise<void>;
}

/** NOTIFY channel of changes. Triggers in the migrations write its messages. */
export const CHANGES_CHANNEL = "gateway_changes";

/** Placeholders for rows without an organization: `*` in messages, zeros in change sets. */
const NO_ORGANIZATION: ReadonlySet<string> = new Set(["*", "00000000-0000-0000-0000-000000000000"]);

/**
 * Listens for changes until stopped. Resolves after the first attempt, even if it failed. Calls `onListeningChange`
 * with the reason when changes stop arriving, and with null when they arrive again. Writers announce their changes
 * after the commit, so it also looks for commits whose writer died before announcing them.
 */
export async function listenForChanges(
  database: Database,
  onListeningChange: (error: Error | null) => void = () => undefined,
): Promise<Changes> {
  const observers: ChangeObserver[] = [];
  const note = (change: Change) => {
    for (const observer of observers) observer.changed(change);
  };
  const { replicas } = database;
  /** `position` is the position of the commit in the write-ahead log, if known. */
  const noteRows = (table: string, owner = "*", position?: number) => {
    const change = { table, organizationId: NO_ORGANIZATION.has(owner) ? null : owner };
    // Replicas first, so that no observer reads the rows from a stale one.
    replicas?.changed(change, position);
    note(change);
  };
  const lose = () => {
    replicas?.lost();
    for (const observer of observers) observer.lost();
  };
  const missedChanges = createMissedChanges();
  const listening = await database.listen(CHANGES_CHANNEL, {
    onMessage(message) {
      const [table = "", owner, stamp, position] = message.split(" ");
      if (stamp !== undefined) missedChanges.remove(stamp);
      noteRows(table, owner, position === undefined ? undefined : Number(position));
    },
    onLost() {
      missedChanges.reset();
      lose();
    },
    onListeningChange,
    async check(query, server) {
      const sample = server === "primary" ? replicas?.sample() : undefined;
      const { missed, position } = await missedChanges.check(query);
      if (missed === null) lose();
      for (const [owner, ...tables] of missed ?? [])
        for (const table of tables) noteRows(table, owner, position);
      sample?.(position);
    },
  });
  return {
    isListening: listening.isListening,
    observe: (observer) => void observers.push(observer),
    note,
    stop: listening.stop,
  };
}
