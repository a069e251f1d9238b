import DataLoader from "dataloader";
import type { Framework, FrameworkStatus } from "../domain/enums.js";
import { type DateRange, isoDate, type TrendStep } from "../domain/window.js";
import { type BenchmarkFilter, listBenchmarks } from "./benchmarks.js";
import { listDeadlinesOfFrameworks, listFrameworks, listUpcomingDeadlines } from "./compliance.js";
import {
  countRetirements,
  findBatches,
  groupCredits,
  listRetirementsOfBatches,
  listSalesOfBatches,
} from "./credits.js";
import {
  findFacilities,
  sumByCategory,
  sumByFacility,
  sumByPeriod,
  sumEmissions,
  sumOfFacilities,
} from "./emissions.js";
import {
  type InstrumentKey,
  isLiveFeedConnected,
  listLatestPrices,
  listPricesOfInstruments,
  type Price,
} from "./market.js";
import type { TenantReader } from "./tenant.js";

export type Loaders = ReturnType<typeof createLoaders>;

/**
 * What one request reads, bound to its tenant. Fields that ask for the same share one statement; relations of many
 * parents are read together, in one statement for each relation and its arguments.
 */
export function createLoaders(tenant: TenantReader, now: Date) {
  const shared = shareCalls();
  const today = isoDate(now);

  return {
    /** Reads once what is asked for under the same name and arguments. */
    shared,

    emissions: (range: DateRange) => shared(["emissions", range], () => sumEmissions(tenant, range)),
    trend: (range: DateRange, step: TrendStep) =>
      shared(["trend", range, step], () => sumByPeriod(tenant, range, step)),
    largestFacilities: (range: DateRange, limit: number) =>
      shared(["largestFacilities", range, limit], () => sumByFacility(tenant, range, limit)),
    largestCategories: (range: DateRange, limit: number) =>
      shared(["largestCategories", range, limit], () => sumByCategory(tenant, range, limit)),
    emissionsOfFacility: (range: DateRange, id: string) =>
      shared(["emissionsOfFacility", range], () =>
        batch(
          (ids: readonly string[]) => sumOfFacilities(tenant, range, ids),
          (row) => String(row.facilityId),
        ),
      ).one(id),
    facility: (id: string) =>
      shared(["facility"], () =>
        batch(
          (ids: readonly string[]) => findFacilities(tenant, ids),
          (row) => row.id,
        ),
      ).one(id),

    frameworks: (statuses: readonly FrameworkStatus[] | null | undefined) =>
      shared(["frameworks", statuses], () => listFrameworks(tenant, statuses)),
    upcomingDeadlines: (limit: number) =>
      shared(["upcomingDeadlines", limit], () => listUpcomingDeadlines(tenant, { from: today, limit })),
    upcomingDeadlinesOf: (framework: Framework, limit: number) =>
      shared(["upcomingDeadlinesOf", limit], () =>
        batch(
          (frameworks: readonly Framework[]) =>
            listDeadlinesOfFrameworks(tenant, { frameworks, from: today, limit }),
          (row) => row.framework,
        ),
      ).all(framework),

    creditGroups: () => shared(["creditGroups"], () => groupCredits(tenant)),
    retirementCount: () => shared(["retirementCount"], () => countRetirements(tenant, {})),
    batch: (id: string) =>
      shared(["batch"], () =>
        batch(
          (ids: readonly string[]) => findBatches(tenant, ids),
          (row) => row.id,
        ),
      ).one(id),
    salesOf: (batchId: string, limit: number) =>
      shared(["salesOf", limit], () =>
        batch(
          (ids: readonly string[]) => listSalesOfBatches(tenant, ids, limit),
          (row) => row.batchId,
        ),
      ).all(batchId),
    retirementsOf: (batchId: string, limit: number) =>
      shared(["retirementsOf", limit], () =>
        batch(
          (ids: readonly string[]) => listRetirementsOfBatches(tenant, ids, limit),
          (row) => row.batchId,
        ),
      ).all(batchId),

    benchmarks: (filter: BenchmarkFilter) =>
      shared(["benchmarks", filter], () => listBenchmarks(tenant, filter)),

    latestPrices: () => shared(["latestPrices"], () => listLatestPrices(tenant)),
    isLiveFeedConnected: () => shared(["isLiveFeedConnected"], () => isLiveFeedConnected(tenant, now)),
    pricesOf: (instrument: InstrumentKey, range: DateRange | null, limit: number) =>
      shared(["pricesOf", range, limit], () =>
        batch<InstrumentKey, Price>(
          (instruments) => listPricesOfInstruments(tenant, instruments, { range, limit }),
          instrumentId,
          instrumentId,
        ),
      ).all(instrument),
  };
}

/** PostgreSQL's text holds no NUL. */
const instrumentId = ({ creditType, exchange }: InstrumentKey) => `${creditType}\0${exchange}`;

/** Remembers what was asked for under the same name and arguments. */
function shareCalls() {
  const answers = new Map<string, unknown>();
  return <Answer>(call: readonly unknown[], ask: () => Answer): Answer => {
    const name = JSON.stringify(call);
    if (!answers.has(name)) answers.set(name, ask());
    return answers.get(name) as Answer;
  };
}

/** Reads the rows of all parents that ask in the same turn together, and gives each its own. */
function batch<Parent, Row>(
  read: (parents: readonly Parent[]) => Promise<readonly Row[]>,
  parentOf: (row: Row) => string,
  idOf: (parent: Parent) => string = String,
) {
  const loader = new DataLoader<Parent, Row[], string>(
    async (parents) => {
      const rows = new Map<string, Row[]>(parents.map((parent) => [idOf(parent), []]));
      for (const row of await read(parents)) rows.get(parentOf(row))?.push(row);
      return parents.map((parent) => rows.get(idOf(parent)) ?? []);
    },
    { cacheKeyFn: idOf },
  );
  return {
    all: (parent: Parent): Promise<Row[]> => loader.load(parent),
    one: async (parent: Parent): Promise<Row | null> => (await loader.load(parent))[0] ?? null,
  };
}
