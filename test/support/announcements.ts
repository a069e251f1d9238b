import { CHANGES_CHANNEL } from "../../src/data/cache/changes.js";
import type { Database } from "../../src/data/database/types.js";

interface Listener {
  readonly isListening: () => boolean;
  /** Called when it has heard a mark, by the mark's number. */
  readonly waiting: Map<string, () => void>;
}

const MARK = "mark ";

/**
 * Puts marks between the announcements of a database: a listener that has heard one has heard of everything that was
 * committed before it was sent. Listeners themselves never see them.
 */
export function watchListeners(
  database: Database,
  send: (statement: string) => Promise<unknown>,
): Pick<Database, "listen"> & { heard(): Promise<void> } {
  const listeners = new Set<Listener>();
  let marks = 0;

  const markAndWait = async () => {
    marks += 1;
    const mark = `${MARK}${marks}`;
    const heard = [...listeners]
      .filter(({ isListening }) => isListening())
      .map(({ waiting }) => new Promise<void>((resolve) => waiting.set(mark, resolve)));
    if (heard.length === 0) return;
    await send(`NOTIFY ${CHANGES_CHANNEL}, '${mark}'`);
    await Promise.all(heard);
  };

  // Whoever asks while a mark is on its way may have written since: the next mark is for all of them together.
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  return {
    async listen(channel, { onMessage, onLost, ...others }) {
      const waiting: Listener["waiting"] = new Map();
      const listening = await database.listen(channel, {
        ...others,
        onMessage(message) {
          if (!message.startsWith(MARK)) return onMessage(message);
          waiting.get(message)?.();
          waiting.delete(message);
        },
        onLost() {
          for (const resolve of waiting.values()) resolve();
          waiting.clear();
          onLost();
        },
      });
      const listener = { isListening: listening.isListening, waiting };
      listeners.add(listener);
      return {
        ...listening,
        async stop() {
          listeners.delete(listener);
          await listening.stop();
        },
      };
    },
    heard() {
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
