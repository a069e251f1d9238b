import { seal } from "../../access/secrets/sealing.js";
import { DISCOVERY } from "../../access/sso/providers.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { type Connection, type ConnectionRow, findOwnConnection } from "../../data/sso/connections.js";
import { deleteIdentities } from "../../data/sso/identities.js";
import {
  type ConnectionState,
  DRAFT,
  deleteConnection,
  lockConnection,
  saveConnection,
  updateState,
} from "../../data/sso/write-connections.js";
import type { AuditAction } from "../../domain/audit-actions.js";
import { isClaimedRole, MAX_ROLE_VALUES, type RoleRules } from "../../domain/sso/role-rules.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { pepperRequired } from "../accounts/account-errors.js";
import { ActionError, InvalidInput, requireValid, requireVersion } from "../action-error.js";
import { type ActorContext, type PersonContext, requireConfirmedAndRecent } from "../actor-context.js";
import { applyDefaultRole } from "../directory/write-directory.js";
import { readLink, readOptional, readText } from "../read-text.js";

const DAY_MS = 86_400_000;

/** The version that a caller has seen; null or undefined for any. */
export type ExpectedVersion = number | null | undefined;

/** The settings of a connection as the caller sends them. */
export interface SsoRequest {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined or null keeps the current one. */
  readonly clientSecret?: string | null | undefined;
  readonly defaultRole: string;
  readonly roleClaim?: string | null | undefined;
  readonly roleMap?: Readonly<Record<string, unknown>> | null | undefined;
  readonly missingEmailVerified: ConnectionRow["missingEmailVerified"];
  readonly secondFactor: ConnectionRow["secondFactor"];
}

export const invalid = (field: string, fault: string): never => {
  throw new InvalidInput("singleSignOn", field, fault);
};

/** Paths of the Microsoft Entra ID issuers for all tenants. */
const OF_ALL_TENANTS = /^\/(?:common|organizations|consumers)(?:\/|$)/i;

function readIssuer(given: string): string {
  const issuer = readLink("singleSignOn", "issuer", given);
  const { search, hash, username, password, pathname } = new URL(issuer);
  if (search + hash + username + password !== "")
    return invalid("issuer", "must be a URL without a query, fragment, user or password");
  if (pathname.includes(".well-known/"))
    return invalid("issuer", `must be the issuer, without /${DISCOVERY} (got ${issuer})`);
  if (OF_ALL_TENANTS.test(pathname))
    return invalid(
      "issuer",
      "must be the issuer of one tenant, with its id in the path (got one for all tenants)",
    );
  return issuer;
}

function readRoleMap(given: SsoRequest["roleMap"]): RoleRules["roleMap"] {
  const entries = Object.entries(given ?? {});
  if (entries.length > MAX_ROLE_VALUES)
    return invalid("roleMap", `must have at most ${MAX_ROLE_VALUES} values (got ${entries.length})`);
  return Object.fromEntries(
    entries.map(([value, role]) => {
      if (value === "" || value.length > TEXT_LIMITS.name || /[\p{Cc}\p{Cs}]/u.test(value)) {
        const fault = `must have values of 1 to ${TEXT_LIMITS.name} characters, without control characters`;
        return invalid("roleMap", fault);
      }
      return [
        value,
        isClaimedRole(role) ? role : invalid("roleMap", "must map to viewer, editor or admin"),
      ] as const;
    }),
  );
}

const readRole = (role: string): RoleRules["defaultRole"] =>
  isClaimedRole(role) ? role : invalid("defaultRole", "must be viewer, editor or admin");

/**
 * Sets the identity provider of the organization. Changing the issuer, client or secret disables it until it is tested
 * and enabled again. Throws InvalidInput, CONFLICT for an unexpected version, OPERATOR_REQUIRED without a pepper to
 * encrypt the secret with, EMAIL_NOT_CONFIRMED and REAUTHENTICATION_REQUIRED.
 */
export async function saveSingleSignOn(
  caller: PersonContext,
  request: SsoRequest,
  expectedVersion: ExpectedVersion,
): Promise<void> {
  const { resources, writer } = caller;
  const { organizationId } = writer;
  const { clientSecret: secret, missingEmailVerified, secondFactor } = request;
  const [issuer, clientId, defaultRole, roleClaim, roleMap] = requireValid(
    () => readIssuer(request.issuer),
    () => readText("singleSignOn", "clientId", request.clientId, TEXT_LIMITS.name),
    () => readRole(request.defaultRole),
    () => readOptional("singleSignOn", "roleClaim", request.roleClaim, TEXT_LIMITS.name),
    () => readRoleMap(request.roleMap),
    () =>
      secret != null && (secret === "" || secret.length > TEXT_LIMITS.source)
        ? invalid("clientSecret", `must have 1 to ${TEXT_LIMITS.source} characters`)
        : undefined,
  );
  requireConfirmedAndRecent(caller);
  if (secret != null && !resources.sealsSecrets) throw pepperRequired();
  const fault = await resources.outbound.providers.findFault(issuer);
  if (fault !== undefined) invalid("issuer", fault);
  const sealed = secret == null ? null : seal(secret, resources.pepper);
  await write(
    resources.database,
    writer,
    async (sql) => {
      const existing = await lockConnection(sql, organizationId);
      if (existing) requireVersion("singleSignOn", existing.version, expectedVersion);
      const others = { organizationId, defaultRole, roleClaim, roleMap, missingEmailVerified, secondFactor };
      const isSameIssuer = existing?.issuer === issuer;
      const kept = isSameIssuer ? existing.clientSecretSealed : null;
      await saveConnection(sql, { ...others, issuer, clientId, clientSecretSealed: sealed ?? kept });
      await applyDefaultRole(sql, organizationId);
      if (!existing) return;
      // At a different issuer, the same subject is a different person.
      if (!isSameIssuer) await deleteIdentities(sql, existing.id);
      const isSame = isSameIssuer && existing.clientId === clientId && sealed === null;
      // A test is valid only for the settings that it ran with.
      if (!isSame || existing.enabledAt === null) await updateState(sql, organizationId, DRAFT);
    },
    "sso.saved",
  );
  resources.noteChange({ table: null, organizationId });
}

/**
 * Removes the identity provider, and ends the sessions that it started. Throws NOT_FOUND, CONFLICT for an unexpected
 * version, EMAIL_NOT_CONFIRMED and REAUTHENTICATION_REQUIRED.
 */
export async function removeSingleSignOn(
  caller: PersonContext,
  expectedVersion: ExpectedVersion,
): Promise<void> {
  const { resources, writer } = caller;
  requireConfirmedAndRecent(caller);
  await write(resources.database, writer, async (sql) => {
    const { version } = await requireConnection(sql, writer.organizationId);
    requireVersion("singleSignOn", version, expectedVersion);
    await deleteConnection(sql, writer.organizationId);
    await applyDefaultRole(sql, writer.organizationId);
  });
  resources.noteChange({ table: null, organizationId: writer.organizationId });
}

/**
 * Enables the provider. Throws CONFLICT for an unexpected version and unless the same owner tested these settings
 * within 24 hours, NOT_FOUND, EMAIL_NOT_CONFIRMED and REAUTHENTICATION_REQUIRED.
 */
export const enableSingleSignOn = (caller: PersonContext, expected: ExpectedVersion): Promise<void> =>
  changeState(caller, "sso.enabled", expected, async (_sql, connection) => {
    const { testedAt, testedBy, enabledAt } = connection;
    if (enabledAt !== null) return connection;
    const isTested =
      testedAt !== null &&
      testedBy === caller.person.user.id &&
      caller.now.getTime() - testedAt.getTime() <= DAY_MS;
    if (!isTested)
      throw conflict(
        "Test these settings first. You can enable them within 24 hours of your own successful test.",
      );
    return { ...connection, enabledAt: caller.now };
  });

/**
 * Disables the provider, and ends its enforcement. Sessions that it began continue. Throws NOT_FOUND, CONFLICT for an
 * unexpected version, EMAIL_NOT_CONFIRMED and REAUTHENTICATION_REQUIRED.
 */
export const disableSingleSignOn = (caller: PersonContext, expected: ExpectedVersion): Promise<void> =>
  changeState(caller, "sso.disabled", expected, async (_sql, connection) => ({
    ...connection,
    enabledAt: null,
    enforcedAt: null,
    breakGlass: [],
  }));

/** Changes the state of the organization's connection in a transaction that has locked it. */
export async function changeState(
  caller: ActorContext,
  action: AuditAction,
  expected: ExpectedVersion,
  change: (sql: SqlSession, connection: Connection) => Promise<ConnectionState>,
): Promise<void> {
  const { resources, writer } = caller;
  const { organizationId } = writer;
  requireConfirmedAndRecent(caller);
  await write(
    resources.database,
    writer,
    async (sql) => {
      const connection = await requireConnection(sql, organizationId);
      requireVersion("singleSignOn", connection.version, expected);
      await updateState(sql, organizationId, await change(sql, connection));
    },
    action,
  );
  resources.noteChange({ table: null, organizationId });
}

const requireConnection = async (sql: SqlSession, organizationId: string): Promise<Connection> =>
  (await lockConnection(sql, organizationId)) ?? missing();

/** Finds the caller's connection. Throws NOT_FOUND. */
export const requireOwnConnection = async ({
  tenant,
}: Pick<ActorContext, "tenant">): Promise<ConnectionRow> => (await findOwnConnection(tenant)) ?? missing();

const missing = (): never => {
  throw new ActionError("NOT_FOUND", "singleSignOn", "The organization has no identity provider.");
};

/** Creates the CONFLICT for a change that the state of a connection does not allow. */
export const conflict = (message: string): ActionError =>
  new ActionError("CONFLICT", "singleSignOn", message);
