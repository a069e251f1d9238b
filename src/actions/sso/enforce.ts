import type { SqlSession } from "../../data/database/types.js";
import { listProvenDomains } from "../../data/domains/write-domains.js";
import { endOtherSessions, listBreakGlassOwners, lockMembers } from "../../data/sso/enforcement.js";
import { domainOf } from "../../domain/domains/domain-name.js";
import { MAX_BREAK_GLASS } from "../../domain/sso/role-rules.js";
import { InvalidInput } from "../action-error.js";
import type { PersonContext } from "../actor-context.js";
import { changeState, conflict, type ExpectedVersion } from "./sso-settings.js";

/**
 * Requires every member with an address in a proven domain, except the named owners, to sign in with the provider, and
 * ends their other sessions. Throws InvalidInput for none or too many owners, CONFLICT for an unexpected version, if
 * the provider is disabled, or if one of them is not an owner or lacks a password or a second factor, NOT_FOUND,
 * EMAIL_NOT_CONFIRMED and REAUTHENTICATION_REQUIRED.
 */
export async function enforceSingleSignOn(
  caller: PersonContext,
  breakGlass: readonly string[],
  expected: ExpectedVersion,
): Promise<void> {
  const ids = [...new Set(breakGlass)];
  if (ids.length === 0 || ids.length > MAX_BREAK_GLASS) {
    const fault = `must name 1 or ${MAX_BREAK_GLASS} owners (got ${ids.length})`;
    throw new InvalidInput("singleSignOn", "breakGlassIds", fault);
  }
  const { now, resources, writer } = caller;
  const { organizationId } = writer;
  await changeState(caller, "sso.enforced", expected, async (sql, connection) => {
    if (connection.enabledAt === null)
      throw conflict("Single sign-on is not enabled. Test and enable it first.");
    // A sign-in locks the same row, so it either sees the enforcement or its session is among those that end.
    const members = await lockMembers(sql, organizationId);
    const owners = await listBreakGlassOwners(sql, organizationId, ids);
    if (owners.length < ids.length)
      throw conflict("Each break-glass owner must be an owner with a password and a second factor.");
    await endOtherSessions(sql, connection.id, await listBound(sql, organizationId, members, ids), now);
    return { ...connection, enforcedAt: now, breakGlass: ids };
  });
  resources.noteChange({ table: "sessions", organizationId: null });
}

/**
 * Lets members sign in with other methods again. Throws NOT_FOUND, CONFLICT for an unexpected version,
 * EMAIL_NOT_CONFIRMED and REAUTHENTICATION_REQUIRED.
 */
export const stopEnforcing = (caller: PersonContext, expected: ExpectedVersion): Promise<void> =>
  changeState(caller, "sso.released", expected, async (_sql, connection) => ({
    ...connection,
    enforcedAt: null,
    breakGlass: [],
  }));

/** Lists the members who must use the provider. */
async function listBound(
  sql: SqlSession,
  organizationId: string,
  members: readonly { readonly id: string; readonly email: string }[],
  breakGlass: readonly string[],
): Promise<string[]> {
  const proven = await listProvenDomains({ select: sql.query }, organizationId);
  const domains = new Set(proven.map(({ domain }) => domain));
  const isBound = ({ id, email }: (typeof members)[number]) =>
    !breakGlass.includes(id) && domains.has(domainOf(email) ?? "");
  return members.filter(isBound).map(({ id }) => id);
}
