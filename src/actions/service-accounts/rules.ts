import { requireRecentPassword } from "../../access/principal.js";
import { fingerprintPepper, generateServiceToken, hashKey } from "../../access/secrets/api-key.js";
import { type CommandName, write } from "../../data/database/transaction.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import { takeTurns } from "../../data/organizations/take-turns.js";
import { type AccountRow, findAccount } from "../../data/service-accounts/accounts.js";
import type { ServiceRole } from "../../data/service-accounts/tokens.js";
import { insertToken } from "../../data/service-accounts/write-accounts.js";
import type { AuditAction } from "../../domain/audit-actions.js";
import { MOST_KEY_NAME } from "../../domain/keys/rules.js";
import { displayKey } from "../../domain/keys/text.js";
import { ROLE_SCOPES } from "../../domain/people/roles.js";
import type { Scope } from "../../domain/scopes.js";
import { isUuid } from "../../domain/texts/uuid.js";
import type { PersonActing } from "../acting.js";
import { ActionError, InvalidInput } from "../action-error.js";
import { readName } from "../names.js";
import { tellOfSecurity } from "../notifications/security.js";

/** Dependencies of the actions on service accounts. */
export interface AccountContext {
  readonly database: Database;
  /** Secret for hashing new tokens. */
  readonly pepper: string | undefined;
  readonly now: Date;
  /**
   * The user's request, for service accounts of the session's active organization. Undefined for an operator's command,
   * which may change those of every organization and needs no password.
   */
  readonly acting?: PersonActing;
}

/** Returns the dependencies of the actions on service accounts for a user's request. */
export const accountContextOf = (acting: PersonActing): AccountContext => ({
  database: acting.resources.database,
  pepper: acting.resources.pepper,
  now: acting.now,
  acting,
});

/** Returns a name without surrounding spaces. Throws InvalidInput. */
export const readAccountName = (text: string): string => readName("serviceAccount", text, MOST_KEY_NAME);

const isManaging = (scope: Scope) => scope.startsWith("manage:");

/**
 * Returns the scopes of a service account, in the order of its role's: by default all of them but those that manage
 * something, which must be listed by name. Throws InvalidInput for none, and for one outside the role.
 */
export function readScopes(role: ServiceRole, given: readonly string[] | undefined): readonly Scope[] {
  const allowed = ROLE_SCOPES[role];
  if (given === undefined) return allowed.filter((scope) => !isManaging(scope));
  const unknown = given.find((scope) => !allowed.some((known) => known === scope));
  if (given.length > 0 && unknown === undefined) return allowed.filter((scope) => given.includes(scope));
  throw new InvalidInput(
    "serviceAccount",
    "scopes",
    `must be one or more of the role ${role}: ${allowed.join(", ")} (got ${unknown?.slice(0, 60) ?? "none"})`,
  );
}

/** Throws REAUTHENTICATION_REQUIRED if a user entered the password too long ago for a sensitive action. */
export function requireConfirmed({ acting, now }: AccountContext): void {
  if (acting) requireRecentPassword(acting.person, now);
}

/** Throws CONFLICT for a change that the state of a service account does not allow. */
export function refuseState(message: string): never {
  throw new ActionError("CONFLICT", "serviceAccount", message);
}

/** Returns a service account by its id; for a user, only one of the active organization. Throws NOT_FOUND. */
export async function requireAccount(
  { database, acting }: Pick<AccountContext, "acting"> & { readonly database: Pick<Database, "select"> },
  id: string,
): Promise<AccountRow> {
  // The message omits the text, because it may be a token.
  if (!isUuid(id)) throw unknown("Expected the id of a service account, which is a UUID.");
  const account = await findAccount(database, id.toLowerCase());
  const isOwn = !acting || account?.organization.id === acting.writer.organizationId;
  if (account && isOwn) return account;
  throw unknown(`There is no service account with the id ${id}.`);
}

const unknown = (message: string) => new ActionError("NOT_FOUND", "serviceAccount", message);

/**
 * Changes a service account while those of its organization are locked. Throws NOT_FOUND if it does not exist, and
 * returns what `change` does.
 */
export async function changeLocked<T>(
  context: AccountContext,
  command: CommandName,
  id: string,
  change: (sql: SqlSession, account: AccountRow) => Promise<T>,
  action?: AuditAction,
): Promise<T> {
  const { organization } = await requireAccount(context, id);
  return write(
    context.database,
    context.acting?.writer ?? command,
    async (sql) => {
      await takeTurns(sql, organization.id);
      return change(sql, await requireAccount({ ...context, database: { select: sql.query } }, id));
    },
    action,
  );
}

/** Adds a token, of which only a hash is stored, and returns it. */
export async function addToken(
  sql: SqlSession,
  { pepper, now }: Pick<AccountContext, "pepper" | "now">,
  { organizationId, accountId }: { readonly organizationId: string; readonly accountId: string },
  expiresAt: Date | null,
): Promise<string> {
  const token = generateServiceToken();
  await insertToken(sql, {
    organizationId,
    accountId,
    hash: hashKey(token, pepper),
    pepper: fingerprintPepper(pepper),
    display: displayKey(token),
    createdAt: now,
    expiresAt,
  });
  return token;
}

/** Notifies the members who manage an organization's keys of a new token. */
export const tellOfToken = (
  sql: SqlSession,
  { acting, now }: Pick<AccountContext, "acting" | "now">,
  organizationId: string,
  { id, name, version }: Pick<AccountRow, "id" | "name" | "version">,
): Promise<void> =>
  tellOfSecurity(sql, {
    organizationId,
    to: { membersWith: "manage:keys" },
    key: `service account ${id} ${version}`,
    now,
    title: `A token of the service account ${name} was created`,
    summary: "A token of a service account of your organization was created",
    body: `By ${acting?.person.user.email ?? "a command of the operator"}.`,
    link: "/console/settings/service-accounts",
  });
