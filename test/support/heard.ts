import { hashKey, isWellFormedKey } from "../../src/access/secrets/api-key.js";
import { TOKEN_PREFIXES } from "../../src/domain/keys/text.js";
import { createLogger, type Log } from "../../src/log.js";

/** A line of a gateway's log. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Tokens, of which a challenge and a short-lived bearer are sealed texts in hexadecimal digits. */
const SEALED = "cgw_(?:acc|chl)_[0-9a-f]{40,}";
const TOKEN = `(?:${Object.values(TOKEN_PREFIXES).join("|")})[0-9A-Za-z]{43}(?![0-9A-Za-z])`;
const WEBHOOK_SECRET = "whsec_[0-9A-Za-z+/]{43}=";
const LEARNED = new RegExp(`${SEALED}|${TOKEN}|${WEBHOOK_SECRET}`, "g");
const NEVER_SAID = new RegExp(`cgw_(?:live|svc)_[0-9A-Za-z]{38}|${LEARNED.source}|\\$argon2`, "g");

const sources: (() => string)[] = [];
const keys = new Set<string>();
const peppers = new Set<string | undefined>([undefined]);
const passwords = new Set<string>();

/** Remembers where to read what a gateway or a command has said where no secret may stand. */
export function hear(read: () => string): void {
  sources.push(read);
}

/** Notes the keys and tokens of a text that may hold them, such as what a command was asked to print. */
export function learnKeys(text: string): void {
  for (const [key] of text.matchAll(/cgw_(?:live|svc)_[0-9A-Za-z]{38}/g))
    if (isWellFormedKey(key)) keys.add(key);
  for (const [secret] of text.matchAll(LEARNED)) keys.add(secret);
}

/** Notes a person's password, or another secret of theirs. */
export function learnPassword(password: string): void {
  passwords.add(password);
}

/** Notes the secrets of an environment: its pepper, and the passwords of its addresses. */
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

/** The secrets in a text: any whole key or token, and a password's hash; of those that are known the part that is secret, and the hash. */
export function findSecrets(text: string): string[] {
  const known = [...keys].flatMap((key) => [
    key.slice(key.lastIndexOf("_") + 1),
    ...[...peppers].map((pepper) => hashKey(key, pepper)),
  ]);
  return [
    ...(text.match(NEVER_SAID) ?? []),
    ...[...known, ...passwords].filter((secret) => text.includes(secret)),
  ];
}

/** All that this test file's gateways and commands have said so far, where no secret may stand. */
export const allHeard = (): string => sources.map((read) => read()).join("\n");

/** Forgets everything heard and learned, so that the next test file starts empty. */
export function forgetHeard(): void {
  sources.length = 0;
  keys.clear();
  peppers.clear();
  peppers.add(undefined);
  passwords.clear();
}

/** A logger of everything, and what it was given so far. */
export function createTestLog(): { log: Log; lines: () => LogLine[] } {
  const lines: string[] = [];
  hear(() => lines.join(""));
  const log = createLogger("trace", { write: (line) => void lines.push(line) });
  return { log, lines: () => lines.map((line) => JSON.parse(line)) };
}
