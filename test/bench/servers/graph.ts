// The part of schema.graphql that the benchmark queries, resolved with Prisma and DataLoader, without a cache. Two lists
// are SQL, because Prisma would read every row: months, and latest prices.
import { readFileSync } from "node:fs";
import { makeExecutableSchema } from "@graphql-tools/schema";
import DataLoader from "dataloader";
import type { GraphQLSchema } from "graphql";
import { openPostgres } from "../../../src/data/database/server/postgres.js";
import { EMISSION_SCOPES, type EmissionScope, type Framework } from "../../../src/domain/enums.js";
import { type DateRange, isoDate, lastTwelveMonths, listPeriods } from "../../../src/domain/window.js";
import {
  type ComplianceDeadline,
  type ComplianceStatus,
  type CreditBatch,
  type CreditRetirement,
  type EmissionRecord,
  type MarketPrice,
  Prisma,
} from "../../../src/generated/prisma/client.js";
import { enums } from "../../../src/generated/resolver-list.js";
import { scalars } from "../../../src/graphql/schema/scalars.js";
import { SCHEMA_FILE } from "../../../src/paths.js";
import { type Admitted, createAdmission, requireScope, requireVariable } from "./admission.js";

const { prisma } = openPostgres(requireVariable("DATABASE_URL"), {
  statementTimeoutMs: 3_000,
  onError: (error) => console.error(error),
});

export const admit = createAdmission(requireVariable("REDIS_URL"), (hash) =>
  prisma.apiKey.findUnique({
    where: { hash },
    select: { id: true, organizationId: true, tier: true, scopes: true, expiresAt: true, revokedAt: true },
  }),
);

/** Context of one request's resolvers. */
export interface GraphContext {
  readonly key: Admitted["key"];
  readonly organizationId: string;
  readonly now: Date;
  readonly loaders: ReturnType<typeof createLoaders>;
}

export function createContext({ key }: Admitted): GraphContext {
  const now = new Date();
  const { organizationId } = key;
  return { key, organizationId, now, loaders: createLoaders(organizationId, now) };
}

const instrumentId = ({ creditType, exchange }: Pick<MarketPrice, "creditType" | "exchange">) =>
  JSON.stringify([creditType, exchange]);

function createLoaders(organizationId: string, now: Date) {
  return {
    facility: new DataLoader(async (ids: readonly string[]) => {
      const rows = await prisma.facility.findMany({ where: { organizationId, id: { in: [...ids] } } });
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
    deadlines: new DataLoader(async (frameworks: readonly Framework[]) => {
      const rows = await prisma.complianceDeadline.findMany({
        where: {
          organizationId,
          framework: { in: [...frameworks] },
          dueDate: { gte: new Date(isoDate(now)) },
        },
        orderBy: [{ dueDate: "asc" }, { title: "asc" }],
      });
      return allOf(frameworks, rows, ({ framework }) => framework);
    }),
    retirements: new DataLoader(async (batchIds: readonly string[]) => {
      const rows = await prisma.creditRetirement.findMany({
        where: { organizationId, batchId: { in: [...batchIds] } },
        orderBy: [{ retiredOn: "desc" }, { reference: "desc" }],
      });
      return allOf(batchIds, rows, ({ batchId }) => batchId);
    }),
    history: new DataLoader(
      async (instruments: readonly MarketPrice[]) => {
        const rows = await prisma.marketPrice.findMany({
          where: {
            OR: [{ organizationId }, { organizationId: null }],
            creditType: { in: [...new Set(instruments.map(({ creditType }) => creditType))] },
            exchange: { in: [...new Set(instruments.map(({ exchange }) => exchange))] },
          },
          orderBy: [{ asOf: { sort: "desc", nulls: "last" } }, { recordedAt: "desc" }, { id: "asc" }],
        });
        return allOf(instruments.map(instrumentId), rows, instrumentId);
      },
      { cacheKeyFn: instrumentId },
    ),
  };
}

/** Groups rows by parent, in the order in which they were read. */
function allOf<Row>(parents: readonly string[], rows: readonly Row[], parentOf: (row: Row) => string) {
  const found = new Map<string, Row[]>(parents.map((parent) => [parent, []]));
  for (const row of rows) found.get(parentOf(row))?.push(row);
  return parents.map((parent) => found.get(parent) ?? []);
}

interface First {
  readonly first: number;
}

type EmissionsParent = DateRange & {
  readonly sums: () => Promise<readonly ScopeSum[]>;
};

interface ScopeSum {
  readonly scope: EmissionScope;
  readonly co2eTonnes: Prisma.Decimal;
  readonly recordCount: number;
}

async function sumByScope(organizationId: string, { from, to }: DateRange): Promise<ScopeSum[]> {
  const rows = await prisma.emissionDay.groupBy({
    by: ["scope"],
    where: { organizationId, grain: "day", recordedOn: { gte: new Date(from), lte: new Date(to) } },
    _sum: { co2eTonnes: true, recordCount: true },
  });
  return EMISSION_SCOPES.map((scope) => {
    const sum = rows.find((row) => row.scope === scope)?._sum;
    return {
      scope,
      co2eTonnes: sum?.co2eTonnes ?? new Prisma.Decimal(0),
      recordCount: Number(sum?.recordCount ?? 0),
    };
  });
}

interface MonthRow extends Record<EmissionScope, string> {
  readonly start: string;
  readonly total: string;
  readonly count: string;
}

function sumByMonth(organizationId: string, { from, to }: DateRange): Promise<MonthRow[]> {
  return prisma.$queryRaw<MonthRow[]>`
    SELECT date_trunc('month', recorded_on::timestamp)::date::text AS start, sum(co2e_tonnes)::text AS total,
      sum(record_count)::text AS count,
      coalesce(sum(co2e_tonnes) FILTER (WHERE scope = 'scope_1'), 0)::text AS scope_1,
      coalesce(sum(co2e_tonnes) FILTER (WHERE scope = 'scope_2'), 0)::text AS scope_2,
      coalesce(sum(co2e_tonnes) FILTER (WHERE scope = 'scope_3'), 0)::text AS scope_3
    FROM emission_days
    WHERE organization_id = ${organizationId}::uuid AND grain = 'day'
      AND recorded_on BETWEEN ${from}::date AND ${to}::date
    GROUP BY 1`;
}

const resolvers = {
  Query: {
    emissions(_parent: unknown, _args: unknown, { key, organizationId, now }: GraphContext): EmissionsParent {
      requireScope(key, "read:emissions");
      const range = lastTwelveMonths(now);
      let sums: Promise<ScopeSum[]> | undefined;
      return {
        ...range,
        sums: () => {
          sums ??= sumByScope(organizationId, range);
          return sums;
        },
      };
    },
    compliance: (_parent: unknown, _args: unknown, { key }: GraphContext) => {
      requireScope(key, "read:compliance");
      return {};
    },
    credits: (_parent: unknown, _args: unknown, { key }: GraphContext) => {
      requireScope(key, "read:credits");
      return {};
    },
    market: (_parent: unknown, _args: unknown, { key }: GraphContext) => {
      requireScope(key, "read:market");
      return {};
    },
  },
  Emissions: {
    totalCo2eTonnes: async ({ sums }: EmissionsParent) =>
      (await sums())
        .reduce((total, { co2eTonnes }) => total.plus(co2eTonnes), new Prisma.Decimal(0))
        .toNumber(),
    recordCount: async ({ sums }: EmissionsParent) =>
      (await sums()).reduce((total, { recordCount }) => total + recordCount, 0),
    byScope: async ({ sums }: EmissionsParent) =>
      (await sums()).map(({ scope, co2eTonnes }) => ({ scope, co2eTonnes: co2eTonnes.toNumber() })),
    records: async ({ from, to }: EmissionsParent, { first }: First, { organizationId }: GraphContext) => ({
      nodes: await prisma.emissionRecord.findMany({
        where: { organizationId, recordedOn: { gte: new Date(from), lte: new Date(to) } },
        orderBy: [{ recordedOn: "desc" }, { id: "desc" }],
        take: first,
      }),
    }),
    async trend(range: EmissionsParent, _args: unknown, { organizationId }: GraphContext) {
      const rows = new Map((await sumByMonth(organizationId, range)).map((row) => [row.start, row]));
      return listPeriods(range, "month").map(({ start, from, to }) => {
        const row = rows.get(start);
        const byScope = EMISSION_SCOPES.map((scope) => ({ scope, co2eTonnes: Number(row?.[scope] ?? 0) }));
        return {
          from,
          to,
          co2eTonnes: Number(row?.total ?? 0),
          recordCount: Number(row?.count ?? 0),
          byScope,
        };
      });
    },
  },
  EmissionRecord: {
    recordedOn: ({ recordedOn }: EmissionRecord) => isoDate(recordedOn),
    co2eTonnes: ({ co2eTonnes }: EmissionRecord) => co2eTonnes.toNumber(),
    facility: ({ facilityId }: EmissionRecord, _args: unknown, { loaders }: GraphContext) =>
      facilityId === null ? null : loaders.facility.load(facilityId),
  },
  Compliance: {
    frameworks: (_parent: unknown, _args: unknown, { organizationId }: GraphContext) =>
      prisma.complianceStatus.findMany({ where: { organizationId }, orderBy: { framework: "asc" } }),
  },
  FrameworkState: {
    upcomingDeadlines: async ({ framework }: ComplianceStatus, { first }: First, { loaders }: GraphContext) =>
      (await loaders.deadlines.load(framework)).slice(0, first),
  },
  Deadline: { dueDate: ({ dueDate }: ComplianceDeadline) => isoDate(dueDate) },
  CreditPortfolio: {
    batches: async (_parent: unknown, { first }: First, { organizationId }: GraphContext) => ({
      nodes: await prisma.creditBatch.findMany({
        where: { organizationId },
        orderBy: [{ creditType: "asc" }, { reference: "asc" }],
        take: first,
      }),
    }),
  },
  CreditBatch: {
    issued: ({ quantity }: CreditBatch) => Number(quantity),
    sold: ({ sold }: CreditBatch) => Number(sold),
    retired: ({ retired }: CreditBatch) => Number(retired),
    available: ({ available }: CreditBatch) => Number(available),
    retirements: async ({ id }: CreditBatch, { first }: First, { loaders }: GraphContext) =>
      (await loaders.retirements.load(id)).slice(0, first),
  },
  CreditRetirement: {
    quantity: ({ quantity }: CreditRetirement) => Number(quantity),
    retiredOn: ({ retiredOn }: CreditRetirement) => isoDate(retiredOn),
  },
  Market: {
    instruments: async (_parent: unknown, { first }: First, { organizationId }: GraphContext) => ({
      nodes: await prisma.$queryRaw<MarketPrice[]>`
        SELECT DISTINCT ON (credit_type, exchange) credit_type AS "creditType", exchange, price, currency::text AS currency,
          market_prices.as_of AS "asOf"
        FROM market_prices WHERE organization_id = ${organizationId}::uuid OR organization_id IS NULL
        ORDER BY credit_type, exchange, market_prices.as_of DESC NULLS LAST, recorded_at DESC, id LIMIT ${first}`,
    }),
  },
  Instrument: {
    latestPrice: (price: MarketPrice) => price,
    history: async (price: MarketPrice, { first }: First, { loaders }: GraphContext) =>
      (await loaders.history.load(price)).slice(0, first),
  },
  MarketPrice: {
    price: ({ price }: MarketPrice) => price.toNumber(),
    asOf: ({ asOf }: MarketPrice) => asOf && isoDate(asOf),
  },
};

export function createGraph(): GraphQLSchema {
  return makeExecutableSchema({
    typeDefs: readFileSync(SCHEMA_FILE, "utf8"),
    resolvers: [scalars, enums, resolvers],
  });
}
