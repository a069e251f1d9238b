import { AppError } from "../../errors.js";

/** Begins what it is given, which is told how many milliseconds it has, and waits for it no longer than that. */
export type InTime = <T>(work: (msLeft: number) => T | Promise<T>) => Promise<T>;

/** When a request came, and what it may wait for. */
export interface RequestTime {
  readonly now: Date;
  /** Waits for the database no longer than the request may in all, from the first time that it has to. */
  readonly inTime: InTime;
}

/**
 * Makes the time of one request, which begins when it is first used: all that is waited for in it together may take
 * `limitMs`. What is still under way then is given up with an AppError that says when to try again.
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
      // After a pause of this process the answer may lie there unread: it is read before the immediate.
      timer = setTimeout(() => setImmediate(() => reject(tooLong(limitMs))), left);
    });
    return Promise.race([result, timeUp]).finally(() => clearTimeout(timer));
  };
}

const tooLong = (limitMs: number) =>
  new AppError(
    "INTERNAL_ERROR",
    `The request took longer than ${limitMs / 1_000} seconds. Try again in a moment, or ask for less at once.`,
    { headers: { "Retry-After": "2" } },
  );
