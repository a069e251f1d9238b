import { hash } from "node:crypto";
import type { PasswordAttempt } from "../../domain/people/password-attempt.js";
import { tooMany } from "../../errors.js";
import { subnet } from "../../subnet.js";
import { type Counter, type CreateCounter, countOrThrow } from "./counter.js";

const WINDOW_SECONDS = 15 * 60;
const HOUR_SECONDS = 3_600;

export type Guessing = ReturnType<typeof createGuessing>;

/**
 * Creates the limits for signing in. Failures in 15 minutes: 5 per e-mail and address, 50 per e-mail from addresses
 * that are not known, and 100 per address (IPv6 by /64). Successes in an hour: 60 per e-mail and 600 per address.
 * Further successes count as failures, so that correct passwords cannot keep the gateway busy either.
 */
export function createGuessing(createCounter: CreateCounter) {
  const counterOf = (name: string, limit: number) =>
    createCounter({ name: `guesses:${name}`, limit, seconds: WINDOW_SECONDS });
  const byAddress = counterOf("address", 100);
  const byBoth = counterOf("email-and-address", 5);
  const byEmail = counterOf("email", 50);
  const successes = (name: string, limit: number) =>
    createCounter({ name: `sign-ins:${name}`, limit, seconds: HOUR_SECONDS });
  const successesByEmail = successes("email", 60);
  const successesByAddress = successes("address", 600);

  const hashEmail = ({ email }: Pick<PasswordAttempt, "email">) => hash("sha256", email.toLowerCase());
  const windowsOf = ({ email, address, isKnownAddress }: PasswordAttempt): [Counter, string][] => {
    const from = subnet(address);
    const owner = hashEmail({ email });
    // The address comes first, so that one with too many guesses creates no entries for more e-mails.
    const windows: [Counter, string][] = [
      [byAddress, from],
      [byBoth, `${owner}:${from}`],
    ];
    return isKnownAddress ? windows : [...windows, [byEmail, owner]];
  };
  const uncount = async (windows: readonly [Counter, string][]) => {
    await Promise.all(windows.map(([counter, id]) => counter.uncount(id)));
  };
  /** Counts one in each window. If one is full, counts nothing and rejects with RATE_LIMIT_EXCEEDED and `what`. */
  const countInAll = async (windows: readonly [Counter, string][], what: string) => {
    for (const [index, [counter, id]] of windows.entries()) {
      const wait = await counter.count(id);
      if (wait === null) continue;
      await uncount(windows.slice(0, index));
      throw tooMany(what, wait);
    }
  };
  return {
    /**
     * Counts a guess as a failure. Call it before checking the password, so that simultaneous guesses count, too. After
     * too many, counts nothing and rejects with RATE_LIMIT_EXCEEDED.
     */
    attempt: (guess: PasswordAttempt): Promise<void> =>
      countInAll(windowsOf(guess), "Too many failed attempts to sign in."),
    /** Subtracts a guess that was never checked. */
    forgive: (guess: PasswordAttempt): Promise<void> => uncount(windowsOf(guess)),
    /** Counts a correct guess as a success instead of a failure. Rejects with RATE_LIMIT_EXCEEDED after too many. */
    async succeed(guess: PasswordAttempt): Promise<void> {
      const windows: [Counter, string][] = [
        [successesByEmail, hashEmail(guess)],
        [successesByAddress, subnet(guess.address)],
      ];
      await countInAll(windows, "Too many sign-ins.");
      await uncount(windowsOf(guess));
    },
  };
}

/** Creates the counter of registrations: 10 an hour from one address, then RATE_LIMIT_EXCEEDED. */
export const createRegistrationCounter = (createCounter: CreateCounter) =>
  createHourly(createCounter({ name: "registrations", limit: 10, seconds: HOUR_SECONDS }), "registrations");

/** Creates the counter of password resets: 10 an hour from one address, then RATE_LIMIT_EXCEEDED. */
export const createResetCounter = (createCounter: CreateCounter) =>
  createHourly(
    createCounter({ name: "password-resets", limit: 10, seconds: HOUR_SECONDS }),
    "requests for new passwords",
  );

/** Creates the counter of opened links: 120 an hour from one address, then RATE_LIMIT_EXCEEDED. */
export const createInspectionCounter = (createCounter: CreateCounter) =>
  createHourly(createCounter({ name: "inspections", limit: 120, seconds: HOUR_SECONDS }), "links opened");

const createHourly =
  (counter: Counter, what: string) =>
  (address: string): Promise<void> =>
    countOrThrow(counter, subnet(address), `Too many ${what} from this address.`);

/** Creates the counter of changes to one session, such as refreshes: 120 an hour, then RATE_LIMIT_EXCEEDED. */
export function createSessionChangeCounter(
  createCounter: CreateCounter,
): (sessionId: string) => Promise<void> {
  const counter = createCounter({ name: "session-changes", limit: 120, seconds: HOUR_SECONDS });
  return (sessionId) => countOrThrow(counter, sessionId, "Too many changes to this session.");
}

/**
 * Creates the counter of refused sign-ins with a provider. It resolves to false after 100 in 15 minutes from one
 * address (IPv6 by /64), so that nobody can flood an organization's audit trail.
 */
export function createSsoRefusalCounter(createCounter: CreateCounter): (address: string) => Promise<boolean> {
  const counter = createCounter({ name: "sso-refusals", limit: 100, seconds: WINDOW_SECONDS });
  return async (address) => (await counter.count(subnet(address))) === null;
}
