import { hash } from "node:crypto";
import { subnet } from "./auth-failures.js";
import type { Counter, CreateCounter } from "./counter.js";
import { tooMany } from "./too-many.js";

const WINDOW_SECONDS = 15 * 60;

/** One try to sign in. */
export interface Guess {
  readonly email: string;
  readonly address: string;
  /** Whether this person signed in from this address within 30 days: then nobody else's failures keep them out. */
  readonly isKnownAddress: boolean;
}

export type Guessing = ReturnType<typeof createGuessing>;

/**
 * Creates what limits the guessing of passwords: in 15 minutes 5 failures for an e-mail from one address, 50 for an e-mail
 * and 100 for an address (IPv6 by /64).
 */
export function createGuessing(createCounter: CreateCounter) {
  const counterOf = (name: string, limit: number) =>
    createCounter({ name: `guesses:${name}`, limit, seconds: WINDOW_SECONDS });
  const byAddress = counterOf("address", 100);
  const byBoth = counterOf("email-and-address", 5);
  const byEmail = counterOf("email", 50);

  const windowsOf = ({ email, address, isKnownAddress }: Guess): [Counter, string][] => {
    const from = subnet(address);
    const whose = hash("sha256", email.toLowerCase());
    // An address that has made too many guesses makes no entries for more e-mails.
    const windows: [Counter, string][] = [
      [byAddress, from],
      [byBoth, `${whose}:${from}`],
    ];
    return isKnownAddress ? windows : [...windows, [byEmail, whose]];
  };
  const takeBack = async (windows: readonly [Counter, string][]) => {
    await Promise.all(windows.map(([counter, id]) => counter.takeBack(id)));
  };
  return {
    /**
     * Counts a guess as a failure; call it before the password is checked, so that guesses at once are counted as well.
     * Rejects with RATE_LIMIT_EXCEEDED, and counts nothing, if there were too many.
     */
    async attempt(guess: Guess): Promise<void> {
      const windows = windowsOf(guess);
      for (const [index, [counter, id]] of windows.entries()) {
        const wait = await counter.count(id);
        if (wait === null) continue;
        await takeBack(windows.slice(0, index));
        throw tooMany("Too many failed attempts to sign in.", wait);
      }
    },
    /** Takes back a guess that was right. */
    forgive: (guess: Guess): Promise<void> => takeBack(windowsOf(guess)),
  };
}

/** Creates what counts registrations. It rejects with RATE_LIMIT_EXCEEDED after 10 in an hour from one address. */
export function createRegistrations(createCounter: CreateCounter): (address: string) => Promise<void> {
  const counter = createCounter({ name: "registrations", limit: 10, seconds: 3_600 });
  return async (address) => {
    const wait = await counter.count(subnet(address));
    if (wait !== null) throw tooMany("Too many registrations from this address.", wait);
  };
}
