import { AppError } from "./errors.js";

/** Runs `work` with the number of milliseconds that are left, and rejects if it takes longer. */
export type InTime = <T>(work: (msLeft: number) => T | Promise<T>) => Promise<T>;

/** Time of arrival of a request, and its time limit. */
export interface RequestTime {
  readonly now: Date;
  /** Waits for work of the request. All of it together has one limit, which starts with the first wait. */
  readonly inTime: InTime;
}

/**
 * Makes the time limit of one request. It starts when it is first used, and all work under it may take `limitMs` in all;
 * work that takes longer is abandoned with an AppError that says when to try again.
 */
export function limitTime(limitMs: number): InTime {
  let end: number | undefined;
  return async (work) => {
    end ??= performance.now() + limitMs;
    const left = end - performance.now();
    if (left <= 0) throw tooLong(limitMs);
    const result = work(left);
    if (!(result instanceof Promise)) return result;
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<never>((_resolve, reject) => {
      // After this process was suspended, an answer may wait to be read: that happens before the immediate.
      timer = setTimeout(() => setImmediate(() => reject(tooLong(limitMs))), left);
    });
    return Promise.race([result, timeUp]).finally(() => clearTimeout(timer));
  };
}

/** The error of work that took longer than its request may take. */
export const tooLong = (limitMs: number) =>
  new AppError(
    "INTERNAL_ERROR",
    `The request took longer than ${limitMs / 1_000} seconds. Try again in a moment, or ask for less at once.`,
    { headers: { "Retry-After": "2" } },
  );
