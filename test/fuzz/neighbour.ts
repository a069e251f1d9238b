/** Longest time in milliseconds that one request may delay another organization's answer. */
const MAX_WAIT_MS = 50;
/** A busy machine makes some attempts slow; a request that blocks the event loop makes all of them slow. */
const ATTEMPTS = 5;

/**
 * Runs `work` and returns its result. Throws if another organization, which calls `ask` continuously in the meantime, waits
 * longer than 50 ms in every repetition of `work`.
 */
export async function requireQuickNeighbour<Result>(
  work: () => Promise<Result>,
  ask: () => Promise<unknown>,
): Promise<Result> {
  const first = await measureWait(work, ask);
  const waits = [first.wait];
  while (Math.min(...waits) > MAX_WAIT_MS) {
    if (waits.length === ATTEMPTS) {
      const list = waits.map((wait) => wait.toFixed(0)).join(", ");
      throw new Error(
        `another organization waited ${list} ms in ${ATTEMPTS} attempts; at most ${MAX_WAIT_MS}`,
      );
    }
    waits.push((await measureWait(work, ask)).wait);
  }
  return first.result;
}

/** Runs `work` while calling `ask` continuously; `wait` is the longest of those calls. */
async function measureWait<Result>(work: () => Promise<Result>, ask: () => Promise<unknown>) {
  let isWorking = true;
  let wait = 0;
  const asking = (async () => {
    while (isWorking) {
      const [start, used] = [performance.now(), process.cpuUsage()];
      await ask();
      const { user, system } = process.cpuUsage(used);
      // Time in which the machine does other work does not count.
      wait = Math.max(wait, Math.min(performance.now() - start, (user + system) / 1_000));
    }
  })();
  const result = await work().finally(() => {
    isWorking = false;
  });
  await asking;
  return { result, wait };
}
