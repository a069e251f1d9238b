import type { Access } from "../access/context.js";

/** Runs the computations of a request one at a time, so that none starts once the points are spent. */
export function runInSequence<Result>({ loaders }: Access, compute: () => Promise<Result>): Promise<Result> {
  const queue = loaders.shared(["queue of computations"], () => ({
    end: Promise.resolve<unknown>(undefined),
  }));
  const result = queue.end.then(compute);
  queue.end = result.catch(() => undefined);
  return result;
}
