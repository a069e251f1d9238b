import type { Database } from "../database/types.js";

/** Rows of a table that were added, changed or removed: those of one organization, or null for anybody's. */
export interface Change {
  readonly table: string;
  readonly organizationId: string | null;
}

export interface ChangeObserver {
  /** Called once the change can be read. */
  changed(change: Change): void;
  /** Called when changes may have passed unheard. */
  lost(): void;
}

/** What the database tells of its changes, whoever makes them. */
export interface Changes {
  /** Whether every change is heard of. While it is false, nothing may be remembered. */
  isHeard(): boolean;
  observe(observer: ChangeObserver): void;
  stop(): Promise<void>;
}

/** The channel of the triggers in the migrations. */
export const CHANGES_CHANNEL = "gateway_changes";

/**
 * Listens for changes until it is stopped. Resolves after the first attempt to listen, whether it succeeded or not.
 * `onHearing` is told why changes are not heard, and that they are again (null).
 */
export async function listenForChanges(
  database: Database,
  onHearing: (error: Error | null) => void = () => undefined,
): Promise<Changes> {
  const observers: ChangeObserver[] = [];
  const listening = await database.listen(CHANGES_CHANNEL, {
    onMessage(message) {
      const [table = "", owner = "*"] = message.split(" ");
      const change = { table, organizationId: owner === "*" ? null : owner };
      for (const observer of observers) observer.changed(change);
    },
    onLost() {
      for (const observer of observers) observer.lost();
    },
    onHearing,
  });
  return {
    isHeard: listening.isHearing,
    observe: (observer) => void observers.push(observer),
    stop: listening.stop,
  };
}
