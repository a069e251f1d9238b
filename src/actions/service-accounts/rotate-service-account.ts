import { findLatestToken, listLiveTokens } from "../../data/service-accounts/accounts.js";
import { endTokens, updateAccount } from "../../data/service-accounts/write-accounts.js";
import { MAX_SERVICE_TOKENS } from "../../domain/keys/key-limits.js";
import { requireVersion } from "../action-error.js";
import type { PersonContext } from "../actor-context.js";
import { changeLocked } from "../keys/change-locked.js";
import { type KeyContext, requireConfirmedAndRecent, requireOverlap } from "../keys/key-checks.js";
import type { IssuedToken } from "./create-service-account.js";
import {
  addToken,
  notifyOfToken,
  refuseState,
  requireAccount,
  requireOwnerFor,
} from "./service-account-checks.js";

const HOUR_MS = 3_600_000;

/**
 * Creates a token with the same lifetime as the previous one. Ends the previous one immediately, or lets it work for
 * another `overlapHours`. Throws InvalidInput for an overlap that is not offered. Throws ActionError for an unknown or
 * revoked account, an unexpected version, and an account with two active tokens. For a user, it also throws
 * EMAIL_NOT_CONFIRMED, REAUTHENTICATION_REQUIRED and the error of `requireOwnerFor`.
 */
export function rotateServiceAccount(
  context: KeyContext<PersonContext>,
  id: string,
  overlapHours: number,
  expectedVersion?: number | null,
): Promise<IssuedToken> {
  const { now } = context;
  requireOverlap("serviceAccount", overlapHours);
  return changeLocked(
    context,
    { command: "service-accounts rotate", id, requireRow: requireAccount, action: "service_account.rotated" },
    async (sql, account) => {
      const reader = { select: sql.query };
      requireVersion("serviceAccount", account.version, expectedVersion);
      if (account.revokedAt !== null) refuseState(`The service account ${id} is revoked: create a new one.`);
      if ((await listLiveTokens(reader, [account.id], now)).length >= MAX_SERVICE_TOKENS) {
        refuseState(
          `The service account already has ${MAX_SERVICE_TOKENS} active tokens, the maximum. Wait until the older one expires.`,
        );
      }
      requireConfirmedAndRecent(context);
      requireOwnerFor(context, account.scopes);
      const former = await findLatestToken(reader, account.id);
      await endTokens(sql, account.id, new Date(now.getTime() + overlapHours * HOUR_MS), now);
      const lifetime = former?.expiresAt ? former.expiresAt.getTime() - former.createdAt.getTime() : null;
      const organizationId = account.organization.id;
      const expiresAt = lifetime === null ? null : new Date(now.getTime() + lifetime);
      const token = await addToken(sql, context, { organizationId, accountId: account.id }, expiresAt);
      // Increments the version, which the trail records as the rotation.
      await updateAccount(sql, account.id, account);
      await notifyOfToken(sql, context, organizationId, { ...account, version: account.version + 1 });
      return { id: account.id, token };
    },
  );
}
