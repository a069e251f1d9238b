import type { Place } from "./domain/fair-line.js";
import { AppError } from "./errors.js";

/** Runs `work` with the number of milliseconds left, and rejects if it takes longer. */
export type InTime = <T>(work: (msLeft: number) => T | Promise<T>) => Promise<T>;

/** Arrival and time limit of a request. */
export interface RequestTime {
  readonly now: Date;
  /** Waits for work. All work of the request shares one limit, which starts with the first call, unless renewed. */
  readonly inTime: InTime;
  /** Place of the request's work among that which waits for turns; that of the process itself if omitted. */
  readonly place?: Place;
}

/**
 * Creates the time limit of one request. From its first use, all work together may take `limitMs`. Abandons work that
 * takes longer, with an AppError that says when to try again.
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
      // If the process was suspended, an answer may be waiting. The event loop reads it before it runs the immediate.
      timer = setTimeout(() => setImmediate(() => reject(tooLong(limitMs))), left);
    });
    return Promise.race([result, timeUp]).finally(() => clearTimeout(timer));
  };
}

/** Creates the error for work that exceeds the time limit. */
export const tooLong = (limitMs: number) =>
  new AppError(
    "INTERNAL_ERROR",
    `The request took longer than ${limitMs / 1_000} seconds. Try again in a moment, or request less data.`,
    { headers: { "Retry-After": "2" } },
  );
