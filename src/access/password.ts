import { hash, verify } from "@node-rs/argon2";
import pLimit from "p-limit";
import { isOverlong } from "../domain/people/password-rules.js";
import { AppError } from "../errors.js";

/** The parameters that OWASP's Password Storage Cheat Sheet names first. The library's default is argon2id, version 19. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const { memoryCost, timeCost, parallelism } = PARAMETERS;

/** How every hash with these parameters begins. */
const BEGINNING = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`;

/** A hash that no password is known for: 16 bytes of salt and 32 of hash, all zero. */
const NOBODYS = `${BEGINNING}${"A".repeat(22)}$${"A".repeat(43)}`;

/** Each takes 19 MB and a thread. The other threads of Node.js' pool are left to files and names of hosts. */
const MOST_AT_ONCE = 2;
const MOST_WAITING = 50;

export type Passwords = ReturnType<typeof createPasswords>;

/**
 * Creates what hashes passwords with argon2id, after NFKC, two at a time. `hash` and `verify` reject with
 * RATE_LIMIT_EXCEEDED while 50 others wait.
 */
export function createPasswords() {
  const limit = pLimit(MOST_AT_ONCE);
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (limit.activeCount + limit.pendingCount < MOST_AT_ONCE + MOST_WAITING) return limit(work);
    const message = "Too many passwords are being checked. Try again in 1 second.";
    throw new AppError("RATE_LIMIT_EXCEEDED", message, { headers: { "Retry-After": "1" } });
  };
  return {
    /** Resolves to the hash that is stored. */
    hash: async (password: string) => inTurn(() => hash(password.normalize("NFKC"), PARAMETERS)),
    /** Whether a password is the one hashed. With null, for a person or a password that is not there, false after as long. */
    async verify(password: string, stored: string | null): Promise<boolean> {
      const known = isOverlong(password) ? null : stored;
      const text = isOverlong(password) ? "" : password.normalize("NFKC");
      const isRight = await inTurn(() => verify(known ?? NOBODYS, text));
      return isRight && known !== null;
    },
    /** Whether a hash was made with other parameters than today's, so that the password is to be hashed anew. */
    isOutdated: (stored: string) => !stored.startsWith(BEGINNING),
  };
}
