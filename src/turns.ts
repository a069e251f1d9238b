/**
 * Resolves when work that blocks the event loop may run, first come, first served. `share` is the share of a turn that the
 * work takes; a turn takes some 30 ms.
 */
export type Schedule = (share: number) => Promise<void>;

/** The scheduler of this process, which has one event loop. */
export const takeTurn = createScheduler();

/**
 * Creates a scheduler that pauses after each turn for as long as the turn took. Small requests are served in the pauses:
 * each needs the event loop several times, and would otherwise wait for a whole turn each time.
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
  // The work of a turn runs between the two, and nothing else does.
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

/** Time for which a loop may block the event loop: well below the 50 ms that another request may have to wait. */
export const LOOP_MS = 10;

/** Runs work within the time limit of a request. */
export interface TimeLimit {
  readonly inTime: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Calls `work` for each item in order, and resolves to its results. Serves other requests every 10 ms, so one item must not
 * take more than a few. Rejects once the time of the request is over.
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
