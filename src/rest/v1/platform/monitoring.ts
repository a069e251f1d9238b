import { z } from "zod";
import { wholeNumber } from "../../../catalogue/values.js";
import { TIERS } from "../../../domain/tiers.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";

const time = z.iso.datetime().nullable();
const count = z.int();
const usage = {
  requests: count.meta({ description: "Requests that were admitted." }),
  refused: count.meta({ description: "Requests that were refused with 401 or 429." }),
};
const dayCount = count.nullable().meta({ description: "Null until it was counted." });

const AT = "2026-11-20T09:12:00.000Z";

/** What a super admin sees of the platform: counts and health, and no organization's data. */
export const monitoring = endpoint({
  path: "/admin/monitoring",
  summary: "The platform's health and growth, for super admins",
  scope: "admin:platform",
  query: z.strictObject({
    days: wholeNumber("Days of growth, the present one included; 30 if it is left out.", 1, 400),
  }),
  operation: graphql(`
    query RestMonitoring($days: Int) {
      monitoring {
        health { database redis outbox { waiting failed heldBack dueSince } feeds { exchange lastReportedAt } lastErrorAt }
        byTier { tier requests refused }
        topConsumers { organizationId slug requests refused }
        dailyCounts(days: $days) { date organizations users activeUsers apiKeys records requests refused }
        versions { gateway node database migration }
        auditTrails { heads entries lastVerifiedAt }
        jobs { name startedAt finishedAt failedAt }
      }
    }
  `),
  variables: ({ query }) => query,
  data: z
    .object({
      health: z
        .object({
          database: z.string(),
          redis: z.string().meta({ description: "`up`, `down`, or `not_configured`." }),
          queue: z
            .object({ waiting: count, failed: count, held_back: count, due_since: time })
            .meta({ id: "PlatformQueue", description: "E-mails and calls of webhooks." }),
          feeds: z.array(
            z.object({ exchange: z.string(), last_reported_at: time }).meta({ id: "ExchangeFeed" }),
          ),
          last_error_at: time.meta({ description: "The hour of the last request that failed with 5xx." }),
        })
        .meta({ id: "PlatformHealth" }),
      limits: z
        .object({
          refused_24h: usage.refused,
          by_tier: z.array(z.object({ tier: z.enum(TIERS), ...usage }).meta({ id: "TierUsage" })),
        })
        .meta({ id: "PlatformLimits", description: "Requests of API keys in the last 24 hours." }),
      growth: z.array(
        z
          .object({
            date: z.iso.date(),
            organizations: dayCount,
            users: dayCount,
            active_users: dayCount,
            api_keys: dayCount,
            records: dayCount,
            requests: dayCount,
            refused: dayCount,
          })
          .meta({ id: "PlatformDay" }),
      ),
      totals: z
        .object({ organizations: count, users: count, api_keys: count, records: count })
        .nullable()
        .meta({ id: "PlatformTotals", description: "As of the last day of `growth`; null without one." }),
      top_consumers: z
        .array(z.object({ organization_id: z.guid(), slug: z.string(), ...usage }).meta({ id: "Consumer" }))
        .meta({ description: "The ten organizations with the most requests in the last 24 hours." }),
      versions: z
        .object({ gateway: z.string(), node: z.string(), database: z.string(), migration: z.string() })
        .meta({ id: "PlatformVersions" }),
      audit: z
        .object({
          heads: count.meta({ description: "Number of audit trails." }),
          entries: count,
          last_verified_at: time.meta({ description: "When all of them were last found whole." }),
        })
        .meta({ id: "PlatformAuditTrails" }),
      jobs: z.array(
        z
          .object({ name: z.string(), started_at: z.iso.datetime(), finished_at: time, failed_at: time })
          .meta({ id: "PlatformJob" }),
      ),
    })
    .meta({ id: "Monitoring" }),
  example: {
    health: {
      database: "up",
      redis: "up",
      last_error_at: null,
      queue: { waiting: 2, failed: 0, held_back: 0, due_since: null },
      feeds: [{ exchange: "EEX", last_reported_at: AT }],
    },
    limits: { refused_24h: 12, by_tier: [{ tier: "pro", requests: 1_840, refused: 12 }] },
    growth: [
      {
        date: "2026-11-20",
        organizations: 3,
        users: 14,
        active_users: 6,
        api_keys: 5,
        records: 128_400,
        requests: 1_840,
        refused: 12,
      },
    ],
    totals: { organizations: 3, users: 14, api_keys: 5, records: 128_400 },
    top_consumers: [
      {
        organization_id: "00000000-0000-4000-8000-000000000001",
        slug: "acme",
        requests: 1_200,
        refused: 12,
      },
    ],
    versions: { gateway: "1.0.0", node: "20.20.0", database: "16.4", migration: "20261125140000_platform" },
    audit: { heads: 4, entries: 912, last_verified_at: AT },
    jobs: [{ name: "count the platform", started_at: AT, finished_at: AT, failed_at: null }],
  },
  reshape: ({ monitoring: { health, byTier, topConsumers, dailyCounts, versions, auditTrails, jobs } }) => {
    const days = dailyCounts.map(({ activeUsers, apiKeys, ...day }) => ({
      date: day.date,
      organizations: day.organizations ?? null,
      users: day.users ?? null,
      active_users: activeUsers ?? null,
      api_keys: apiKeys ?? null,
      records: day.records ?? null,
      requests: day.requests ?? null,
      refused: day.refused ?? null,
    }));
    const last = days.findLast(({ organizations }) => organizations !== null);
    return {
      health: {
        database: health.database,
        redis: health.redis,
        last_error_at: text(health.lastErrorAt),
        queue: {
          waiting: health.outbox.waiting,
          failed: health.outbox.failed,
          held_back: health.outbox.heldBack,
          due_since: text(health.outbox.dueSince),
        },
        feeds: health.feeds.map(({ exchange, lastReportedAt }) => ({
          exchange,
          last_reported_at: text(lastReportedAt),
        })),
      },
      limits: {
        refused_24h: byTier.reduce((sum, { refused }) => sum + refused, 0),
        by_tier: byTier.map(({ tier, ...sums }) => ({ tier: lowerCase(tier), ...sums })),
      },
      growth: days,
      totals: last
        ? {
            organizations: last.organizations ?? 0,
            users: last.users ?? 0,
            api_keys: last.api_keys ?? 0,
            records: last.records ?? 0,
          }
        : null,
      top_consumers: topConsumers.map(({ organizationId, ...one }) => ({
        organization_id: organizationId,
        ...one,
      })),
      versions,
      audit: {
        heads: auditTrails.heads,
        entries: auditTrails.entries,
        last_verified_at: text(auditTrails.lastVerifiedAt),
      },
      jobs: jobs.map((job) => ({
        name: job.name,
        started_at: job.startedAt.toISOString(),
        finished_at: text(job.finishedAt),
        failed_at: text(job.failedAt),
      })),
    };
  },
});

const text = (at: Date | null | undefined) => at?.toISOString() ?? null;
