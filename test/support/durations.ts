/** Returns the result of `work` with its duration in milliseconds. */
export async function timed<Result>(work: () => Promise<Result>): Promise<{ ms: number; result: Result }> {
  const started = performance.now();
  const result = await work();
  return { ms: performance.now() - started, result };
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/**
 * Returns how many times as long as `reference` `work` takes, by the medians of alternating runs: other work of the
 * machine slows both.
 */
export async function timesAsLong(
  work: () => Promise<unknown>,
  reference: () => Promise<unknown>,
  rounds = 31,
): Promise<number> {
  const times: { work: number; reference: number }[] = [];
  for (let round = 0; round < rounds; round += 1)
    times.push({ work: (await timed(work)).ms, reference: (await timed(reference)).ms });
  return median(times.map(({ work }) => work)) / median(times.map(({ reference }) => reference));
}
