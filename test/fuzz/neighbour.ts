import { readCpu, requireShort } from "./short.js";

/**
 * Runs `work` and returns its result. Throws if another organization, which calls `ask` continuously in the meantime, waits
 * too long in every repetition of `work`.
 */
export const requireQuickNeighbour = <Result>(
  work: () => Promise<Result>,
  ask: () => Promise<unknown>,
): Promise<Result> => requireShort(() => measureWait(work, ask));

/** Runs `work` while calling `ask` continuously; measures the longest of those calls. */
async function measureWait<Result>(work: () => Promise<Result>, ask: () => Promise<unknown>) {
  let isWorking = true;
  let ms = 0;
  const asking = (async () => {
    while (isWorking) {
      const [start, used] = [performance.now(), process.cpuUsage()];
      await ask();
      // Time in which the machine does other work does not count.
      ms = Math.max(ms, Math.min(performance.now() - start, readCpu(used)));
    }
  })();
  const result = await work().finally(() => {
    isWorking = false;
  });
  await asking;
  return { result, ms };
}
