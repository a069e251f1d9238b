import { type Context, type Resources, requireAccess } from "../access/context.js";
import { type Person, type Principal, requirePerson } from "../access/principal.js";
import { renewPrincipal } from "../access/renew.js";
import { requireScopes } from "../access/require-scopes.js";
import type { PersonRequest } from "../data/database/transaction.js";
import type { SqlSession } from "../data/database/types.js";
import type { TenantReader } from "../data/tenant/reader.js";
import type { Scope } from "../domain/scopes.js";

/** A person's request, as actions need it. */
export interface Acting {
  readonly resources: Resources;
  /** Reads what the person may see. */
  readonly tenant: TenantReader;
  readonly principal: Principal;
  readonly person: Person;
  readonly now: Date;
  /** Who writes: the person, in the organization that is active in the session. */
  readonly writer: PersonRequest & { readonly organizationId: string };
}

/** The person who sent a request; throws UNAUTHENTICATED for an API key. */
export function requireActing(context: Context): Acting {
  const { principal, admittedAt, resources, tenant } = requireAccess(context);
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
  };
  return { resources, tenant, principal, person, now, writer };
}
