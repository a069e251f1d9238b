import { hashKey, type Pepper } from "../../access/secrets/api-key.js";
import { generateToken } from "../../access/secrets/token.js";
import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import { type Account, type AccountRow, findAccount } from "../../data/people/accounts.js";
import { insertSignInLink, type NewSignInLink, removeSignInLinks } from "../../data/people/sign-in-links.js";
import type { Site } from "../../http/site.js";
import { ActionError } from "../action-error.js";

/** Dependencies of actions that create links. */
export interface LinkContext {
  readonly database: Database;
  /** Secret for hashing tokens. */
  readonly pepper: Pepper;
  readonly site: Site;
  readonly now: Date;
}

/** A user and a link that signs the user in. The link cannot be read again. */
export interface SignInLink extends Pick<Account, "id" | "email" | "name"> {
  readonly link: string;
  readonly expiresAt: Date;
}

const LINK_MS = 15 * 60_000;

/** Creates a single-use sign-in token, valid for 15 minutes, and the row to store. */
export function createSignInToken(
  { pepper, now }: Pick<LinkContext, "pepper" | "now">,
  userId: string,
): { token: string; row: NewSignInLink } {
  const token = generateToken("link");
  const row = { userId, tokenHash: hashKey(token, pepper), expiresAt: new Date(now.getTime() + LINK_MS) };
  return { token, row };
}

/** Finds an account by its e-mail address. Throws ActionError if it does not exist or is disabled. */
export async function requireEnabledAccount(database: Database, email: string): Promise<AccountRow> {
  const account = (await findAccount(database, email)) ?? refuseUnknownUser(email);
  if (account.disabledAt === null) return account;
  throw new ActionError("CONFLICT", "user", `The account of ${account.email} is disabled: enable it first.`);
}

/** Creates a link that signs a user in. Throws ActionError if the account does not exist or is disabled. */
export async function createSignInLink(context: LinkContext, email: string): Promise<SignInLink> {
  const account = await requireEnabledAccount(context.database, email);
  const { id, name } = account;
  const { token, row } = createSignInToken(context, id);
  await write(context.database, "users sign-in-link", (sql) => insertSignInLink(sql, row));
  const link = context.site.link("sign-in", token);
  return { id, email: account.email, name, link, expiresAt: row.expiresAt };
}

/**
 * Creates a token that signs in an owner who has no password yet, and replaces the earlier ones. Returns null if the
 * owner has a password, is disabled or does not exist.
 */
export async function renewOwnerToken(
  context: Omit<LinkContext, "site">,
  email: string,
): Promise<string | null> {
  const owner = await findAccount(context.database, email);
  if (owner === null || owner.hasPassword || owner.disabledAt !== null) return null;
  const { token, row } = createSignInToken(context, owner.id);
  await write(context.database, "serve", async (sql) => {
    await removeSignInLinks(sql, owner.id);
    await insertSignInLink(sql, row);
  });
  return token;
}

/** Throws the ActionError for an e-mail address without an account. */
export function refuseUnknownUser(email: string): never {
  throw new ActionError("NOT_FOUND", "user", `There is no user with the e-mail address ${email}.`);
}
