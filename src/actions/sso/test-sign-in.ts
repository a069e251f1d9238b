import { ATTEMPT_MS, type PendingSignIn, writeTestPass } from "../../access/sso/cookie.js";
import type { Claims } from "../../access/sso/exchange.js";
import { write } from "../../data/database/transaction.js";
import { lockAccountByEmail } from "../../data/directory/write-users.js";
import type { Connection } from "../../data/sso/connections.js";
import { lockConnection, updateState } from "../../data/sso/write-connections.js";
import { ProviderUnreachable } from "../../delivery/provider.js";
import { SsoRefusal } from "../../domain/sso/sso-refusals.js";
import { startUriOf } from "../../domain/sso/sso-urls.js";
import { type AccountsContext, type ClientInfo, writerOf } from "../accounts/context.js";
import { requireVersion } from "../action-error.js";
import { type PersonContext, requireConfirmedAndRecent } from "../actor-context.js";
import { findRole } from "./admit.js";
import { readPerson } from "./sign-in.js";
import { type ExpectedVersion, invalid, requireOwnConnection } from "./sso-settings.js";

/**
 * Returns a URL, valid for 10 minutes, that tests the settings with a complete sign-in. Throws InvalidInput if the
 * provider's metadata cannot be used, NOT_FOUND, CONFLICT for an unexpected version, EMAIL_NOT_CONFIRMED and
 * REAUTHENTICATION_REQUIRED.
 */
export async function beginTest(caller: PersonContext, expected: ExpectedVersion): Promise<string> {
  const { resources, person, now } = caller;
  requireConfirmedAndRecent(caller);
  const { id: connectionId, version, issuer } = await requireOwnConnection(caller);
  requireVersion("singleSignOn", version, expected);
  // The test must read the provider's current metadata.
  const { providers } = resources.outbound;
  providers.forget(issuer);
  await providers.findMetadata(issuer, now).catch((error: unknown) => {
    if (error instanceof ProviderUnreachable) invalid("issuer", `cannot be used: ${error.message}`);
    if (error instanceof SsoRefusal && error.cause instanceof Error)
      invalid("issuer", `cannot be used: ${error.cause.message}`);
    throw error;
  });
  const expiresAt = now.getTime() + ATTEMPT_MS;
  const pass = { connectionId, version, userId: person.user.id, expiresAt };
  const query = new URLSearchParams({ test: writeTestPass(pass, resources.pepper) });
  return `${startUriOf(resources.site.url(), connectionId)}?${query}`;
}

/** Result of a successful test. */
export interface TestOutcome {
  /** Names of the claims of the ID token. */
  readonly claims: readonly string[];
  /** The role that the person would have. */
  readonly role: string;
}

/**
 * Completes a test: checks the person as a sign-in does, signs nobody in, and stores that the owner tested the
 * settings. Rejects with SsoRefusal.
 */
export async function completeTest(
  context: AccountsContext,
  connection: Connection,
  claims: Claims,
  { userId, version }: NonNullable<PendingSignIn["test"]>,
  client: ClientInfo,
): Promise<TestOutcome> {
  const { role: claimed, email } = await readPerson(context, connection, claims);
  const { database } = context.resources;
  const { organizationId } = connection;
  const role = await write(
    database,
    writerOf({ id: userId }, client, organizationId),
    async (sql) => {
      const current = await lockConnection(sql, organizationId);
      // The settings have changed since the test began.
      if (current?.version !== version) throw new SsoRefusal("state");
      await updateState(sql, organizationId, {
        ...current,
        testedAt: client.request.now,
        testedBy: userId,
      });
      const account = await lockAccountByEmail(sql, email);
      return findRole(sql, organizationId, account?.id, claimed);
    },
    "sso.tested",
  );
  return { claims: Object.keys(claims).toSorted(), role };
}
