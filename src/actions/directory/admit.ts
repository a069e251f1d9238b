import type { IncomingMessage } from "node:http";
import type { CountRequest } from "../../access/admission.js";
import type { OpenContext } from "../../access/context.js";
import { findCredential } from "../../access/credentials.js";
import { requireScopes } from "../../access/require-scopes.js";
import type { ServiceAccounts } from "../../access/service-account.js";
import { unauthenticated } from "../../access/session.js";
import { listProvenHosts } from "../../data/directory/users.js";
import { ScimFault } from "../../domain/directory/fault.js";
import type { RateLimitState } from "../../domain/rate-limit.js";
import type { RequestInfo } from "../../http/request-info.js";
import { type ActorContext, requireActorContext } from "../actor-context.js";

/** A SCIM request from an organization's directory. */
export interface DirectoryCaller extends ActorContext {
  /** The organization's proven domains. */
  readonly hosts: readonly string[];
  readonly rateLimit: RateLimitState;
}

export interface DirectoryContext {
  readonly serviceAccounts: ServiceAccounts;
  readonly countRequest: CountRequest;
  readonly openContext: OpenContext;
}

/**
 * Admits a request with the token of a service account that has `admin:members`. Rejects if the organization has no
 * proven domain.
 */
export async function admitDirectory(
  { serviceAccounts, countRequest, openContext }: DirectoryContext,
  request: RequestInfo,
  incoming: IncomingMessage,
): Promise<DirectoryCaller> {
  const admittedAt = performance.now();
  // Ignores cookies.
  const { authorization } = incoming.headers;
  const credential = findCredential({ headers: { ...(authorization && { authorization }) } });
  if (credential?.kind !== "bearer")
    throw unauthenticated(
      "No bearer token.",
      "Send the token of a service account as Authorization: Bearer.",
    );
  const principal = await serviceAccounts.find(credential.token, request);
  requireScopes(principal, [["admin:members"]]);
  const { rateLimit, ...admission } = countRequest(
    { ...principal, id: `scim ${principal.id}`, policy: "scim" },
    request.now,
    admittedAt,
  );
  const counted = await rateLimit;
  const context = openContext(request, { ...admission, principal, rateLimit });
  const caller = requireActorContext(context);
  const hosts = await listProvenHosts(caller.tenant);
  if (hosts.length === 0)
    throw new ScimFault(
      403,
      undefined,
      "The organization has no proven domain. Add one with POST /v1/domains.",
    );
  return { ...caller, hosts, rateLimit: counted };
}
