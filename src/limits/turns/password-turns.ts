import type { PasswordAttempt } from "../../domain/people/password-attempt.js";
import { tooMany } from "../../errors.js";
import { network, subnet } from "../../subnet.js";
import { createFairQueue } from "./fair-queue.js";

/** Each hash takes 19 MB and one of the two threads in `access/secrets/password.ts`. */
const AT_ONCE = 2;
const MAX_WAITING = 50;

/**
 * Creates the queue for hashing passwords, two at a time. Guesses from known addresses take turns with all others.
 * Within each of these two groups, networks take turns, then addresses, then accounts. If more than 50 are waiting, the
 * latest task of the largest group rejects with RATE_LIMIT_EXCEEDED.
 */
export function createPasswordTurns(): <Result>(
  attempt: PasswordAttempt,
  work: () => Promise<Result>,
) => Promise<Result> {
  const queue = createFairQueue({
    atOnce: AT_ONCE,
    maxWaiting: MAX_WAITING,
    refuse: () => tooMany("Too many passwords are being checked.", 1_000),
  });
  return ({ email, address, isKnownAddress }, work) =>
    queue([String(isKnownAddress), network(address), subnet(address), email.toLowerCase()], work);
}
