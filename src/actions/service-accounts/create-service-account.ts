import { write } from "../../data/database/transaction.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import type { ServiceRole } from "../../data/service-accounts/tokens.js";
import { countLiveAccounts, insertAccount } from "../../data/service-accounts/write-accounts.js";
import { MAX_SERVICE_ACCOUNTS } from "../../domain/keys/key-limits.js";
import { requireValid } from "../action-error.js";
import type { PersonContext } from "../actor-context.js";
import {
  creatorOf,
  type KeyContext,
  requireConfirmedAndRecent,
  requireFuture,
  writerOf,
} from "../keys/key-checks.js";
import { requireOrganization } from "../people/organizations.js";
import {
  addToken,
  notifyOfToken,
  readAccountName,
  readScopes,
  refuseState,
  requireOwnerFor,
} from "./service-account-checks.js";

export interface AccountRequest {
  /** The organization's slug. */
  readonly organization: string;
  readonly name: string;
  readonly role: ServiceRole;
  /** Undefined for all scopes of the role that do not manage anything. */
  readonly scopes?: readonly string[] | undefined;
  /** Expiry of the token; null for never. */
  readonly expiresAt: Date | null;
}

/** A service account's new token, which cannot be read again. */
export interface IssuedToken {
  /** The service account's id. */
  readonly id: string;
  readonly token: string;
}

/**
 * Creates a service account with its first token. Throws InvalidInput for every fault of the request. Throws
 * ActionError if the organization is unknown or has the maximum number of accounts. For a user, it also throws
 * EMAIL_NOT_CONFIRMED, REAUTHENTICATION_REQUIRED and the error of `requireOwnerFor`.
 */
export async function createServiceAccount(
  context: KeyContext<PersonContext>,
  request: AccountRequest,
): Promise<IssuedToken> {
  const { database, now } = context;
  const { organization: slug, role, expiresAt } = request;
  const { id: organizationId } = await requireOrganization(database, slug);
  const [name, scopes] = requireValid(
    () => readAccountName(request.name),
    () => readScopes(role, request.scopes),
    () => requireFuture(expiresAt, now),
  );
  requireConfirmedAndRecent(context);
  requireOwnerFor(context, scopes);
  return write(database, writerOf(context, "service-accounts create"), async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    if ((await countLiveAccounts(sql, organizationId)) >= MAX_SERVICE_ACCOUNTS) {
      refuseState(
        `The organization already has ${MAX_SERVICE_ACCOUNTS} service accounts, the maximum. Revoke one first.`,
      );
    }
    const createdBy = creatorOf(context);
    const id = await insertAccount(sql, { organizationId, name, role, scopes, createdAt: now, createdBy });
    const token = await addToken(sql, context, { organizationId, accountId: id }, expiresAt);
    await notifyOfToken(sql, context, organizationId, { id, name, version: 1 });
    return { id, token };
  });
}
