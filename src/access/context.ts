import type { Database } from "../data/database/types.js";
import { createLoaders, type Loaders } from "../data/tenant/loaders.js";
import type { RowCache, TenantReader } from "../data/tenant/reader.js";
import { readAsTenant } from "../data/tenant/reader.js";
import type { RequestInfo } from "../http/request-info.js";
import type { Admission } from "./admission.js";
import { REFUSALS, refuseKey } from "./refusals.js";

/** Passed to the resolvers of an admitted request. */
export interface Access extends Admission {
  readonly tenant: TenantReader;
  /** What the request has read so far, which its fields share. `renewLoaders` replaces them. */
  loaders: Loaders;
}

/** The context of resolvers, on both surfaces. `access` is null for introspection, which needs no credentials. */
export interface Context {
  readonly request: RequestInfo;
  readonly access: Access | null;
  /** Whether lists without pages are returned whole, however long: for the queries of REST endpoints. */
  readonly wholeLists: boolean;
}

/** Returns the access of a request; throws INVALID_KEY if it has no credentials. */
export function requireAccess({ access }: Context): Access {
  if (access === null) throw refuseKey("missing", REFUSALS.missing);
  return access;
}

/** The context of an admitted request. */
export interface AdmittedContext extends Context {
  readonly access: Access;
}

/** Forgets what a request has read: fields that are resolved from now on see what was written before. */
export function renewLoaders({ request, access }: Context): void {
  if (access) access.loaders = createLoaders(access.tenant, request.now);
}

export type OpenContext = (request: RequestInfo, admission: Admission) => AdmittedContext;

export interface ContextOptions {
  /** A cache of rows; without one, every statement goes to the database. */
  readonly rows?: RowCache;
  readonly wholeLists: boolean;
}

/** Creates the function that opens the context of an admitted request. */
export function createContexts(database: Database, { rows, wholeLists }: ContextOptions): OpenContext {
  return (request, admission) => {
    const tenant = readAsTenant(database, admission.principal.organization.id, request, rows);
    const loaders = createLoaders(tenant, request.now);
    return { request, access: { ...admission, tenant, loaders }, wholeLists };
  };
}
