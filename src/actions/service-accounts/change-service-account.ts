import type { AccountRow } from "../../data/service-accounts/accounts.js";
import type { ServiceRole } from "../../data/service-accounts/tokens.js";
import {
  type AccountChanges,
  revokeAccount,
  updateAccount,
} from "../../data/service-accounts/write-accounts.js";
import { ROLES, SERVICE_SCOPES } from "../../domain/people/roles.js";
import { InvalidInput, requireValid, requireVersion } from "../action-error.js";
import type { PersonContext } from "../actor-context.js";
import { changesNothing } from "../idempotency.js";
import { changeLocked } from "../keys/change-locked.js";
import { type KeyContext, requireConfirmedAndRecent } from "../keys/key-checks.js";
import {
  readAccountName,
  readScopes,
  refuseState,
  requireAccount,
  requireOwnerFor,
} from "./service-account-checks.js";

/** Changes to a service account; undefined leaves a part unchanged. */
export interface ServiceAccountChanges {
  readonly name?: string | undefined;
  /** Without `scopes`, those outside the new role are removed. */
  readonly role?: ServiceRole | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Changes the name, role or scopes of a service account, for all of its tokens. Throws InvalidInput for every fault.
 * Throws ActionError for an unknown or revoked account, and for an unexpected version. For a user, it also throws
 * EMAIL_NOT_CONFIRMED and REAUTHENTICATION_REQUIRED if the change lets the account do more, and the error of
 * `requireOwnerFor`.
 */
export async function changeServiceAccount(
  context: KeyContext<PersonContext>,
  id: string,
  changes: ServiceAccountChanges,
  expectedVersion?: number | null,
): Promise<void> {
  if (Object.values(changes).every((change) => change === undefined)) {
    throw new InvalidInput("serviceAccount", null, "Nothing to change: give a new name, role or scopes.");
  }
  await changeLocked(
    context,
    { command: "service-accounts update", id, requireRow: requireAccount },
    async (sql, old) => {
      const changed = readChanges(old, changes);
      if (changesNothing(old, changed)) return;
      requireVersion("serviceAccount", old.version, expectedVersion);
      if (old.revokedAt !== null) refuseState(`The service account ${id} is revoked: create a new one.`);
      if (isWider(old, changed)) requireConfirmedAndRecent(context);
      requireOwnerFor(
        context,
        changed.scopes.filter((scope) => !old.scopes.includes(scope)),
      );
      await updateAccount(sql, old.id, changed);
    },
  );
}

function readChanges(
  old: AccountRow,
  { role = old.role, ...changes }: ServiceAccountChanges,
): AccountChanges {
  const kept = SERVICE_SCOPES[role].filter((scope) => old.scopes.includes(scope));
  const [name, scopes] = requireValid(
    () => (changes.name === undefined ? old.name : readAccountName(changes.name)),
    () => readScopes(role, changes.scopes ?? kept),
  );
  return { name, role, scopes };
}

const isWider = (old: AccountRow, { role, scopes }: AccountChanges): boolean =>
  ROLES.indexOf(role) > ROLES.indexOf(old.role) || scopes.some((scope) => !old.scopes.includes(scope));

/**
 * Revokes a service account with its tokens permanently; a revoked one is unchanged. Throws ActionError for an unknown
 * id, and if the version is not the expected one.
 */
export async function revokeServiceAccount(
  context: KeyContext<PersonContext>,
  id: string,
  expectedVersion?: number | null,
): Promise<void> {
  await changeLocked(
    context,
    { command: "service-accounts revoke", id, requireRow: requireAccount },
    async (sql, account) => {
      if (account.revokedAt !== null) return;
      requireVersion("serviceAccount", account.version, expectedVersion);
      await revokeAccount(sql, account.id, context.now);
    },
  );
}
