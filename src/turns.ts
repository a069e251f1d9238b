/**
 * Resolves when work that blocks the event loop may run, first come, first served. `share` is the share of a turn
 * (at most about 30 ms) that the work takes.
 */
export type Schedule = (share: number) => Promise<void>;

/** Scheduler of this process, which has only one event loop. */
export const takeTurn = createScheduler();

/**
 * Creates a scheduler that pauses before each further turn for as long as the last one took. The pauses serve small
 * requests: each needs the event loop several times, and would otherwise wait for a whole turn each time.
 */
function createScheduler(): Schedule {
  const waiting: { share: number; go: () => void }[] = [];
  let isBusy = false;
  let started = 0;
  const runTurn = () => {
    started = performance.now();
    for (let filled = 0; filled < 1; ) {
      const first = waiting.shift();
      if (first === undefined) break;
      filled += first.share;
      first.go();
    }
  };
  const rest = () => {
    const ms = performance.now() - started;
    isBusy = waiting.length > 0;
    if (!isBusy) return;
    // A timer waits for at least a millisecond.
    if (ms < 1) nextTurn();
    else setTimeout(nextTurn, ms);
  };
  // Between the two immediates, only the work of the turn runs.
  const nextTurn = () => {
    setImmediate(runTurn);
    setImmediate(rest);
  };
  return (share) =>
    new Promise((go) => {
      waiting.push({ share, go });
      if (isBusy) return;
      isBusy = true;
      nextTurn();
    });
}

/** Maximum time to block the event loop, well below the 50 ms that another request may have to wait. */
export const LOOP_MS = 10;

/** Runs work within the time limit of a request. */
export interface TimeLimit {
  readonly inTime: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Calls `work` for each item in order, and resolves to the results. Lets other requests run every 10 ms, so an item
 * must not take more than a few milliseconds. Rejects once the request's time is up.
 */
export async function mapInTurns<Item, Result>(
  items: Iterable<Item>,
  { inTime }: TimeLimit,
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let end = 0;
  for (const item of items) {
    if (performance.now() >= end) {
      await inTime(() => takeTurn(1));
      end = performance.now() + LOOP_MS;
    }
    results.push(work(item));
  }
  return results;
}
