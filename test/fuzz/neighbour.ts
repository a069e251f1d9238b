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

/**
 * Runs `work`, which gets the number of its repetition, and throws if the event loop is blocked for longer than 50 ms
 * in every repetition. A block is the time between two rounds of the event loop: the smaller of its wall and CPU time.
 */
export async function requireShortBlocks(work: (attempt: number) => Promise<unknown>): Promise<void> {
  const blocks: number[] = [];
  while (blocks.length < ATTEMPTS) {
    const block = await measureBlock(() => work(blocks.length));
    if (block <= MAX_WAIT_MS) return;
    blocks.push(block);
  }
  const list = blocks.map((block) => block.toFixed(0)).join(", ");
  throw new Error(
    `the event loop was blocked for ${list} ms in ${ATTEMPTS} attempts; at most ${MAX_WAIT_MS}`,
  );
}

/** Runs `work` and returns the longest block of the event loop in milliseconds. */
async function measureBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let [last, used] = [performance.now(), process.cpuUsage()];
  const note = () => {
    const { user, system } = process.cpuUsage(used);
    longest = Math.max(longest, Math.min(performance.now() - last, (user + system) / 1_000));
    [last, used] = [performance.now(), process.cpuUsage()];
  };
  const timer = setInterval(note, 1);
  await work().finally(() => clearInterval(timer));
  note();
  return longest;
}
