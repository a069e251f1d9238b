import { isToken } from "../../access/secrets/token.js";
import { findPasswordHold } from "../../data/notifications/mail-jobs.js";
import { listAdditions, listLeftAdditions, listReceivers } from "../../data/people/additions.js";
import { findOpenMailLink } from "../../data/people/mail-links.js";
import { findAccountById } from "../../data/people/users.js";
import { type Factors, hasFactor, readFactors } from "../../data/second-factors/factors.js";
import { asQueryable, mustUseProvider } from "../../data/sso/enforcement.js";
import { type Addition, HOLD_HOURS, type LeftAddition, reachFrom } from "../../domain/people/additions.js";
import type { Role } from "../../domain/people/roles.js";
import { AppError } from "../../errors.js";
import { requireRegistration } from "./account-errors.js";
import { type AccountsContext, type ClientInfo, findByToken, hashesOf } from "./context.js";
import { findDisowned } from "./disown.js";
import { findOrganizationOf, findUsableLink } from "./follow-link.js";
import { findInvitation } from "./register-invited.js";

/** Account and organization of a link, shown before its holder uses it. */
export interface LinkDetails {
  readonly kind: "sign_in" | "invitation" | "reset" | "cancel" | "disown";
  readonly email: string;
  /** Name of the organization; null for a user without one, and for links that do not sign in. */
  readonly organization: string | null;
  readonly role: Role | null;
  /** Name of the inviting user or service account; null if the operator invited, and for other links. */
  readonly inviter: string | null;
  /** Additions that the link removes, or offers to remove. */
  readonly additions: readonly Addition[];
  /** Additions of the user to organizations in the same time. The link does not remove them. */
  readonly left: readonly LeftAddition[];
  /** Hours until a link for a new password is mailed if the additions are removed; 0 if no wait is needed. */
  readonly holdHours: number;
  /** Time until which the link sets no password; null if it does. */
  readonly heldUntil: Date | null;
}

type Removable = Pick<LinkDetails, "additions" | "left" | "holdHours" | "heldUntil">;

const NOTHING: Removable = { additions: [], left: [], holdHours: 0, heldUntil: null };
const NO_ORGANIZATION = { organization: null, role: null, inviter: null };

/**
 * Describes a link without using it up. Rejects with LINK_EXPIRED, whatever the reason, if the link cannot be used, and
 * with FORBIDDEN for an invitation while registration is closed. Does not reveal whether an invited address has an
 * account.
 */
export async function inspectLink(
  context: AccountsContext,
  token: string,
  client: ClientInfo,
): Promise<LinkDetails> {
  await context.countInspection(client.request.address());
  const mailed =
    (await inspectDisowning(context, token, client)) ?? (await inspectMailed(context, token, client));
  if (mailed !== null) return mailed;
  const invitation = await findInvitation(context, token, client);
  if (invitation !== null) {
    requireRegistration(context.registration, "invite");
    const { email, organization, role, inviter } = invitation;
    return { ...NOTHING, kind: "invitation", email, organization: organization.name, role, inviter };
  }
  const found = await findUsableLink(context, token, client);
  if (found === null) throw unusable();
  const { id, email } = found.account;
  const { name, role } = (await findOrganizationOf(context, id)) ?? {};
  const organization = { organization: name ?? null, role: role ?? null, inviter: null };
  const removable = await readRemovable(context, client, id, {
    since: reachFrom(client.request.now),
    isTrusted: true,
  });
  return { ...removable, ...organization, kind: "sign_in", email };
}

const unusable = () =>
  new AppError(
    "LINK_EXPIRED",
    "The link was used, replaced or revoked, or it has expired. Ask for another one.",
  );

async function inspectDisowning(
  context: AccountsContext,
  token: string,
  client: ClientInfo,
): Promise<LinkDetails | null> {
  const found = await findDisowned(context, token, client);
  if (found === null) return null;
  const { account, addition } = found;
  const factors = await readFactorsOf(context, client, account.id);
  const holdHours = isBareWithout(factors, [addition]) ? HOLD_HOURS : 0;
  const own = { kind: "disown", email: account.email, additions: [addition], holdHours } as const;
  return { ...NOTHING, ...NO_ORGANIZATION, ...own };
}

/** Describes a link that sets a password, or that undoes a change of address; null for another kind of token. */
async function inspectMailed(
  context: AccountsContext,
  token: string,
  client: ClientInfo,
): Promise<LinkDetails | null> {
  if (!isToken("reset", token) && !isToken("cancel", token)) return null;
  const { database } = context.resources;
  const { request } = client;
  const find = () => findOpenMailLink(database, hashesOf(context, token), request.now);
  const link = await findByToken(context, client, find);
  const account = link && (await findAccountById(database, link.userId, request.address(), request.now));
  if (!account || !link) throw unusable();
  const { email, createdAt, byOperator } = link;
  const kind = isToken("cancel", token) ? "cancel" : "reset";
  const isCancel = kind === "cancel";
  if (!isCancel && (await mustUseProvider(asQueryable(database), account))) throw unusable();
  const removable = await readRemovable(context, client, account.id, {
    since: reachFrom(isCancel ? createdAt : request.now),
    isTrusted: isCancel || byOperator,
  });
  const receivers = isCancel ? await listReceivers(asQueryable(database), account.id) : [];
  const additions = [...removable.additions, ...receivers];
  return { ...removable, ...NO_ORGANIZATION, additions, kind, email };
}

/**
 * Reads what was added since a time. A trusted link sets a password at once, whatever it removes. Only then is anything
 * of organizations listed: someone who merely reads the user's e-mails must not learn of it.
 */
async function readRemovable(
  context: AccountsContext,
  client: ClientInfo,
  userId: string,
  { since, isTrusted }: { readonly since: Date; readonly isTrusted: boolean },
): Promise<Removable> {
  const sql = asQueryable(context.resources.database);
  const { now } = client.request;
  const additions = await listAdditions(sql, userId, since, now);
  if (isTrusted) {
    const left = await listLeftAdditions(sql, userId, since);
    return { additions, left, holdHours: 0, heldUntil: null };
  }
  const factors = await readFactorsOf(context, client, userId);
  const holdHours = isBareWithout(factors, additions) ? HOLD_HOURS : 0;
  const isProtected = factors !== null && hasFactor(factors);
  const heldUntil = isProtected ? null : await findPasswordHold(sql, userId, now);
  return { additions, left: [], holdHours, heldUntil };
}

const readFactorsOf = ({ resources }: AccountsContext, { request }: ClientInfo, userId: string) =>
  readFactors(asQueryable(resources.database), userId, request.now);

/** Returns true if removing the additions removes the last second factor. */
function isBareWithout(factors: Factors | null, additions: readonly Addition[]): boolean {
  if (factors === null || !hasFactor(factors)) return false;
  const has = (kind: Addition["kind"], id?: string) =>
    additions.some((one) => one.kind === kind && (id === undefined || one.id === id));
  const keepsApp = factors.totp !== null && factors.totp.confirmedAt !== null && !has("totp");
  return !keepsApp && factors.passkeys.every(({ id }) => has("passkey", id));
}
