import { hash, randomBytes } from "node:crypto";
import { readChallenge, writeChallenge } from "../../access/secrets/challenge.js";
import { generateWebauthnChallenge, writeRequestOptions } from "../../access/secrets/passkeys.js";
import { countInvalid } from "../../access/session.js";
import type { SqlSession } from "../../data/database/types.js";
import { challengeBasisOf, type Factors } from "../../data/second-factors/factors.js";
import { countSpent, spendToken } from "../../data/second-factors/spent-tokens.js";
import { deadChallenge } from "../accounts/account-errors.js";
import type { AccountsContext, ClientInfo, Transport } from "../accounts/context.js";
import type { SignInMethod } from "../sessions/sign-in-methods.js";

const CHALLENGE_MS = 5 * 60_000;

/** Wrong answers that a challenge accepts. */
const MOST_FAILURES = 5;

/** A way to give the second factor. */
export type FactorMethod = "totp" | "passkey" | "recovery_code";

/** A challenge for the second factor of somebody who signs in. */
export interface SignInChallenge {
  readonly token: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly methods: readonly FactorMethod[];
  /** Options of a browser's call that uses a passkey; null for a user without one. */
  readonly passkey: object | null;
}

/** A way in that waits for the second factor. */
interface Pending {
  readonly userId: string;
  readonly entry: SignInMethod;
  readonly transport: Transport;
  /** Challenge for a passkey; null if none can be used. */
  readonly webauthn: string | null;
}

/** A passkey that a user adds or gives again in a session. */
interface OwnPasskey {
  readonly userId: string;
  readonly sessionId: string;
  readonly webauthn: string;
}

/** A user's purpose with a challenge, and what it needs. */
interface Contents {
  readonly "sign-in": Pending;
  readonly passkey: { readonly webauthn: string };
  readonly enrol: OwnPasskey;
  readonly reauthenticate: OwnPasskey;
}

type Purpose = keyof Contents;

/** A challenge that is not expired. It counts once `isAuthentic` has returned true for its user. */
export interface OpenChallenge<Content> {
  /** Unlike the token, the same however it is sealed. */
  readonly id: string;
  readonly expiresAt: Date;
  readonly content: Content;
  /** `factors` are null for a challenge of nobody in particular. */
  isAuthentic(factors: Factors | null): boolean;
}

/** Creates a challenge for one purpose. */
export function createChallenge<Of extends Purpose>(
  { resources }: AccountsContext,
  { request }: ClientInfo,
  [purpose, content, factors]: readonly [Of, Contents[Of], Factors | null],
): string {
  const expiresAt = request.now.getTime() + CHALLENGE_MS;
  const nonce = randomBytes(16).toString("base64url");
  return writeChallenge(
    { purpose, content, expiresAt, nonce },
    basisFor(resources, factors),
    resources.pepper,
  );
}

/** Opens a challenge. Rejects, and counts a failure of the client's address, if it is unknown, expired or for another purpose. */
export async function openChallenge<Of extends Purpose>(
  { resources, countFailure }: AccountsContext,
  { request }: ClientInfo,
  purpose: Of,
  token: string,
): Promise<OpenChallenge<Contents[Of]>> {
  const { pepper, peppers } = resources;
  // Without a pepper, anyone with a copy of the database could write challenges.
  const own = pepper === undefined ? peppers : peppers.filter((one) => one !== undefined);
  const read = readChallenge(token, own);
  const sealed = read?.content as Partial<Sealed<Contents[Of]>> | null | undefined;
  if (read && sealed?.purpose === purpose && sealed.content && sealed.expiresAt && sealed.nonce) {
    const expiresAt = new Date(sealed.expiresAt);
    const id = hash("sha256", `${purpose} ${sealed.nonce} ${sealed.expiresAt}`);
    if (expiresAt > request.now)
      return {
        id,
        expiresAt,
        content: sealed.content,
        isAuthentic: (factors) => read.isAuthentic(basisFor(resources, factors)),
      };
  }
  await countInvalid(countFailure, request);
  throw deadChallenge();
}

/**
 * Keeps strangers from writing challenges of nobody in particular for a gateway without a pepper, whose seal is no secret.
 * Such a gateway accepts only those of the same process.
 */
const PROCESS_SECRET = randomBytes(32).toString("base64url");

const basisFor = ({ pepper }: AccountsContext["resources"], factors: Factors | null): string =>
  factors !== null ? challengeBasisOf(factors) : pepper === undefined ? PROCESS_SECRET : "";

interface Sealed<Content> {
  readonly purpose: string;
  readonly content: Content;
  readonly expiresAt: number;
  readonly nonce: string;
}

/** Uses up a challenge. Throws if it was used before. */
export async function spendChallenge(
  sql: SqlSession,
  { id, expiresAt }: Pick<OpenChallenge<unknown>, "id" | "expiresAt">,
): Promise<void> {
  if (!(await spendToken(sql, id, expiresAt))) throw deadChallenge();
}

const failuresOf = (id: string) =>
  Array.from({ length: MOST_FAILURES }, (_, index) => hash("sha256", `${id} failure ${index}`));

/** Returns true if a challenge was used, or has had too many wrong answers. */
export async function isSpent(sql: SqlSession, { id }: Pick<OpenChallenge<unknown>, "id">): Promise<boolean> {
  return (await countSpent(sql, [id])) > 0 || (await countSpent(sql, failuresOf(id))) === MOST_FAILURES;
}

/** Counts a wrong answer to a challenge of a locked user. */
export async function noteChallengeFailure(
  sql: SqlSession,
  { id, expiresAt }: Pick<OpenChallenge<unknown>, "id" | "expiresAt">,
): Promise<void> {
  for (const failure of failuresOf(id)) if (await spendToken(sql, failure, expiresAt)) return;
}

/** Creates the challenge of somebody who has taken a way in. */
export function createSignInChallenge(
  context: AccountsContext,
  client: ClientInfo,
  pending: Omit<Pending, "webauthn">,
  factors: Factors,
): Promise<SignInChallenge> {
  const webauthn = client.party !== null && factors.passkeys.length > 0 ? generateWebauthnChallenge() : null;
  const token = createChallenge(context, client, ["sign-in", { ...pending, webauthn }, factors]);
  const expiresAt = new Date(client.request.now.getTime() + CHALLENGE_MS);
  return describeSignInChallenge(client, { token, expiresAt, webauthn }, factors);
}

/** Lists how the second factor can be given for a challenge. */
export async function describeSignInChallenge(
  { party, request }: ClientInfo,
  {
    token,
    expiresAt,
    webauthn,
  }: { readonly token: string; readonly expiresAt: Date } & Pick<Pending, "webauthn">,
  { totp, passkeys, recoveryCodesLeft }: Factors,
): Promise<SignInChallenge> {
  const passkey = party && webauthn ? await writeRequestOptions(party, webauthn, passkeys) : null;
  const methods: readonly (readonly [FactorMethod, boolean])[] = [
    ["totp", totp !== null && totp.confirmedAt !== null],
    ["passkey", passkey !== null],
    ["recovery_code", recoveryCodesLeft > 0],
  ];
  return {
    token,
    expiresIn: Math.floor((expiresAt.getTime() - request.now.getTime()) / 1_000),
    methods: methods.flatMap(([method, isThere]) => (isThere ? [method] : [])),
    passkey,
  };
}
