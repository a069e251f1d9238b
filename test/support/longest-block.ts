import { readCpu, requireShort } from "../fuzz/short.js";

/**
 * Throws if `work` blocks the event loop too long in every attempt. A block is the smaller of its elapsed time and of the CPU
 * time of this process. `work` gets the number of its attempt, from 0 on.
 */
export const requireShortBlocks = <Result>(work: (attempt: number) => Promise<Result>): Promise<Result> =>
  requireShort(async (attempt) => {
    let ms = 0;
    let last = { at: performance.now(), cpu: process.cpuUsage() };
    const look = () => {
      ms = Math.max(ms, Math.min(performance.now() - last.at, readCpu(last.cpu)));
      last = { at: performance.now(), cpu: process.cpuUsage() };
    };
    const timer = setInterval(look, 1);
    const result = await work(attempt).finally(() => clearInterval(timer));
    look();
    return { ms, result };
  });
