import { hashKey, isWellFormedKey } from "../../src/access/secrets/api-key.js";
import { TOKEN_PREFIXES } from "../../src/domain/keys/secrets.js";
import { createLogger, type Log } from "../../src/log.js";

/** A line of a gateway's log. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Challenges and short-lived bearer tokens, which are sealed and in hexadecimal. */
const SEALED = "cgw_(?:acc|chl)_[0-9a-f]{40,}";
const TOKEN = `(?:${Object.values(TOKEN_PREFIXES).join("|")})[0-9A-Za-z]{43}(?![0-9A-Za-z])`;
const WEBHOOK_SECRET = "whsec_[0-9A-Za-z+/]{43}=";
const REGISTERED = new RegExp(`${SEALED}|${TOKEN}|${WEBHOOK_SECRET}`, "g");
const FORBIDDEN = new RegExp(`cgw_(?:live|svc)_[0-9A-Za-z]{38}|${REGISTERED.source}|\\$argon2`, "g");

const sources: (() => string)[] = [];
const keys = new Set<string>();
const peppers = new Set<string | undefined>([undefined]);
const passwords = new Set<string>();

/** Registers a source of output that may contain no secrets, such as a log. */
export function watchOutput(read: () => string): void {
  sources.push(read);
}

/** Registers the keys and tokens in a string as secrets. */
export function learnKeys(text: string): void {
  for (const [key] of text.matchAll(/cgw_(?:live|svc)_[0-9A-Za-z]{38}/g))
    if (isWellFormedKey(key)) keys.add(key);
  for (const [secret] of text.matchAll(REGISTERED)) keys.add(secret);
}

/** Registers a user's password or other secret. */
export function learnPassword(password: string): void {
  passwords.add(password);
}

/** Registers the secrets of an environment: its pepper and keys, and the passwords in its URLs. */
export function learnSecrets(environment: Readonly<Record<string, string | undefined>>): void {
  const { KEY_PEPPER: pepper, AI_API_KEY: modelKey, CERTIFICATE_KEY: certificateKey } = environment;
  if (modelKey) passwords.add(modelKey);
  if (pepper) {
    peppers.add(pepper);
    passwords.add(pepper);
  }
  if (certificateKey) passwords.add(certificateKey);
  for (const value of Object.values(environment)) {
    for (const [, password = ""] of value?.matchAll(/:\/\/[^/:@\s]*:([^@/\s]+)@/g) ?? [])
      passwords.add(password);
  }
}

/** Finds secrets in a string: any key, token or password hash, and the secret parts and hashes of registered ones. */
export function findSecrets(text: string): string[] {
  const known = [...keys].flatMap((key) => [
    key.slice(key.lastIndexOf("_") + 1),
    ...[...peppers].map((pepper) => hashKey(key, pepper)),
  ]);
  return [
    ...(text.match(FORBIDDEN) ?? []),
    ...[...known, ...passwords].filter((secret) => text.includes(secret)),
  ];
}

/** Returns the output of all sources so far. */
export const watchedOutput = (): string => sources.map((read) => read()).join("\n");

/** Clears all sources and secrets for the next test file. */
export function resetSecrets(): void {
  sources.length = 0;
  keys.clear();
  peppers.clear();
  peppers.add(undefined);
  passwords.clear();
}

/** Creates a logger of all levels, with access to its lines. */
export function createTestLog(): { log: Log; lines: () => LogLine[] } {
  const lines: string[] = [];
  watchOutput(() => lines.join(""));
  const log = createLogger("trace", { write: (line) => void lines.push(line) });
  return { log, lines: () => lines.map((line) => JSON.parse(line)) };
}
