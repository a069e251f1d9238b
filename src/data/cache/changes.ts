import type { Database } from "../database/types.js";

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

/** Channel that the triggers in the migrations notify. */
export const CHANGES_CHANNEL = "gateway_changes";

/**
 * Listens for changes until it is stopped. Resolves after the first attempt to listen, whether it succeeded or not.
 * Calls `onHearing` with the reason when changes cannot be received, and with null when they can again.
 */
export async function listenForChanges(
  database: Database,
  onHearing: (error: Error | null) => void = () => undefined,
): Promise<Changes> {
  const observers: ChangeObserver[] = [];
  const note = (change: Change) => {
    for (const observer of observers) observer.changed(change);
  };
  const listening = await database.listen(CHANGES_CHANNEL, {
    onMessage(message) {
      const [table = "", owner = "*"] = message.split(" ");
      note({ table, organizationId: owner === "*" ? null : owner });
    },
    onLost() {
      for (const observer of observers) observer.lost();
    },
    onHearing,
  });
  return {
    isHeard: listening.isHearing,
    observe: (observer) => void observers.push(observer),
    note,
    stop: listening.stop,
  };
}
