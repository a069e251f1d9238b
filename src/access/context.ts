import type { Database } from "../data/database/types.js";
import { createLoaders, type Loaders } from "../data/tenant/loaders.js";
import type { RowCache, TenantReader } from "../data/tenant/reader.js";
import { readAsTenant } from "../data/tenant/reader.js";
import type { RequestInfo } from "../http/request-info.js";
import type { Admission } from "./admission.js";
import { REFUSALS, refuseKey } from "./refusals.js";

/** What a request that was let in may use. */
export interface Access extends Admission {
  readonly tenant: TenantReader;
  /** What the request has read so far, which its fields share. `renewLoaders` replaces them. */
  loaders: Loaders;
}

/** What resolvers are given, on both surfaces. `access` is null for an operation that only introspects. */
export interface Context {
  readonly request: RequestInfo;
  readonly access: Access | null;
  /** Whether lists without pages are given whole, however long they are: for the REST surface's own queries. */
  readonly wholeLists: boolean;
}

/** The access of a request that needs a key. */
export function requireAccess({ access }: Context): Access {
  if (access === null) throw refuseKey("missing", REFUSALS.missing);
  return access;
}

/** The context of a request that was let in. */
export interface AdmittedContext extends Context {
  readonly access: Access;
}

/** Forgets what a request has read: fields that are resolved from now on see what was written before. */
export function renewLoaders({ request, access }: Context): void {
  if (access) access.loaders = createLoaders(access.tenant, request.now);
}

export type OpenContext = (request: RequestInfo, admission: Admission) => AdmittedContext;

export interface ContextOptions {
  /** Where rows are remembered; without one, every statement goes to the database. */
  readonly rows?: RowCache;
  readonly wholeLists: boolean;
}

/** Makes the function that builds the context of an admitted request. */
export function createContexts(database: Database, { rows, wholeLists }: ContextOptions): OpenContext {
  return (request, admission) => {
    const tenant = readAsTenant(database, admission.principal.organization.id, request, rows);
    const loaders = createLoaders(tenant, request.now);
    return { request, access: { ...admission, tenant, loaders }, wholeLists };
  };
}
