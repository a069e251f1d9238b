import { type Context, requireAccess } from "../../../access/context.js";
import type { Database } from "../../../data/database/types.js";
import { listJobs } from "../../../data/platform/jobs.js";
import {
  findLastError,
  listFeeds,
  listPlatformDays,
  listTopConsumers,
  readDatabaseVersions,
  summarizeOutbox,
  summarizeTrails,
  sumUsageByTier,
} from "../../../data/platform/monitoring.js";
import { addDays } from "../../../domain/window.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { readVersion } from "../../../paths.js";
import { requireWithin } from "../../paging/arguments.js";
import { objectId } from "../object-id.js";

const MAX_DAYS = 400;
const REDIS = { redis: "up", insurance: "down", memory: "not_configured" } as const;

type Query<Result> = (database: Database, now: Date) => Promise<Result>;

/** Runs a query for a super admin within the request's time limit. `now` is the time of the request. */
function runQuery<Result>(context: Context, query: Query<Result>): Promise<Result> {
  const { now, inTime } = context.request;
  return inTime(() => query(requireAccess(context).resources.database, now));
}

/** Creates the resolver that returns the result of a query. */
const resultOf =
  <Result>(query: Query<Result>) =>
  (_parent: unknown, _args: unknown, context: Context) =>
    runQuery(context, query);

const readTiers = (context: Context) =>
  requireAccess(context).loaders.shared(["usageByTier"], () => runQuery(context, sumUsageByTier));

async function readDays(context: Context, days: number) {
  requireWithin("days", days, 1, MAX_DAYS);
  return requireAccess(context).loaders.shared(["platformDays", days], () =>
    runQuery(context, (database, now) => listPlatformDays(database, addDays(now, 1 - days), now)),
  );
}

/** Health and growth of the platform. */
export const monitoring = {
  Query: {
    monitoring: () => ({}),
  },
  Monitoring: {
    id: (_parent, _args, context) => objectId(context, "Monitoring"),
    health: () => ({}),
    byTier: (_parent, _args, context) => readTiers(context),
    refused: async (_parent, _args, context) =>
      (await readTiers(context)).reduce((sum, { refused }) => sum + refused, 0),
    topConsumers: resultOf(listTopConsumers),
    dailyCounts: (_parent, { days }, context) => readDays(context, days),
    latestCounts: async (_parent, { days }, context) =>
      (await readDays(context, days)).findLast(({ organizations }) => organizations !== undefined) ?? null,
    versions: resultOf(async (database) => ({
      ...(await readDatabaseVersions(database)),
      gateway: readVersion(),
      node: process.versions.node,
    })),
    auditTrails: resultOf(summarizeTrails),
    jobs: resultOf(listJobs),
  },
  PlatformHealth: {
    database: resultOf(() => Promise.resolve("up")),
    redis: (_parent, _args, context) => REDIS[requireAccess(context).resources.rateLimitStore()],
    outbox: resultOf(summarizeOutbox),
    feeds: resultOf(listFeeds),
    lastErrorAt: resultOf(findLastError),
  },
  PlatformDay: {
    activeUsers: ({ active_users }) => active_users ?? null,
    apiKeys: ({ api_keys }) => api_keys ?? null,
  },
} satisfies Resolvers;
