import { randomUUID } from "node:crypto";
import { hashKey } from "../../access/secrets/api-key.js";
import type { Claims } from "../../access/sso/exchange.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { isUniqueViolation } from "../../data/database/unique-violation.js";
import { usesDirectory } from "../../data/directory/write-users.js";
import { isProven } from "../../data/domains/write-domains.js";
import { type Account, findAccountByEmail, findAccountById } from "../../data/people/users.js";
import { confirmEmail } from "../../data/people/write-addresses.js";
import { insertUser, lockUser } from "../../data/people/write-users.js";
import { hasFactor, readFactors } from "../../data/second-factors/factors.js";
import { spendToken } from "../../data/second-factors/spent-tokens.js";
import type { Connection } from "../../data/sso/connections.js";
import { asQueryable } from "../../data/sso/enforcement.js";
import { recordEvent } from "../../data/sso/events.js";
import { findIdentity } from "../../data/sso/identities.js";
import { holdConnection } from "../../data/sso/write-connections.js";
import { domainOf } from "../../domain/domains/domain-name.js";
import { findEmailFault } from "../../domain/people/email.js";
import { roleOf } from "../../domain/sso/role-rules.js";
import { SsoRefusal } from "../../domain/sso/sso-refusals.js";
import { isSubject } from "../../domain/sso/subject.js";
import { findNameFault } from "../../domain/texts/name.js";
import { cutText, TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { type AccountsContext, type ClientInfo, writerOf } from "../accounts/context.js";
import { createSignInChallenge } from "../second-factors/challenges.js";
import { beginSession } from "../sessions/begin-session.js";
import type { SignInOutcome } from "../sessions/sign-in-or-challenge.js";
import { admitPerson, findOwnIdentity, type NamedPerson, SignInConflict } from "./admit.js";

/** A person as described by a valid ID token. */
export interface ClaimedPerson extends NamedPerson {
  readonly email: string;
  readonly domain: string;
  readonly name: string;
}

/**
 * Reads the person of an ID token. Throws SsoRefusal if the subject is invalid, or if the address is missing, not
 * verified or outside the proven domains.
 */
export async function readPerson(
  { resources }: Pick<AccountsContext, "resources">,
  connection: Connection,
  claims: Claims,
): Promise<ClaimedPerson> {
  const { email, email_verified: isVerified, name, sid } = claims;
  if (!isSubject(claims.sub)) throw new SsoRefusal("provider_error");
  if (typeof email !== "string" || findEmailFault(email) !== undefined) throw new SsoRefusal("email_missing");
  const mayLack = connection.missingEmailVerified === "accept" && isVerified === undefined;
  if (isVerified !== true && !mayLack) throw new SsoRefusal("email_unverified");
  const domain = domainOf(email) ?? "";
  if (!(await isProven(resources.database, connection.organizationId, domain)))
    throw new SsoRefusal("domain_not_proven");
  const short = typeof name === "string" ? cutText(name.trim(), TEXT_LIMITS.name) : "";
  return {
    subject: claims.sub,
    sidHash: typeof sid === "string" ? hashKey(sid, resources.pepper) : null,
    email,
    domain,
    name: findNameFault(short) === undefined ? short : email.slice(0, email.lastIndexOf("@")),
    role: roleOf(connection, claims),
  };
}

/** A completed callback. */
export interface ProviderSignIn {
  readonly connection: Connection;
  readonly person: ClaimedPerson;
  /** Time at which the person authenticated at the provider. */
  readonly authenticatedAt: Date;
  /** Hash of the single-use state, and the end of the sign-in. */
  readonly spent: { readonly hash: string; readonly expiresAt: Date };
  readonly client: ClientInfo;
}

/** Maximum attempts if first sign-ins of one person collide. */
const ATTEMPTS = 3;

/**
 * Signs a person in with a provider, and creates or links the account at the first sign-in. Returns a challenge if the
 * gateway's own second factor is required. Rejects with SsoRefusal, or with the error of the last attempt if first
 * sign-ins collide.
 */
export async function signInByProvider(
  context: AccountsContext,
  signIn: ProviderSignIn,
): Promise<SignInOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptSignIn(context, signIn);
    } catch (error) {
      // Another sign-in added the account or the identity at the same moment; the next attempt finds it.
      if (!(error instanceof SignInConflict || isUniqueViolation(error)) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function attemptSignIn(context: AccountsContext, signIn: ProviderSignIn): Promise<SignInOutcome> {
  const { connection, person, authenticatedAt, spent, client } = signIn;
  const { database, noteChange } = context.resources;
  const { request } = client;
  const { now } = request;
  const { organizationId } = connection;
  const identity = await findIdentity(asQueryable(database), connection.id, person.subject);
  const address = request.address();
  const found = identity
    ? await findAccountById(database, identity.userId, address, now)
    : await findAccountByEmail(database, person.email, address, now);
  const id = found?.id ?? randomUUID();
  const outcome = await write(database, writerOf({ id }, client, organizationId), async (sql) => {
    // The settings may have changed during the request to the provider.
    if ((await holdConnection(sql, connection.id)) !== connection.version) throw new SsoRefusal("state");
    if (!(await spendToken(sql, spent.hash, spent.expiresAt))) throw new SsoRefusal("state");
    const account = found ?? (await provision(sql, signIn, id));
    const user = await lockUser(sql, id);
    if (user === null) throw new SignInConflict();
    if (user.disabledAt !== null) throw new SsoRefusal("disabled");
    const locked = { ...account, ...user };
    const admission = { resources: context.resources, sql, client, account: locked, connection, person };
    const factors = connection.secondFactor === "gateway" ? await readFactors(sql, id, now) : null;
    if (factors !== null && hasFactor(factors)) {
      await findOwnIdentity(admission);
      const entry = entryOf(signIn);
      const pending = { userId: id, entry, transport: "cookie" } as const;
      return { challenge: await createSignInChallenge(context, client, pending, factors) };
    }
    return beginSession(context, sql, client, account, {
      ...(await admitPerson(admission)),
      transport: "cookie",
      // The factor was given at the provider, so it is as old as the authentication there.
      factorAt: connection.secondFactor === "provider" ? authenticatedAt : null,
      authenticatedAt,
    });
  });
  noteChange({ table: null, organizationId });
  return outcome;
}

/** Returns the sign-in method to complete once the person has given the gateway's own factor. */
const entryOf = ({ connection, person: { domain, subject, sidHash, role } }: ProviderSignIn) =>
  ({
    kind: "provider",
    connectionId: connection.id,
    organizationId: connection.organizationId,
    version: connection.version,
    domain,
    person: { subject, sidHash, role },
  }) as const;

/** Adds an account without a password for a new user. */
async function provision(
  sql: SqlSession,
  { connection: { organizationId }, person, client }: ProviderSignIn,
  id: string,
): Promise<Account> {
  const { now } = client.request;
  if (await usesDirectory(sql, organizationId)) throw new SsoRefusal("not_provisioned");
  const user = { id, email: person.email, name: person.name, passwordHash: null };
  const createdAt = await insertUser(sql, user, now);
  if (createdAt === null) throw new SignInConflict();
  await confirmEmail(sql, id, now);
  await recordEvent(sql, { organizationId, action: "account.provisioned", targetId: id }, now);
  return { ...user, createdAt, disabledAt: null, isConfirmed: true, isKnownAddress: false };
}
