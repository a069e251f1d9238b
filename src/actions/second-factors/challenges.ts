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

/** Maximum number of wrong answers to a challenge. */
const MAX_FAILURES = 5;

export type FactorMethod = "totp" | "passkey" | "recovery_code";

/** The challenge for the second factor of a sign-in. */
export interface SignInChallenge {
  readonly token: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly methods: readonly FactorMethod[];
  /** Browser options for using a passkey; null if none can be used. */
  readonly passkey: object | null;
}

/** A sign-in that waits for its second factor. */
interface Pending {
  readonly userId: string;
  readonly entry: SignInMethod;
  readonly transport: Transport;
  /** Challenge for a passkey; null if none can be used. */
  readonly webauthn: string | null;
}

/** A passkey that a user adds, or uses to reauthenticate, in a session. */
interface OwnPasskey {
  readonly userId: string;
  readonly sessionId: string;
  readonly webauthn: string;
}

/** Contents of challenges, by purpose. */
interface Contents {
  readonly "sign-in": Pending;
  readonly passkey: { readonly webauthn: string };
  readonly enrol: OwnPasskey;
  readonly reauthenticate: OwnPasskey;
}

type Purpose = keyof Contents;

/** An unexpired challenge. It must not be trusted before `isAuthentic` has returned true for its user. */
export interface OpenChallenge<Content> {
  /** Unlike the token, it does not depend on the seal. */
  readonly id: string;
  readonly expiresAt: Date;
  readonly content: Content;
  /** `factors` are null for a challenge without a user. */
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

/**
 * Opens a challenge. Rejects if it is unknown, expired or for another purpose, and counts a failure for the client's
 * address.
 */
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
 * Prevents strangers from forging challenges without a user if the gateway has no pepper, because its seal is then not
 * secret. Such a gateway accepts only its own process's challenges.
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
  Array.from({ length: MAX_FAILURES }, (_, index) => hash("sha256", `${id} failure ${index}`));

/** Returns true if a challenge was used, or has had too many wrong answers. */
export async function isSpent(sql: SqlSession, { id }: Pick<OpenChallenge<unknown>, "id">): Promise<boolean> {
  return (await countSpent(sql, [id])) > 0 || (await countSpent(sql, failuresOf(id))) === MAX_FAILURES;
}

/** Counts a wrong answer to a challenge of a locked user. */
export async function noteChallengeFailure(
  sql: SqlSession,
  { id, expiresAt }: Pick<OpenChallenge<unknown>, "id" | "expiresAt">,
): Promise<void> {
  for (const failure of failuresOf(id)) if (await spendToken(sql, failure, expiresAt)) return;
}

/** Creates the challenge for a user who has passed the first step of a sign-in. */
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

/** Describes a challenge, with the methods that it accepts. */
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
    methods: methods.flatMap(([method, isAvailable]) => (isAvailable ? [method] : [])),
    passkey,
  };
}
