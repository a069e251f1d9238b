import { randomBytes } from "node:crypto";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { once } from "../../domain/once.js";
import type { RelyingParty } from "../../http/site.js";

const CHALLENGE_BYTES = 32;
const HANDLE_BYTES = 64;

/** Time a browser gives the user to answer, in milliseconds: the lifetime of a challenge. */
const TIMEOUT_MS = 5 * 60_000;

/** EdDSA, ES256 and RS256, by their numbers in COSE. */
const ALGORITHMS = [-8, -7, -257];

/** Loaded on first use, because few requests need it. */
const library = once(async () => ({
  ...(await import("@simplewebauthn/server")),
  ...(await import("@simplewebauthn/server/helpers")),
}));

/** Creates a WebAuthn challenge, in base64url. */
export const generateWebauthnChallenge = (): string => randomBytes(CHALLENGE_BYTES).toString("base64url");

/** Creates the random id by which authenticators know a user, in base64url. */
export const generateHandle = (): string => randomBytes(HANDLE_BYTES).toString("base64url");

export interface NewPasskeyRequest {
  readonly party: RelyingParty;
  readonly challenge: string;
  readonly handle: string;
  readonly email: string;
  readonly name: string;
  /** The user's passkeys, so that no authenticator creates a second one. */
  readonly existing: readonly KnownCredential[];
}

/** The part of a passkey that a browser needs to find its authenticator. */
export interface KnownCredential {
  readonly credentialId: string;
  readonly transports: readonly string[];
}

/** Returns the options for creating a passkey in a browser. */
export async function writeCreationOptions({
  party,
  challenge,
  handle,
  email,
  name,
  existing,
}: NewPasskeyRequest): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions, isoBase64URL } = await library();
  return generateRegistrationOptions({
    rpName: "Carbon Gateway",
    rpID: party.id,
    userID: isoBase64URL.toBuffer(handle),
    userName: email,
    userDisplayName: name,
    challenge: isoBase64URL.toBuffer(challenge),
    timeout: TIMEOUT_MS,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    excludeCredentials: describeAll(existing),
  });
}

/**
 * Returns the options for using a passkey in a browser: one of `known`, or any that the browser finds if `known` is
 * null. Pass `known` only once the password has been checked, since it reveals the account's passkeys. Keys without a
 * PIN need it, because browsers find them only if they are listed.
 */
export async function writeRequestOptions(
  party: RelyingParty,
  challenge: string,
  known: readonly KnownCredential[] | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions, isoBase64URL } = await library();
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: isoBase64URL.toBuffer(challenge),
    timeout: TIMEOUT_MS,
    userVerification: known === null ? "required" : "preferred",
    ...(known && { allowCredentials: describeAll(known) }),
  });
}

const describeAll = (known: readonly KnownCredential[]) =>
  known.map(({ credentialId: id, transports }) => ({ id, transports: [...transports] }));

/** A new passkey, as its authenticator describes it. */
export interface NewCredential {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly backedUp: boolean;
  readonly userVerified: boolean;
}

/** A browser's answer. The library checks its form. */
export type WebauthnResponse = Readonly<Record<string, unknown>> & { readonly id: string };

interface Expected {
  readonly party: RelyingParty;
  readonly challenge: string;
}

/** Reads a new passkey from a browser's answer; null if the answer is invalid or has an attestation. */
export async function readNewPasskey(
  answer: WebauthnResponse,
  { party, challenge }: Expected,
): Promise<NewCredential | null> {
  const { verifyRegistrationResponse, decodeAttestationObject, isoBase64URL } = await library();
  const response = answer as unknown as RegistrationResponseJSON;
  try {
    // To check other attestations, the library would fetch lists of revoked certificates from URLs the sender chooses.
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject));
    if (attestation.get("fmt") !== "none" || isCrossOrigin(answer)) return null;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return null;
    const { credential, credentialBackedUp, userVerified } = registrationInfo;
    const isTooLong = credential.publicKey.length > MAX_KEY_BYTES;
    if (isTooLong || credential.id.length > MAX_CREDENTIAL_ID_LENGTH) return null;
    return {
      credentialId: credential.id,
      publicKey: isoBase64URL.fromBuffer(credential.publicKey),
      counter: credential.counter,
      transports: (credential.transports ?? [])
        .filter((text) => typeof text === "string" && TRANSPORT.test(text))
        .slice(0, MAX_TRANSPORTS),
      backedUp: credentialBackedUp,
      userVerified,
    };
  } catch {
    return null;
  }
}

/** 1,023 bytes in base64url (WebAuthn, section 4). */
export const MAX_CREDENTIAL_ID_LENGTH = 1_364;

/** Larger than an RSA key of 8,192 bits. */
const MAX_KEY_BYTES = 1_200;

const MAX_TRANSPORTS = 10;
const TRANSPORT = /^[a-z-]{1,20}$/;

export interface Assertion {
  readonly counter: number;
  readonly backedUp: boolean;
  readonly userVerified: boolean;
}

/** Reads a browser's answer that uses a passkey; null if it is invalid. The caller must compare the counter. */
export async function readAssertion(
  answer: WebauthnResponse,
  { credentialId, publicKey }: Pick<NewCredential, "credentialId" | "publicKey">,
  { party, challenge, requiresVerification }: Expected & { readonly requiresVerification: boolean },
): Promise<Assertion | null> {
  const { verifyAuthenticationResponse, isoBase64URL } = await library();
  try {
    if (isCrossOrigin(answer)) return null;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: requiresVerification,
      // The library compares counters before it checks the signature, so a stranger could get a key refused.
      credential: { id: credentialId, publicKey: isoBase64URL.toBuffer(publicKey), counter: 0 },
    });
    if (!verified) return null;
    const { newCounter, credentialBackedUp, userVerified } = authenticationInfo;
    return { counter: newCounter, backedUp: credentialBackedUp, userVerified };
  } catch {
    return null;
  }
}

/** Returns true for an answer from a frame in another site's page. Throws if the answer is malformed. */
function isCrossOrigin({ response }: WebauthnResponse): boolean {
  const { clientDataJSON } = response as { clientDataJSON: string };
  const { crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8"));
  return crossOrigin === true;
}

/** Returns the user handle in an answer; null if the authenticator sent none. */
export function handleIn({ response }: WebauthnResponse): string | null {
  const { userHandle } = (response ?? {}) as { userHandle?: unknown };
  return typeof userHandle === "string" && userHandle !== "" ? userHandle : null;
}
