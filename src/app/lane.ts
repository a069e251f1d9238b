import { limitTime } from "../time-limit.js";
import type { Part } from "./parts.js";
import { startRepeating } from "./repeating.js";

export interface LaneOptions<Unit> {
  /** Maximum number of units in progress. */
  readonly slots: number;
  /** Interval for polling due units. */
  readonly intervalMs: number;
  /** Claims at most `max` units, which no other lane or process gets. */
  readonly take: (max: number) => Promise<readonly Unit[]>;
  readonly work: (unit: Unit) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Maximum time `stop` waits for units in progress. */
const STOP_MS = 500;

/** Processes units as slots become free. A slow unit blocks only its own slot. */
export function startLane<Unit>({ slots, intervalMs, take, work, onError }: LaneOptions<Unit>): Part {
  const inProgress = new Set<Promise<void>>();
  let isStopped = false;
  let filling: Promise<void> | undefined;

  const begin = (unit: Unit) => {
    const progress: Promise<void> = work(unit)
      .catch(onError)
      .then(() => {
        inProgress.delete(progress);
        void fill();
      });
    inProgress.add(progress);
  };
  const fillOnce = async () => {
    try {
      while (!isStopped && inProgress.size < slots) {
        const units = await take(slots - inProgress.size);
        units.forEach(begin);
        if (units.length === 0) return;
      }
    } catch (error) {
      onError(error);
    }
  };
  /** Fills the free slots, including those that become free in the meantime. */
  const fill = () => {
    filling ??= fillOnce().finally(() => {
      filling = undefined;
    });
    return filling;
  };

  const repeating = startRepeating(fill, intervalMs);
  return {
    async stop() {
      isStopped = true;
      await repeating.stop();
      // A hanging receiver must not keep the gateway from stopping.
      await limitTime(STOP_MS)(async () => Promise.all(inProgress)).catch(() => undefined);
    },
  };
}
