import {
  generateHandle,
  generateWebauthnChallenge,
  readNewPasskey,
  type WebauthnResponse,
  writeCreationOptions,
  writeRequestOptions,
} from "../../access/secrets/passkeys.js";
import { countInvalid } from "../../access/session.js";
import { write } from "../../data/database/transaction.js";
import type { StoredSession } from "../../data/people/sessions.js";
import { findAccountById } from "../../data/people/users.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { changePassword } from "../../data/people/write-users.js";
import { type Factors, type PasskeyRow, readFactors } from "../../data/second-factors/factors.js";
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  renamePasskey,
  storeHandle,
} from "../../data/second-factors/passkeys.js";
import { AppError } from "../../errors.js";
import type { RelyingParty } from "../../http/site.js";
import { deadChallenge, fieldConflict, wrongFactor } from "../accounts/account-errors.js";
import { type AccountsContext, type ClientInfo, type Transport, writerOf } from "../accounts/context.js";
import type { SignedIn } from "../sessions/begin-session.js";
import { notifyUser } from "../sessions/sign-in-methods.js";
import { completeSignIn } from "../sessions/sign-in-or-challenge.js";
import { createChallenge, isSpent, openChallenge, spendChallenge } from "./challenges.js";
import { afterFactorAdded, afterFactorRemoved, manageFactors, readOwnFactors } from "./own-factors.js";
import { lockFactors, useFactor } from "./use-factor.js";

/** Maximum number of a user's passkeys. */
export const MAX_PASSKEYS = 10;

/** Browser options, and the challenge to send with the browser's response. */
export interface PasskeyOptions {
  readonly options: object;
  readonly challenge: string;
}

/** Returns the relying party of the request's page. Throws CONFLICT on an IP address, which cannot have passkeys. */
export function requireParty({ site }: AccountsContext["resources"], { party }: ClientInfo): RelyingParty {
  if (party !== null) return party;
  const url = site.origins().find((origin) => origin.startsWith("http://localhost:"));
  const way = url === undefined ? "Ask your administrator to set PUBLIC_URL to a host name." : `Open ${url}.`;
  throw fieldConflict("passkeys", `Passkeys do not work on an IP address. ${way}`);
}

/** Returns the options for a new passkey of the session's user. Rejects with CONFLICT if the user already has 10. */
export async function startEnrolment(
  context: AccountsContext,
  session: StoredSession,
  client: ClientInfo,
): Promise<PasskeyOptions> {
  const party = requireParty(context.resources, client);
  const webauthn = generateWebauthnChallenge();
  const { user } = session;
  const factors = await manageFactors(context, session, client, async ({ sql, factors }) => {
    requireFewPasskeys(factors);
    await storeHandle(sql, user.id, generateHandle());
    return readFactors(sql, user.id, client.request.now);
  });
  const handle = factors?.webauthnHandle;
  if (!factors || !handle) throw new Error("the handle that was just stored is missing");
  const { email, name } = user;
  const content = { userId: user.id, sessionId: session.id, webauthn };
  return {
    options: await writeCreationOptions({
      party,
      challenge: webauthn,
      handle,
      email,
      name,
      existing: factors.passkeys,
    }),
    challenge: createChallenge(context, client, ["enrol", content, factors]),
  };
}

function requireFewPasskeys({ passkeys }: Factors): void {
  if (passkeys.length >= MAX_PASSKEYS)
    throw fieldConflict(
      "passkeys",
      `You already have ${MAX_PASSKEYS} passkeys, the maximum. Remove one first.`,
    );
}

/** Adds a passkey that a browser created. Returns it, and recovery codes if it is the user's first factor. */
export async function enrolPasskey(
  context: AccountsContext,
  session: StoredSession,
  body: { readonly challenge: string; readonly name: string; readonly response: WebauthnResponse },
  client: ClientInfo,
): Promise<{ readonly passkey: PasskeyRow; readonly recoveryCodes: readonly string[] | null }> {
  const party = requireParty(context.resources, client);
  const challenge = await openChallenge(context, client, "enrol", body.challenge);
  const { userId, sessionId, webauthn } = challenge.content;
  if (userId !== session.user.id || sessionId !== session.id) throw deadChallenge();
  const credential = await readNewPasskey(body.response, { party, challenge: webauthn });
  if (credential === null) throw wrongFactor("response");
  return manageFactors(
    context,
    session,
    client,
    async (context) => {
      const { sql, factors } = context;
      if (!challenge.isAuthentic(factors)) throw deadChallenge();
      requireFewPasskeys(factors);
      await spendChallenge(sql, challenge);
      const { now } = client.request;
      const { name } = body;
      const id = await insertPasskey(sql, { ...credential, userId, name }, now);
      if (id === null) throw fieldConflict("response", "This passkey already exists.");
      const passkey = { ...credential, id, name, createdAt: now, lastUsedAt: null };
      return { passkey, recoveryCodes: await afterFactorAdded(context, { kind: "passkey", id }) };
    },
    "factor.added",
  );
}

const noPasskey = () => new AppError("NOT_FOUND", "You have no passkey with this id.");

/** Changes the name of a passkey of the session's user. Rejects with NOT_FOUND if the user has none with this id. */
export const changePasskeyName = (
  context: AccountsContext,
  session: StoredSession,
  { id, name }: { readonly id: string; readonly name: string },
  client: ClientInfo,
): Promise<PasskeyRow> =>
  manageFactors(context, session, client, async ({ sql, factors }) => {
    const passkey = factors.passkeys.find((one) => one.id === id.toLowerCase());
    if (passkey === undefined || !(await renamePasskey(sql, session.user.id, { id, name })))
      throw noPasskey();
    return { ...passkey, name };
  });

/**
 * Removes a passkey of the session's user. Rejects with NOT_FOUND, and with CONFLICT if the user could not sign in
 * without it or needs it as the second factor.
 */
export const removePasskey = (
  context: AccountsContext,
  session: StoredSession,
  id: string,
  client: ClientInfo,
): Promise<void> =>
  manageFactors(
    context,
    session,
    client,
    async (context) => {
      const { sql, factors } = context;
      const left = factors.passkeys.filter((one) => one.id !== id.toLowerCase());
      if (left.length === factors.passkeys.length) throw noPasskey();
      if (factors.passwordHash === null && !left.some(({ userVerified }) => userVerified))
        throw fieldConflict(
          "passkey",
          "This is your last way to sign in. Add another passkey or set a password first.",
        );
      await deletePasskey(sql, session.user.id, id);
      await afterFactorRemoved(context);
    },
    "factor.removed",
  );

/**
 * Removes the password of the session's user, who then signs in with passkeys alone, and ends the user's other
 * sessions. Rejects with NOT_FOUND without a password, and with CONFLICT unless the user has two passkeys that verify
 * their user, or one and recovery codes.
 */
export const removePassword = (
  context: AccountsContext,
  session: StoredSession,
  client: ClientInfo,
): Promise<void> =>
  manageFactors(
    context,
    session,
    client,
    async (context) => {
      const { sql, factors, account } = context;
      const { now } = client.request;
      if (factors.passwordHash === null) throw new AppError("NOT_FOUND", "You have no password.");
      const ways = factors.passkeys.filter(({ userVerified }) => userVerified).length;
      if (ways === 0 || (ways === 1 && factors.recoveryCodesLeft === 0))
        throw fieldConflict(
          "password",
          "You need two passkeys that verify you with a PIN or biometrics, or one of them and recovery codes.",
        );
      await changePassword(sql, account.id, null, now);
      await endSessionsOf(sql, account.id, now, session.id);
      await notifyUser(context, "password_changed", "Your password was removed");
    },
    "password.removed",
  );

/** Returns the browser options for signing in with a passkey alone. They are the same for everybody. */
export async function startPasskeySignIn(
  context: AccountsContext,
  client: ClientInfo,
): Promise<PasskeyOptions> {
  const webauthn = generateWebauthnChallenge();
  const party = requireParty(context.resources, client);
  return {
    options: await writeRequestOptions(party, webauthn, null),
    challenge: createChallenge(context, client, ["passkey", { webauthn }, null]),
  };
}

/** Returns the browser options for reauthenticating the session's user with a passkey. */
export async function startReauthentication(
  context: AccountsContext,
  session: StoredSession,
  client: ClientInfo,
): Promise<PasskeyOptions> {
  const { id: sessionId, user } = session;
  const party = requireParty(context.resources, client);
  const factors = await readOwnFactors(context, session, client);
  if (factors.passkeys.length === 0) throw fieldConflict("passkeys", "You have no passkeys.");
  const webauthn = generateWebauthnChallenge();
  const content = { userId: user.id, sessionId, webauthn };
  return {
    options: await writeRequestOptions(party, webauthn, factors.passkeys),
    challenge: createChallenge(context, client, ["reauthenticate", content, factors]),
  };
}

/**
 * Signs a user in with a passkey alone, which counts as both factors because it verified its user. Rejects with the
 * same INVALID_CREDENTIALS for an unknown passkey and a wrong response.
 */
export async function signInWithPasskey(
  context: AccountsContext,
  body: {
    readonly challenge: string;
    readonly response: WebauthnResponse;
    readonly transport: Transport;
  },
  client: ClientInfo,
): Promise<SignedIn> {
  const { database } = context.resources;
  const { request } = client;
  const { now } = request;
  const refuse = async (refusal: AppError): Promise<never> => {
    await countInvalid(context.countFailure, request);
    throw refusal;
  };
  const challenge = await openChallenge(context, client, "passkey", body.challenge);
  if (!challenge.isAuthentic(null)) return refuse(deadChallenge());
  const passkey = await request.inTime(() => findPasskey(database, body.response.id));
  const account = passkey && (await findAccountById(database, passkey.userId, request.address(), now));
  if (!account) return refuse(wrongFactor("response"));
  const { webauthn } = challenge.content;
  const proof = { response: body.response, webauthn, isAlone: true };
  // Failures are returned rather than thrown, so that a counter that went back is recorded.
  const result = await write(database, writerOf(account, client), async (sql) => {
    const factors = await lockFactors(sql, account.id, now);
    if (factors === null) return wrongFactor("response");
    if (await isSpent(sql, challenge)) return deadChallenge();
    const signIn = { context, sql, client, account };
    const refusal = await useFactor(signIn, factors, proof);
    if (refusal !== null) return refusal;
    await spendChallenge(sql, challenge);
    const { transport } = body;
    return completeSignIn(signIn, { entry: { kind: "passkey" }, transport, factorAt: now });
  });
  if (result instanceof Error) return refuse(result);
  return result.finish();
}
