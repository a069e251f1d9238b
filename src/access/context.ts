import type { ModelSettings } from "../config.js";
import type { Cache } from "../data/cache/cache.js";
import type { Change } from "../data/cache/changes.js";
import type { Enqueue } from "../data/database/fair-queue.js";
import type { Database } from "../data/database/types.js";
import type { FactorIndex } from "../data/factors/index/factor-index.js";
import { createLoaders, type Loaders } from "../data/tenant/loaders.js";
import type { RowCache, TenantReader } from "../data/tenant/reader.js";
import { readAsTenant } from "../data/tenant/reader.js";
import type { FindTexts } from "../delivery/dns-text.js";
import type { Mailer } from "../delivery/mail.js";
import type { Webhooks } from "../delivery/webhook.js";
import type { RateLimitState } from "../domain/rate-limit.js";
import type { Policy } from "../domain/tiers.js";
import type { RequestInfo, RequestRecord } from "../http/request-info.js";
import type { Site } from "../http/site.js";
import type { Admission } from "./admission.js";
import { REFUSALS, refuseKey } from "./refusals.js";
import type { Pepper } from "./secrets/api-key.js";
import type { CertificateKey } from "./secrets/certificate-key.js";
import type { Providers } from "./sso/providers.js";

/** Clients of mail servers, webhooks, DNS and identity providers. */
export interface Outbound {
  /** Null without SMTP_URL. */
  readonly mailer: Mailer | null;
  readonly webhooks: Webhooks;
  /** Looks up TXT records at DNS_SERVERS, or at the system's name servers. */
  readonly findTexts: FindTexts;
  /** Identity providers, with their cached settings and keys. */
  readonly providers: Providers;
  /** Runs a test of a webhook endpoint. Rejects with RATE_LIMIT_EXCEEDED if too many are in progress. */
  readonly enqueueTest: Enqueue;
  /** Runs a lookup of a domain. Rejects with RATE_LIMIT_EXCEEDED if too many are in progress. */
  readonly enqueueLookup: Enqueue;
  /** Exchanges a provider's code. Rejects with ProviderUnreachable if too many exchanges are in progress. */
  readonly enqueueExchange: Enqueue;
}

/** Services that actions use. */
export interface Resources {
  readonly database: Database;
  /** The pepper for new keys and tokens. */
  readonly pepper: Pepper;
  /** Peppers that stored hashes may use. */
  readonly peppers: readonly Pepper[];
  /**
   * False for a gateway with a database server but no pepper: anyone with a copy of the database could read its sealed
   * secrets.
   */
  readonly sealsSecrets: boolean;
  readonly site: Site;
  readonly outbound: Outbound;
  /** Resolves to the private key that signs certificates; null if none is configured. */
  readonly certificateKey: () => Promise<CertificateKey | null>;
  /** Returns the hourly limit of a principal, by its id, without counting a request. */
  readonly peekBudget: (principalId: string, policy: Policy) => Promise<RateLimitState>;
  /** Returns the store that currently counts requests. */
  readonly rateLimitStore: () => "redis" | "memory" | "insurance";
  /** Counts a user's question. Rejects with RATE_LIMIT_EXCEEDED after too many in an hour. */
  readonly countQuestion: (userId: string) => Promise<void>;
  /** The model that answers questions; undefined if only the built-in rules do. */
  readonly model: ModelSettings | undefined;
  /** Invalidates this process's caches after its own change, without waiting for the notification. */
  readonly noteChange: (change: Change) => void;
  /** Search indexes of the published emission factors, and of each organization's own. */
  readonly factorIndexes: Cache<FactorIndex>;
}

/** Passed to the resolvers of an admitted request. */
export interface Access extends Admission {
  readonly resources: Resources;
  readonly tenant: TenantReader;
  /** Fields of the access log, such as the points the request has cost so far. */
  readonly record: RequestRecord;
  /** Rows the request has read so far, shared by its fields. `forgetReads` replaces them. */
  loaders: Loaders;
}

/** The context of resolvers, on both surfaces. `access` is null for introspection, which needs no credentials. */
export interface Context {
  readonly request: RequestInfo;
  readonly access: Access | null;
  /** True if lists without pages are returned whole, however long, as in REST. */
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

/** Drops the reads from before a write, so that the rest of the request and this process see the new data. */
export function forgetReads({ request, access }: Context): void {
  if (!access) return;
  access.loaders = createLoaders(access.tenant, request.now);
  access.resources.noteChange({ table: null, organizationId: access.tenant.organizationId });
}

export type OpenContext = (request: RequestInfo, admission: Admission) => AdmittedContext;

export interface ContextOptions {
  /** A cache of rows. Without one, every statement is sent to the database. */
  readonly rows?: RowCache;
  readonly wholeLists: boolean;
}

/** Creates the function that opens the context of an admitted request. */
export function createContexts(resources: Resources, { rows, wholeLists }: ContextOptions): OpenContext {
  return (request, admission) => {
    const { organization, person } = admission.principal;
    const tenant = readAsTenant(resources.database, organization.id, request, {
      userId: person?.user.id ?? null,
      cache: rows,
    });
    const loaders = createLoaders(tenant, request.now);
    const access = { ...admission, resources, tenant, record: request.record, loaders };
    return { request, access, wholeLists };
  };
}
