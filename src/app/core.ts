import type { Registry } from "prom-client";
import { createAdmission, createCounting } from "../access/admission.js";
import {
  type Authenticate,
  createAuthenticate,
  type KnownKey,
  sizeOfKnownKey,
} from "../access/authenticate.js";
import { createAuthenticateBasic } from "../access/basic.js";
import type { Resources } from "../access/context.js";
import {
  createAuthenticateAll,
  createFindSessionOf,
  createRefuseServiceAccount,
  refuseAnonymous,
  withoutCookie,
} from "../access/credentials.js";
import { createOauth } from "../access/oauth.js";
import { listPeppers } from "../access/secrets/api-key.js";
import { createCertificateKey } from "../access/secrets/certificate-key.js";
import { createPasswords } from "../access/secrets/password.js";
import { createServiceAccounts, type KnownToken, sizeOfKnownToken } from "../access/service-account.js";
import { createFindSession, type KnownSession, sizeOfKnownSession } from "../access/session.js";
import { createProviders } from "../access/sso/providers.js";
import { createAccounts } from "../actions/accounts/accounts.js";
import { type StreamLimits, startEventStreams } from "../actions/events/streams.js";
import { createSsoFlow } from "../actions/sso/sso-flow.js";
import { createPublicCertificates } from "../actions/verification/public-certificates.js";
import type { Config } from "../config.js";
import { createCache } from "../data/cache/cache.js";
import { type Changes, listenForChanges } from "../data/cache/changes.js";
import { createFairQueue, type FairQueueOptions } from "../data/database/fair-queue.js";
import type { Database } from "../data/database/types.js";
import { type FactorIndex, sizeOfIndex } from "../data/factors/index/factor-index.js";
import { startKeyUsage } from "../data/keys/key-usage.js";
import { createUseRecorder } from "../data/keys/key-uses.js";
import { createSessionUseRecorder } from "../data/people/session-uses.js";
import { readBacklog } from "../data/platform/backlog.js";
import { createConnectionLookup } from "../data/sso/connection-lookup.js";
import { sizeOfRows } from "../data/tenant/reader.js";
import { createFindTexts } from "../delivery/dns-text.js";
import { createMailer } from "../delivery/mail.js";
import { createProviderAccess, type ProviderOptions, ProviderUnreachable } from "../delivery/provider.js";
import { createWebhooks, type WebhookOptions } from "../delivery/webhook.js";
import { tooMany } from "../errors.js";
import { type OperationAnswer, sizeOfAnswer } from "../graphql/server/result.js";
import { type SerializedData, sizeOfData } from "../http/answer/envelope.js";
import type { Site } from "../http/site.js";
import { createFailureCounter } from "../limits/budget/auth-failures.js";
import {
  createGuessing,
  createInspectionCounter,
  createRegistrationCounter,
  createResetCounter,
  createSessionChangeCounter,
  createSsoRefusalCounter,
} from "../limits/budget/guessing.js";
import { createQuestionCounter } from "../limits/budget/questions.js";
import { createRateLimiter } from "../limits/budget/rate-limit.js";
import { createPasswordTurns } from "../limits/turns/password-turns.js";
import type { Log } from "../log.js";
import { readVersion } from "../paths.js";
import { createMetrics } from "../telemetry/metrics.js";
import { startTracing } from "../telemetry/start-tracing.js";
import { watchAuditHeads } from "./audit-heads.js";
import { keepLatest } from "./keep-latest.js";
import type { Parts } from "./parts.js";

export interface CoreOptions {
  readonly config: Config;
  readonly database: Database;
  readonly log: Log;
  readonly site: Site;
  readonly clock: () => Date;
  /** Limits of event streams; tests set shorter ones. */
  readonly streamLimits?: StreamLimits;
  /** Network access of webhooks; tests use their own server. */
  readonly webhooks?: WebhookOptions;
  /** Network access to identity providers; tests use their own. */
  readonly providers?: ProviderOptions;
  /** Creates the function that renders /metrics, with the metrics of all processes of a cluster. */
  readonly shareMetrics?: (registry: Registry) => () => Promise<string>;
}

export type Core = Awaited<ReturnType<typeof startCore>>;

/** Starts the parts that all surfaces share: limits, caches, metrics and admission. */
export async function startCore(
  { config, log, site, clock, shareMetrics = readAlone, ...options }: CoreOptions,
  parts: Parts,
) {
  const version = readVersion();
  const tracing = parts.add(await startTracing({ endpoint: config.otlpEndpoint, version, log }));
  const database = tracing.watch(options.database);
  const rateLimiter = parts.add(
    await createRateLimiter({
      redisUrls: config.redisUrls,
      sessionRequestsPerHour: config.sessionRequestsPerHour,
      scimRequestsPerHour: config.scimRequestsPerHour,
      onStoreChange: (error) =>
        error
          ? log.error({ err: error }, "Redis is unavailable: counting requests in memory")
          : log.info("Redis is back: counting requests there"),
    }),
  );
  const changes = parts.add(
    await listenForChanges(database, (error) =>
      error
        ? log.error({ err: error }, "no change notifications from the database: caching is off")
        : log.info("change notifications from the database are back: caching is on"),
    ),
  );
  const caches = createCaches(changes);
  const auditHeads = parts.add(watchAuditHeads({ database: options.database, log }));
  const metrics = createMetrics({
    version,
    rateLimitStore: rateLimiter.store,
    isListening: changes.isListening,
    connections: database.connections,
    replicas: database.replicas,
    memories: caches,
    auditEntries: auditHeads.countEntries,
    backlog: keepLatest(
      () => readBacklog(database),
      { queues: [], jobs: [] },
      (error) => log.warn({ err: error }, "failed to read the backlog for the metrics"),
    ),
  });
  const peppers = listPeppers(config);
  const countFailure = createFailureCounter(config.authFailuresPerMinute);
  const authenticateKey = createAuthenticate({
    database,
    peppers,
    countFailure,
    keys: caches.keys,
    onRefused: metrics.refused,
    recordUse: createUseRecorder(database, "api_keys", (error) =>
      log.warn({ err: error }, "failed to record when keys were last used"),
    ),
  });
  const keyUsage = parts.add(
    startKeyUsage(database, (error) => log.warn({ err: error }, "failed to record how often keys were used")),
  );
  const findSession = createFindSession({
    database,
    peppers,
    countFailure,
    sessions: caches.sessions,
    recordUse: createSessionUseRecorder(database, (error) =>
      log.warn({ err: error }, "failed to record when a session was last used"),
    ),
  });
  const serviceAccounts = createServiceAccounts({
    database,
    peppers,
    countFailure,
    tokens: caches.tokens,
    recordUse: createUseRecorder(database, "service_account_tokens", (error) =>
      log.warn({ err: error }, "failed to record when service account tokens were last used"),
    ),
  });
  const refuseServiceAccount = createRefuseServiceAccount(serviceAccounts, site);
  const findSessionOf = createFindSessionOf(findSession, refuseServiceAccount, site);
  const oauth = createOauth({ serviceAccounts, site, pepper: peppers[0], countFailure });
  const bearers = { serviceAccounts, findSessionOf, site };
  const consume = tracing.wrap("rate limit", rateLimiter.consume);
  const admitWith = (authenticate: Authenticate) =>
    createAdmission({ authenticate: tracing.wrap("authenticate", authenticate), consume });
  const authenticateMcp = tracing.wrap(
    "authenticate",
    withoutCookie(createAuthenticateAll(authenticateKey, { ...bearers, resource: "mcp" }, authenticateKey)),
  );
  const mailer = config.mail ? await createMailer(config.mail) : null;
  const resources: Resources = {
    outbound: {
      mailer,
      webhooks: createWebhooks({ allowNetworks: config.webhookAllowNetworks, ...options.webhooks }),
      findTexts: createFindTexts(config.dnsServers),
      providers: createProviders(
        createProviderAccess({ allowNetworks: config.oidcAllowNetworks, ...options.providers }),
      ),
      enqueueTest: createFairQueue(WEBHOOK_TESTS),
      enqueueLookup: createFairQueue(DOMAIN_LOOKUPS),
      enqueueExchange: createFairQueue(CODE_EXCHANGES),
    },
    database,
    pepper: peppers[0],
    peppers,
    sealsSecrets: config.databaseUrl === undefined || config.keyPepper !== undefined,
    site,
    noteChange: changes.note,
    factorIndexes: caches.factors,
    peekBudget: rateLimiter.peek,
    rateLimitStore: rateLimiter.store,
    countQuestion: createQuestionCounter(rateLimiter.createCounter),
    model: config.model,
    certificateKey: createCertificateKey(config),
  };
  const accountsContext = {
    resources,
    registration: config.registration,
    countFailure,
    passwords: createPasswords(createPasswordTurns()),
    guessing: createGuessing(rateLimiter.createCounter),
    countRegistration: createRegistrationCounter(rateLimiter.createCounter),
    countReset: createResetCounter(rateLimiter.createCounter),
    countInspection: createInspectionCounter(rateLimiter.createCounter),
    countSessionChange: createSessionChangeCounter(rateLimiter.createCounter),
    onSignIn: metrics.signedIn,
  };
  const accounts = createAccounts({
    ...accountsContext,
    findSessionOf,
    refuseServiceAccount,
    findConnectionOfDomain: createConnectionLookup(database, changes),
  });
  const readMetrics = shareMetrics(metrics.registry);
  const authenticateV1 = createAuthenticateAll(authenticateKey, bearers, refuseAnonymous);
  return {
    auditHeads,
    tracing,
    database,
    resources,
    rateLimiter,
    caches,
    metrics,
    readMetrics,
    accounts,
    ssoFlow: createSsoFlow({
      context: accountsContext,
      countRefusal: createSsoRefusalCounter(rateLimiter.createCounter),
    }),
    certificates: createPublicCertificates(resources, countFailure),
    countUse: keyUsage.count,
    isListening: changes.isListening,
    oauth,
    serviceAccounts,
    authenticateV1,
    events: startEventStreams({ database, changes, site, clock, log, limits: options.streamLimits }),
    admitKey: admitWith(authenticateKey),
    admit: admitWith(createAuthenticateAll(authenticateKey, bearers, authenticateKey)),
    admitToV1: admitWith(authenticateV1),
    admitToAccount: admitWith(
      createAuthenticateAll(authenticateKey, { ...bearers, isOwnAccount: true }, refuseAnonymous),
    ),
    admitBasic: admitWith(createAuthenticateBasic(authenticateV1)),
    authenticateMcp,
    countRequest: createCounting({ consume }),
  };
}

/** A webhook test may wait for its receiver as long as a delivery. */
const WEBHOOK_TESTS: FairQueueOptions = {
  perOwner: 2,
  total: 20,
  maxWaiting: 2,
  refuse: () => tooMany("Too many webhook tests are running.", 15_000),
};

/** Exchanging a code waits for an identity provider. */
const CODE_EXCHANGES: FairQueueOptions = {
  perOwner: 20,
  total: 200,
  maxWaiting: 200,
  refuse: () => new ProviderUnreachable("too many requests to the provider are in progress"),
};

/** A domain lookup may wait for unresponsive name servers. */
const DOMAIN_LOOKUPS: FairQueueOptions = {
  perOwner: 2,
  total: 20,
  maxWaiting: 2,
  refuse: () => tooMany("Too many domain checks are running.", 10_000),
};

const readAlone = (registry: Registry) => () => registry.metrics();

/** Creates all caches, each with its maximum size in bytes. */
function createCaches(changes: Changes) {
  return {
    keys: createCache<KnownKey>({ changes, maxSize: 16 << 20, sizeOf: sizeOfKnownKey }),
    sessions: createCache<KnownSession>({ changes, maxSize: 16 << 20, sizeOf: sizeOfKnownSession }),
    tokens: createCache<KnownToken>({ changes, maxSize: 16 << 20, sizeOf: sizeOfKnownToken }),
    rows: createCache<readonly object[]>({ changes, maxSize: 16 << 20, sizeOf: sizeOfRows }),
    factors: createCache<FactorIndex>({ changes, maxSize: 64 << 20, sizeOf: sizeOfIndex }),
    graphql: createCache<OperationAnswer>({ changes, maxSize: 16 << 20, sizeOf: sizeOfAnswer }),
    rest: createCache<SerializedData>({ changes, maxSize: 48 << 20, sizeOf: sizeOfData }),
  };
}
