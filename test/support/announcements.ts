import { CHANGES_CHANNEL } from "../../src/data/cache/changes.js";
import type { Database } from "../../src/data/database/types.js";

interface Listener {
  readonly isListening: () => boolean;
  /** Callbacks for the marks that it has not received yet. */
  readonly waiting: Map<string, () => void>;
}

const MARK = "mark ";

/**
 * Sends marks on the channel of announcements. A listener that has received a mark has received every earlier
 * announcement. The marks are hidden from the listeners themselves. A listener counts as listening until its connection is
 * lost: the process of the tests may be too busy for the heartbeats that keep the cache in use.
 */
export function watchListeners(
  database: Database,
  send: (statement: string) => Promise<unknown>,
): Pick<Database, "listen"> & { waitForAnnouncements(): Promise<void> } {
  const listeners = new Set<Listener>();
  let marks = 0;

  const markAndWait = async () => {
    marks += 1;
    const mark = `${MARK}${marks}`;
    const received = [...listeners]
      .filter(({ isListening }) => isListening())
      .map(({ waiting }) => new Promise<void>((resolve) => waiting.set(mark, resolve)));
    if (received.length === 0) return;
    await send(`NOTIFY ${CHANGES_CHANNEL}, '${mark}'`);
    await Promise.all(received);
  };

  // A caller may have written after the pending mark was sent, so it waits for the next one. All such callers share it.
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  return {
    async listen(channel, { onMessage, onLost, ...others }) {
      const waiting: Listener["waiting"] = new Map();
      let isConnected = false;
      const listening = await database.listen(channel, {
        ...others,
        onMessage(message) {
          if (!message.startsWith(MARK)) return onMessage(message);
          waiting.get(message)?.();
          waiting.delete(message);
        },
        onLost() {
          isConnected = false;
          for (const resolve of waiting.values()) resolve();
          waiting.clear();
          onLost();
        },
      });
      const isListening = () => {
        isConnected ||= listening.isListening();
        return isConnected;
      };
      const listener = { isListening, waiting };
      listeners.add(listener);
      return {
        ...listening,
        isListening,
        async stop() {
          listeners.delete(listener);
          await listening.stop();
        },
      };
    },
    waitForAnnouncements() {
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          running = markAndWait();
          return running;
        });
      return next;
    },
  };
}
