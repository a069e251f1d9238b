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

/** Reads for a super admin within the request's time limit. `now` is the time of the request. */
function ask<Result>(context: Context, query: Query<Result>): Promise<Result> {
  const { now, inTime } = context.request;
  return inTime(() => query(requireAccess(context).resources.database, now));
}

const read =
  <Result>(query: Query<Result>) =>
  (_parent: unknown, _args: unknown, context: Context) =>
    ask(context, query);

const readTiers = (context: Context) =>
  requireAccess(context).loaders.shared(["usageByTier"], () => ask(context, sumUsageByTier));

async function readDays(context: Context, days: number) {
  requireWithin("days", days, 1, MAX_DAYS);
  return requireAccess(context).loaders.shared(["platformDays", days], () =>
    ask(context, (database, now) => listPlatformDays(database, addDays(now, 1 - days), now)),
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
    topConsumers: read(listTopConsumers),
    dailyCounts: (_parent, { days }, context) => readDays(context, days),
    latestCounts: async (_parent, { days }, context) =>
      (await readDays(context, days)).findLast(({ organizations }) => organizations !== undefined) ?? null,
    versions: read(async (database) => ({
      ...(await readDatabaseVersions(database)),
      gateway: readVersion(),
      node: process.versions.node,
    })),
    auditTrails: read(summarizeTrails),
    jobs: read(listJobs),
  },
  PlatformHealth: {
    database: read(() => Promise.resolve("up")),
    redis: (_parent, _args, context) => REDIS[requireAccess(context).resources.rateLimitStore()],
    outbox: read(summarizeOutbox),
    feeds: read(listFeeds),
    lastErrorAt: read(findLastError),
  },
  PlatformDay: {
    activeUsers: ({ active_users }) => active_users ?? null,
    apiKeys: ({ api_keys }) => api_keys ?? null,
  },
} satisfies Resolvers;
