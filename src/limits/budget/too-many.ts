import { AppError } from "../../errors.js";

/** The refusal of what was done too often: `what` is its first sentence, and `waitMs` the time until it is allowed again. */
export function tooMany(what: string, waitMs: number): AppError {
  const seconds = Math.max(Math.ceil(waitMs / 1_000), 1);
  const headers = { "Retry-After": String(seconds) };
  return new AppError("RATE_LIMIT_EXCEEDED", `${what} Try again in ${seconds} seconds.`, { headers });
}
