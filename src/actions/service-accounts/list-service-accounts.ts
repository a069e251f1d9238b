import {
  type AccountRow,
  listAccounts,
  listLiveTokens,
  type TokenRow,
} from "../../data/service-accounts/accounts.js";
import type { ServiceRole } from "../../data/service-accounts/tokens.js";
import type { Scope } from "../../domain/scopes.js";
import type { KeyContext } from "../keys/key-checks.js";
import { requireOrganization } from "../people/organizations.js";
import { requireAccount } from "./service-account-checks.js";

/** A service account with its active tokens. */
export interface AccountSummary {
  readonly id: string;
  /** The organization's slug. */
  readonly organization: string;
  readonly name: string;
  readonly role: ServiceRole;
  readonly scopes: readonly Scope[];
  readonly status: "active" | "revoked";
  readonly tokens: readonly Omit<TokenRow, "accountId">[];
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

function summarize(account: AccountRow, tokens: readonly TokenRow[]): AccountSummary {
  const { id, organization, name, role, scopes, createdAt, revokedAt } = account;
  return {
    id,
    organization: organization.slug,
    name,
    role,
    scopes,
    status: revokedAt === null ? "active" : "revoked",
    tokens: tokens.map(({ accountId: _, ...token }) => token),
    createdAt,
    revokedAt,
  };
}

/** Returns the summary of a service account by its id. Throws ActionError if it does not exist. */
export async function summarizeAccount(context: KeyContext, id: string): Promise<AccountSummary> {
  const account = await requireAccount(context, id);
  return summarize(account, await listLiveTokens(context.database, [account.id], context.now));
}

/**
 * Lists the service accounts of an organization by its slug, or of all organizations; oldest first. Throws ActionError
 * for an unknown slug.
 */
export async function listServiceAccounts(
  { database, now }: KeyContext,
  slug: string | undefined,
): Promise<AccountSummary[]> {
  const organization = slug === undefined ? undefined : await requireOrganization(database, slug);
  const accounts = await listAccounts(database, organization?.id);
  const tokens = new Map<string, TokenRow[]>(accounts.map(({ id }) => [id, []]));
  for (const token of await listLiveTokens(database, [...tokens.keys()], now)) {
    tokens.get(token.accountId)?.push(token);
  }
  return accounts.map((account) => summarize(account, tokens.get(account.id) ?? []));
}
