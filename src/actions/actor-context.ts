import { type Context, type Resources, requireAccess } from "../access/context.js";
import {
  type Person,
  type Principal,
  requireActor,
  requirePerson,
  requireRecentProof,
} from "../access/principal.js";
import { renewPrincipal } from "../access/renew.js";
import { requireScopes } from "../access/require-scopes.js";
import type { Actor, ActorRequest } from "../data/database/transaction.js";
import type { SqlSession } from "../data/database/types.js";
import type { TenantReader } from "../data/tenant/reader.js";
import type { Scope } from "../domain/scopes.js";
import { AppError } from "../errors.js";
import type { RequestInfo } from "../http/request-info.js";
import type { TimeLimit } from "../turns.js";

/** The request of a signed-in user or a service account, in the form that actions need. */
export interface ActorContext {
  readonly resources: Resources;
  /** Reads the data that the caller may see. */
  readonly tenant: TenantReader;
  readonly principal: Principal;
  readonly now: Date;
  /** The time limit and the network address of the request. */
  readonly request: TimeLimit & Pick<RequestInfo, "address">;
  /** The writer: the caller, in its active organization. */
  readonly writer: ActorRequest & { readonly actor: Actor; readonly organizationId: string };
}

/** The request of a signed-in user, for what belongs to people. */
export interface PersonContext extends ActorContext {
  readonly person: Person;
}

/**
 * Throws REAUTHENTICATION_REQUIRED if a user proved who they are too long ago. A service account passes: it has no
 * password, and holds each scope that manages something only because somebody listed it by name.
 */
export function requireRecent({ principal, now }: Pick<ActorContext, "principal" | "now">): void {
  if (principal.person) requireRecentProof(principal.person, now);
}

/**
 * Throws EMAIL_NOT_CONFIRMED if a user's e-mail address is not confirmed and could be: a gateway that sends no e-mails
 * restricts nobody.
 */
export function requireConfirmedAddress({
  resources,
  principal: { person },
  now,
}: Pick<ActorContext, "resources" | "principal" | "now">): void {
  const restrictedFrom = person?.restrictedFrom ?? null;
  if (resources.outbound.mailer === null || restrictedFrom === null || now < restrictedFrom) return;
  throw emailNotConfirmed();
}

/** Throws what `requireConfirmedAddress` and `requireRecent` throw, in this order. */
export function requireConfirmedAndRecent(
  caller: Pick<ActorContext, "resources" | "principal" | "now">,
): void {
  requireConfirmedAddress(caller);
  requireRecent(caller);
}

/** Throws EMAIL_NOT_CONFIRMED for a verifier whose address is not confirmed, whatever the gateway can send. */
export function requireConfirmedVerifier({ restrictedFrom }: Pick<Person, "restrictedFrom">): void {
  if (restrictedFrom !== null) throw emailNotConfirmed();
}

const emailNotConfirmed = () =>
  new AppError(
    "EMAIL_NOT_CONFIRMED",
    "This needs a confirmed e-mail address. Open the link that was sent to yours, or ask for another one with POST /v1/auth/email/send.",
  );

/** Returns how mails and notifications name the caller: a user's e-mail address, or a service account's name. */
export const describeCaller = ({
  principal: { person, serviceAccount },
}: Pick<ActorContext, "principal">): string =>
  person?.user.email ?? `The service account ${serviceAccount?.name}`;

/** Returns the request of a user. Throws UNAUTHENTICATED for an API key, and FORBIDDEN for a service account. */
export function requirePersonContext(context: Context): PersonContext {
  const person = requirePerson(requireAccess(context).principal);
  return { ...requireActorContext(context), person };
}

/** Returns the request of a user or a service account. Throws UNAUTHENTICATED for an API key. */
export function requireActorContext(context: Context): ActorContext {
  const { principal, admittedAt, resources, tenant, repeatable } = requireAccess(context);
  const { now, id: requestId } = context.request;
  const writer = {
    actor: requireActor(principal),
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
  return { resources, tenant, principal, now, request: context.request, writer };
}
