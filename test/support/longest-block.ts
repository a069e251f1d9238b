import { expect } from "vitest";

/** Longest time in milliseconds that one request may delay another organization's. */
const MAX_MS = 50;
/** A busy machine and the garbage collector make some attempts slow; a request that blocks makes all of them slow. */
const ATTEMPTS = 5;

/**
 * Measures the longest block of the event loop during `work` in milliseconds: the smaller of its elapsed time and of the
 * CPU time of this process.
 */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = { at: performance.now(), cpu: process.cpuUsage() };
  const look = () => {
    const { user, system } = process.cpuUsage(last.cpu);
    longest = Math.max(longest, Math.min(performance.now() - last.at, (user + system) / 1_000));
    last = { at: performance.now(), cpu: process.cpuUsage() };
  };
  const timer = setInterval(look, 1);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  look();
  return longest;
}

/**
 * Expects that `work` never blocks the event loop for more than 50 ms, in one of several attempts. `work` gets the number
 * of its attempt, from 0 on.
 */
export async function expectShortBlocks(work: (attempt: number) => Promise<unknown>): Promise<void> {
  const blocks: number[] = [];
  while (blocks.length < ATTEMPTS && !blocks.some((ms) => ms <= MAX_MS))
    blocks.push(await longestBlock(() => work(blocks.length)));
  expect(
    Math.min(...blocks),
    `longest blocks in ms: ${blocks.map(Math.round).join(", ")}`,
  ).toBeLessThanOrEqual(MAX_MS);
}
