import { type Context, type Resources, requireAccess } from "../access/context.js";
import { type Person, type Principal, requirePerson } from "../access/principal.js";
import { renewPrincipal } from "../access/renew.js";
import { requireScopes } from "../access/require-scopes.js";
import type { PersonRequest } from "../data/database/transaction.js";
import type { SqlSession } from "../data/database/types.js";
import type { TenantReader } from "../data/tenant/reader.js";
import type { Scope } from "../domain/scopes.js";
import type { Timed } from "../turns.js";

/** A signed-in user's request, in the form that actions need. */
export interface Acting {
  readonly resources: Resources;
  /** Reads the data that the user may see. */
  readonly tenant: TenantReader;
  readonly principal: Principal;
  readonly person: Person;
  readonly now: Date;
  /** The time limit of the request. */
  readonly request: Timed;
  /** The writer: the user, in the session's active organization. */
  readonly writer: PersonRequest & { readonly organizationId: string };
}

/** Returns the request of the signed-in user. Throws UNAUTHENTICATED for an API key. */
export function requireActing(context: Context): Acting {
  const { principal, admittedAt, resources, tenant, repeatable } = requireAccess(context);
  const person = requirePerson(principal);
  const { now, id: requestId } = context.request;
  const writer = {
    userId: person.user.id,
    organizationId: principal.organization.id,
    requestId,
    admittedAt,
    renewTime: () => context.request.renewTime(),
    requireRights: async (sql: SqlSession, scope?: Scope) => {
      const renewed = await renewPrincipal({ select: sql.query }, principal, now, scope);
      if (scope === undefined) requireScopes(renewed, [principal.scopes]);
    },
    ...(repeatable && { claim: repeatable.claim }),
  };
  return { resources, tenant, principal, person, now, request: context.request, writer };
}
