import { Piscina } from "piscina";
import { once } from "../../domain/once.js";
import type { PasswordAttempt } from "../../domain/people/password-attempt.js";
import { isOverlong } from "../../domain/people/password-rules.js";

/** The first choice of OWASP's Password Storage Cheat Sheet. The library's default is argon2id, version 19. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const { memoryCost, timeCost, parallelism } = PARAMETERS;

/** Prefix of every hash with these parameters. */
const HASH_PREFIX = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`;

/** A hash that no known password matches: 16 bytes of salt and 32 of hash, all zero. */
const DUMMY_HASH = `${HASH_PREFIX}${"A".repeat(22)}$${"A".repeat(43)}`;

/** Threads that hash passwords. On Linux they have a lower priority than the thread that serves requests. */
const threads = once(
  () =>
    new Piscina({
      filename: new URL("hashing.js", import.meta.url).href,
      minThreads: 0,
      maxThreads: 2,
      idleTimeout: 60_000,
      niceIncrement: 10,
    }),
);

/** Runs work once it is the turn of its user and address. Rejects with RATE_LIMIT_EXCEEDED if too many are waiting. */
export type InTurn = <Result>(attempt: PasswordAttempt, work: () => Promise<Result>) => Promise<Result>;

export type Passwords = ReturnType<typeof createPasswords>;

/**
 * Creates the functions that hash and verify passwords when it is their turn, with argon2id after NFKC normalization.
 */
export function createPasswords(inTurn: InTurn) {
  return {
    /** Resolves to the hash to store. */
    hash: (password: string, attempt: PasswordAttempt): Promise<string> =>
      inTurn(attempt, () => hashPassword(password)),
    /**
     * Resolves to true if the password matches. For an unknown user, whose `stored` is null, resolves to false after
     * the same time.
     */
    async verify(password: string, stored: string | null, attempt: PasswordAttempt): Promise<boolean> {
      const known = isOverlong(password) ? null : stored;
      const text = isOverlong(password) ? "" : password.normalize("NFKC");
      const isRight = await inTurn(attempt, () =>
        threads().run({ password: text, stored: known ?? DUMMY_HASH }, { name: "verify" }),
      );
      return isRight && known !== null;
    },
    /** Returns true if a hash does not have the current parameters. */
    isOutdated: (stored: string) => !stored.startsWith(HASH_PREFIX),
  };
}

/** Resolves to the hash of a password, without waiting for a turn. Requests use `createPasswords`. */
export const hashPassword = (password: string): Promise<string> =>
  threads().run({ password: password.normalize("NFKC"), parameters: PARAMETERS }, { name: "hash" });
