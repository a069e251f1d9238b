import { randomUUID } from "node:crypto";
import { hashKey } from "../../access/secrets/api-key.js";
import type { Claims } from "../../access/sso/exchange.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { isUniqueViolation } from "../../data/database/unique-violation.js";
import { usesDirectory } from "../../data/directory/write-users.js";
import { listProvenDomains } from "../../data/domains/write-domains.js";
import { findNamesOf } from "../../data/organizations/organizations.js";
import { insertMember, lockMember, updateRole } from "../../data/people/members.js";
import { type Account, findAccountByEmail, findAccountById } from "../../data/people/users.js";
import { confirmEmail } from "../../data/people/write-addresses.js";
import { insertUser, lockUser } from "../../data/people/write-users.js";
import { spendToken } from "../../data/second-factors/spent-tokens.js";
import type { Connection } from "../../data/sso/connections.js";
import { readOutside } from "../../data/sso/enforcement.js";
import { recordEvent } from "../../data/sso/events.js";
import { findIdentity, findIdentityOf, insertIdentity, noteIdentityUse } from "../../data/sso/identities.js";
import { domainOf } from "../../domain/domains/domain-name.js";
import { findEmailFault } from "../../domain/people/email.js";
import { SsoRefusal } from "../../domain/sso/refusals.js";
import { roleOf } from "../../domain/sso/roles.js";
import { findNameFault } from "../../domain/texts/name.js";
import { cutText, TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { type AccountsContext, type Visit, writerOf } from "../accounts/context.js";
import { tellOfCredentials } from "../notifications/security.js";
import { beginSession, type SignedIn } from "../sessions/begin-session.js";

/** A person as a valid ID token names them. */
export interface ClaimedPerson {
  readonly subject: string;
  /** Hash of the provider's own name of the session; null if it has none. */
  readonly sidHash: string | null;
  readonly email: string;
  readonly name: string;
  readonly claims: Claims;
}

/** Reads the person of an ID token. Throws SsoRefusal if the address is missing, not verified or not of a proven domain. */
export async function readPerson(
  { resources }: Pick<AccountsContext, "resources">,
  connection: Connection,
  claims: Claims,
): Promise<ClaimedPerson> {
  const { email, email_verified: isVerified, name, sid } = claims;
  if (typeof email !== "string" || findEmailFault(email) !== undefined) throw new SsoRefusal("email_missing");
  const mayLack = connection.missingEmailVerified === "accept" && isVerified === undefined;
  if (isVerified !== true && !mayLack) throw new SsoRefusal("email_unverified");
  const domain = domainOf(email);
  const proven = await listProvenDomains(resources.database, connection.organizationId);
  if (!proven.some((one) => one.domain === domain)) throw new SsoRefusal("domain_not_proven");
  const short = typeof name === "string" ? cutText(name.trim(), TEXT_LIMITS.name) : "";
  return {
    subject: claims.sub,
    sidHash: typeof sid === "string" ? hashKey(sid, resources.pepper) : null,
    email,
    name: findNameFault(short) === undefined ? short : email.slice(0, email.lastIndexOf("@")),
    claims,
  };
}

/** A completed callback. */
export interface ProviderSignIn {
  readonly connection: Connection;
  readonly person: ClaimedPerson;
  /** Time at which the person authenticated at the provider. */
  readonly authenticatedAt: Date;
  /** Hash of the state, which counts once, and the end of the sign-in. */
  readonly spent: { readonly hash: string; readonly expiresAt: Date };
  readonly visit: Visit;
}

/** Attempts of two first sign-ins of one person at once. */
const ATTEMPTS = 3;

/** Signs a person in by a provider: creates or links the account at the first sign-in. Rejects with SsoRefusal. */
export async function signInByProvider(context: AccountsContext, signIn: ProviderSignIn): Promise<SignedIn> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptSignIn(context, signIn);
    } catch (error) {
      // Somebody else added the account or the identity at the same moment: now it is there.
      if (!(error instanceof Raced || isUniqueViolation(error)) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The account was added since it was looked up. */
class Raced extends Error {}

async function attemptSignIn(context: AccountsContext, signIn: ProviderSignIn): Promise<SignedIn> {
  const { connection, person, authenticatedAt, spent, visit } = signIn;
  const { database, noteChange } = context.resources;
  const { request } = visit;
  const { now } = request;
  const { organizationId } = connection;
  const identity = await findIdentity(readOutside(database), connection.id, person.subject);
  const address = request.address();
  const found = identity
    ? await findAccountById(database, identity.userId, address, now)
    : await findAccountByEmail(database, person.email, address, now);
  const id = found?.id ?? randomUUID();
  const signedIn = await write(database, writerOf({ id }, visit, organizationId), async (sql) => {
    if (!(await spendToken(sql, spent.hash, spent.expiresAt))) throw new SsoRefusal("state");
    const account = found ?? (await provision(sql, signIn, id));
    const user = await lockUser(sql, id);
    if (user === null) throw new Raced();
    if (user.disabledAt !== null) throw new SsoRefusal("disabled");
    const present = await findIdentity(sql, connection.id, person.subject);
    if (present !== null && present.userId !== id) throw new Raced();
    const identityId = present?.id ?? (await link(context, sql, signIn, { ...account, ...user }));
    await noteIdentityUse(sql, identityId, now);
    await setRole(sql, signIn, id);
    await recordEvent(sql, { organizationId, action: "sso.signed_in", targetId: id }, now);
    const active = await findNamesOf(sql, organizationId);
    if (active === null) throw new SsoRefusal("state");
    return beginSession(context, sql, visit, account, {
      transport: "cookie",
      active,
      // The provider's word is not newer than its own authentication of the person.
      factorAt: connection.secondFactor === "provider" ? authenticatedAt : null,
      authenticatedAt,
      identity: { id: identityId, sidHash: person.sidHash },
    });
  });
  noteChange({ table: null, organizationId });
  return signedIn;
}

/** Adds an account without a password for somebody new. */
async function provision(
  sql: SqlSession,
  { connection: { organizationId }, person, visit }: ProviderSignIn,
  id: string,
): Promise<Account> {
  const { now } = visit.request;
  if (await usesDirectory(sql, organizationId)) throw new SsoRefusal("not_provisioned");
  const user = { id, email: person.email, name: person.name, passwordHash: null };
  const createdAt = await insertUser(sql, user, now);
  if (createdAt === null) throw new Raced();
  await confirmEmail(sql, id, now);
  await recordEvent(sql, { organizationId, action: "account.provisioned", targetId: id }, now);
  return { ...user, createdAt, disabledAt: null, isConfirmed: true, isKnownAddress: false };
}

/** Links an account to the subject. Throws SsoRefusal if nobody confirmed its address, or if it has another subject. */
async function link(
  { resources }: AccountsContext,
  sql: SqlSession,
  { connection, person, visit }: ProviderSignIn,
  account: Account,
): Promise<string> {
  const { organizationId } = connection;
  const { now } = visit.request;
  if (!account.isConfirmed) throw new SsoRefusal("account_unconfirmed");
  if ((await findIdentityOf(sql, connection.id, account.id)) !== null)
    throw new SsoRefusal("identity_conflict");
  const { id: userId } = account;
  const identityId = await insertIdentity(
    sql,
    { connectionId: connection.id, subject: person.subject, userId },
    now,
  );
  await recordEvent(sql, { organizationId, action: "sso.linked", targetId: userId }, now);
  const title = "Single sign-on was added to your account";
  const address = visit.request.address();
  await tellOfCredentials(resources, sql, { account, kind: "sso_linked", title, address, now });
  return identityId;
}

/** Makes the person a member with the role of the claims. An owner stays one. */
async function setRole(
  sql: SqlSession,
  { connection, person }: ProviderSignIn,
  userId: string,
): Promise<void> {
  const { organizationId } = connection;
  const role = roleOf(connection, person.claims);
  const member = await lockMember(sql, organizationId, userId);
  if (member === null) await insertMember(sql, organizationId, userId, role);
  else if (member.role !== "owner" && member.role !== role)
    await updateRole(sql, organizationId, userId, role);
}
