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
  /** The caller as the writer in its active organization. */
  readonly writer: ActorRequest & { readonly actor: Actor; readonly organizationId: string };
}

/** The request of a signed-in user. */
export interface PersonContext extends ActorContext {
  readonly person: Person;
}

/**
 * Throws REAUTHENTICATION_REQUIRED if a user last authenticated too long ago. Service accounts pass: they have no
 * password, and somebody granted each of their managing scopes by name.
 */
export function requireRecent({ principal, now }: Pick<ActorContext, "principal" | "now">): void {
  if (principal.person) requireRecentProof(principal.person, now);
}

/**
 * Throws EMAIL_NOT_CONFIRMED if a user has not confirmed their e-mail address in time. A gateway that sends no e-mails
 * restricts nobody, because nobody could confirm an address.
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

/** Calls `requireConfirmedAddress`, then `requireRecent`. */
export function requireConfirmedAndRecent(
  caller: Pick<ActorContext, "resources" | "principal" | "now">,
): void {
  requireConfirmedAddress(caller);
  requireRecent(caller);
}

/**
 * Throws EMAIL_NOT_CONFIRMED for a verifier whose address is not confirmed, even before it is due or if the gateway
 * sends no e-mails.
 */
export function requireConfirmedVerifier({ restrictedFrom }: Pick<Person, "restrictedFrom">): void {
  if (restrictedFrom !== null) throw emailNotConfirmed();
}

const emailNotConfirmed = () =>
  new AppError(
    "EMAIL_NOT_CONFIRMED",
    "Confirm your e-mail address first. Open the link that we e-mailed you, or request another with POST /v1/auth/email/send.",
  );

/** Returns the caller's name for mails and notifications: a user's e-mail address, or a service account's name. */
export const describeCaller = ({
  principal: { person, serviceAccount },
}: Pick<ActorContext, "principal">): string =>
  person?.user.email ?? `The service account ${serviceAccount?.name}`;

/**
 * Returns the request of a user. Throws INVALID_KEY without credentials, UNAUTHENTICATED for an API key, and FORBIDDEN
 * for a service account.
 */
export function requirePersonContext(context: Context): PersonContext {
  const person = requirePerson(requireAccess(context).principal);
  return { ...requireActorContext(context), person };
}

/**
 * Returns the request of a user or a service account. Throws INVALID_KEY without credentials, and UNAUTHENTICATED for
 * an API key.
 */
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
