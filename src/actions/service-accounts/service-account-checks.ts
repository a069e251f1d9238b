import { requireScopes } from "../../access/require-scopes.js";
import { fingerprintPepper, generateServiceToken, hashKey } from "../../access/secrets/api-key.js";
import type { SqlSession } from "../../data/database/types.js";
import { type AccountRow, findAccount } from "../../data/service-accounts/accounts.js";
import type { ServiceRole } from "../../data/service-accounts/tokens.js";
import { insertToken } from "../../data/service-accounts/write-accounts.js";
import { MAX_KEY_NAME } from "../../domain/keys/key-limits.js";
import { displayKey } from "../../domain/keys/secrets.js";
import { SERVICE_SCOPES } from "../../domain/people/roles.js";
import type { Scope } from "../../domain/scopes.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { ActionError, InvalidInput } from "../action-error.js";
import type { PersonContext } from "../actor-context.js";
import { type KeyContext, type KeyReading, nameCaller } from "../keys/key-checks.js";
import { notifyOfSecurity } from "../notifications/security.js";
import { readName } from "../read-text.js";

/** Returns a name without surrounding spaces. Throws InvalidInput. */
export const readAccountName = (text: string): string => readName("serviceAccount", text, MAX_KEY_NAME);

const isManaging = (scope: Scope) => /^(?:manage|admin):/.test(scope);

/** Lets only owners and the operator grant `admin:members`, which creates and ends accounts. Throws FORBIDDEN. */
export function requireOwnerFor(
  { caller }: Pick<KeyContext<PersonContext>, "caller">,
  scopes: readonly Scope[],
): void {
  if (caller && scopes.includes("admin:members")) requireScopes(caller.principal, [["manage:organization"]]);
}

/**
 * Returns the scopes of a service account, in the order of its role. The default is all of them except the managing
 * ones, which must be listed by name. Throws InvalidInput for none, and for one outside the role.
 */
export function readScopes(role: ServiceRole, given: readonly string[] | undefined): readonly Scope[] {
  const allowed = SERVICE_SCOPES[role];
  if (given === undefined) return allowed.filter((scope) => !isManaging(scope));
  const unknown = given.find((scope) => !allowed.some((known) => known === scope));
  if (given.length > 0 && unknown === undefined) return allowed.filter((scope) => given.includes(scope));
  throw new InvalidInput(
    "serviceAccount",
    "scopes",
    `must be one or more scopes of the role ${role}: ${allowed.join(", ")} (got ${unknown?.slice(0, 60) ?? "none"})`,
  );
}

/** Throws CONFLICT for a change that the state of a service account does not allow. */
export function refuseState(message: string): never {
  throw new ActionError("CONFLICT", "serviceAccount", message);
}

/** Returns a service account by its id; for a user, only one of the active organization. Throws NOT_FOUND. */
export async function requireAccount({ database, caller }: KeyReading, id: string): Promise<AccountRow> {
  // The message omits the input, because it may be a token.
  if (!isUuid(id)) throw unknown("Expected the id of a service account, which is a UUID.");
  const account = await findAccount(database, id.toLowerCase());
  const isOwn = !caller || account?.organization.id === caller.writer.organizationId;
  if (account && isOwn) return account;
  throw unknown(`There is no service account with the id ${id}.`);
}

const unknown = (message: string) => new ActionError("NOT_FOUND", "serviceAccount", message);

/** Adds a token and returns it. Only its hash is stored. */
export async function addToken(
  sql: SqlSession,
  { pepper, now }: Pick<KeyContext, "pepper" | "now">,
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
export const notifyOfToken = (
  sql: SqlSession,
  context: Pick<KeyContext, "caller" | "now">,
  organizationId: string,
  { id, name, version }: Pick<AccountRow, "id" | "name" | "version">,
): Promise<void> =>
  notifyOfSecurity(sql, {
    organizationId,
    to: { membersWith: "manage:keys" },
    key: `service account ${id} ${version}`,
    now: context.now,
    title: `Token for service account "${name}" created`,
    summary: "A token of a service account of your organization was created",
    body: `By ${nameCaller(context)}.`,
    link: "/console/settings/service-accounts",
  });
