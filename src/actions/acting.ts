import { type Context, type Resources, requireAccess } from "../access/context.js";
import { type Person, type Principal, requirePerson } from "../access/principal.js";
import type { PersonRequest } from "../data/database/transaction.js";

/** A person's request, as actions need it. */
export interface Acting {
  readonly resources: Resources;
  readonly principal: Principal;
  readonly person: Person;
  readonly now: Date;
  /** Who writes: the person, in the organization that is active in the session. */
  readonly writer: PersonRequest & { readonly organizationId: string };
}

/** The person who sent a request; throws UNAUTHENTICATED for an API key. */
export function requireActing(context: Context): Acting {
  const { principal, resources } = requireAccess(context);
  const person = requirePerson(principal);
  const { now, id: requestId } = context.request;
  const writer = { userId: person.user.id, organizationId: principal.organization.id, requestId };
  return { resources, principal, person, now, writer };
}
