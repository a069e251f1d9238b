import DataLoader from "dataloader";
import type { Framework, FrameworkStatus } from "../../domain/enums.js";
import { type DateRange, isoDate, type TrendStep } from "../../domain/window.js";
import { type BenchmarkFilter, listBenchmarks } from "../benchmarks/benchmarks.js";
import { findDeclarations, listImports } from "../compliance/cbam.js";
import { findPeriods } from "../compliance/ccts.js";
import {
  type FrameworkDeadlines,
  listDeadlinesOfFrameworks,
  listFrameworks,
  listUpcomingDeadlines,
} from "../compliance/compliance.js";
import { findBatches, groupCredits } from "../credits/credits.js";
import {
  countRetirements,
  findRetirements,
  findSales,
  listRetirementsOfBatches,
  listSalesOfBatches,
} from "../credits/movements.js";
import type { Breakdown, RecordsToSum } from "../emissions/select-sums.js";
import { countParts, sumByPart, sumByPeriod, sumEmissions, sumPartsByPeriod } from "../emissions/sums.js";
import { findFacilities, findFacilitiesByCode } from "../facilities/facilities.js";
import { findFactors } from "../factors/factors.js";
import { countFacilitiesOf } from "../inventory/entities.js";
import { listClaimsOfInstruments } from "../inventory/instruments.js";
import { listFactorCategories, type StreamFactor, type StreamRow, streamId } from "../inventory/streams.js";
import { countRecordsOfMappings } from "../mappings/mappings.js";
import {
  type InstrumentKey,
  isLiveFeedConnected,
  listLatestPrices,
  listPricesOfInstruments,
  type Price,
} from "../market/market.js";
import { findMemberNames } from "../people/members.js";
import type { TenantReader } from "./reader.js";

export type Loaders = ReturnType<typeof createLoaders>;

/**
 * Creates a request's loaders, bound to its tenant. Fields that need the same data share one statement. Each relation
 * is read for all parents in one statement per set of arguments.
 */
export function createLoaders(tenant: TenantReader, now: Date) {
  const shared = shareCalls();
  const today = isoDate(now);
  /** Creates a loader of rows by id. `find` reads all ids requested together. */
  const byId =
    <Row extends { readonly id: string }>(
      name: string,
      find: (tenant: TenantReader, ids: readonly string[]) => Promise<readonly Row[]>,
    ) =>
    (id: string) =>
      shared([name], () =>
        batch(
          (ids: readonly string[]) => find(tenant, ids),
          (row) => row.id,
        ),
      ).one(id);

  return {
    /** Memoizes a call by its name and arguments. */
    shared,

    emissions: (summed: RecordsToSum) => shared(["emissions", summed], () => sumEmissions(tenant, summed)),
    trend: (summed: RecordsToSum, step: TrendStep) =>
      shared(["trend", summed, step], () => sumByPeriod(tenant, summed, step)),
    largestParts: (summed: RecordsToSum, by: Breakdown, limit: number) =>
      shared(["largestParts", summed, by, limit], () => sumByPart(tenant, summed, by, { limit })),
    countParts: (summed: RecordsToSum, by: Breakdown) =>
      shared(["countParts", summed, by], () => countParts(tenant, summed, by)),
    emissionsOfPart: (summed: RecordsToSum, by: Breakdown, part: string | null) =>
      shared(["emissionsOfPart", summed, by], () =>
        batch((parts: readonly string[]) => sumByPart(tenant, summed, by, { parts }), partName),
      ).one(part ?? ""),
    trendOfPart: (summed: RecordsToSum, by: Breakdown, step: TrendStep, part: string | null) =>
      shared(["trendOfPart", summed, by, step], () =>
        batch((parts: readonly string[]) => sumPartsByPeriod(tenant, summed, by, { parts, step }), partName),
      ).all(part ?? ""),
    facility: byId("facility", findFacilities),
    facilityByCode: (code: string) =>
      shared(["facilityByCode"], () =>
        batch(
          (codes: readonly string[]) => findFacilitiesByCode(tenant, codes),
          (row) => row.code,
        ),
      ).one(code),

    memberName: (id: string) =>
      shared(["memberName"], () =>
        batch(
          (ids: readonly string[]) => findMemberNames(tenant, ids),
          (row) => row.userId,
        ),
      ).one(id),

    factor: byId("factor", (tenant, ids) => findFactors(tenant, { ids })),
    recordsOfMapping: byId("recordsOfMapping", countRecordsOfMappings),

    facilitiesOfEntity: byId("facilitiesOfEntity", countFacilitiesOf),
    factorsOfStream: (stream: StreamRow) =>
      shared(["factorsOfStream"], () =>
        batch<StreamRow, StreamFactor>(
          (streams) => listFactorCategories(tenant, streams),
          (row) => row.stream,
          streamId,
        ),
      ).all(stream),

    frameworks: (statuses: readonly FrameworkStatus[] | null | undefined) =>
      shared(["frameworks", statuses], () => listFrameworks(tenant, statuses)),
    upcomingDeadlines: (limit: number) =>
      shared(["upcomingDeadlines", limit], () => listUpcomingDeadlines(tenant, { from: today, limit })),
    deadlinesOf: (framework: Framework, wanted: FrameworkDeadlines) =>
      shared(["deadlinesOf", wanted], () =>
        batch(
          (frameworks: readonly Framework[]) => listDeadlinesOfFrameworks(tenant, frameworks, wanted),
          (row) => row.framework,
        ),
      ).all(framework),

    cctsPeriod: byId("cctsPeriod", findPeriods),

    cbamDeclaration: byId("cbamDeclaration", findDeclarations),
    cbamImportsOf: (declarationId: string) =>
      shared(["cbamImportsOf"], () =>
        batch(
          (ids: readonly string[]) => listImports(tenant, ids),
          (row) => row.declarationId,
        ),
      ).all(declarationId),

    creditGroups: () => shared(["creditGroups"], () => groupCredits(tenant)),
    retirementCount: () => shared(["retirementCount"], () => countRetirements(tenant, {})),
    batch: byId("batch", findBatches),
    sale: byId("sale", findSales),
    retirement: byId("retirement", findRetirements),
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

    claimsOf: (instrumentId: string, limit: number) =>
      shared(["claimsOf", limit], () =>
        batch(
          (ids: readonly string[]) => listClaimsOfInstruments(tenant, ids, limit),
          (row) => row.instrumentId,
        ),
      ).all(instrumentId),

    benchmarks: (filter: BenchmarkFilter) =>
      shared(["benchmarks", filter], () => listBenchmarks(tenant, filter)),

    latestPrices: () => shared(["latestPrices"], () => listLatestPrices(tenant, today)),
    isLiveFeedConnected: () => shared(["isLiveFeedConnected"], () => isLiveFeedConnected(tenant, now)),
    pricesOf: (instrument: InstrumentKey, range: DateRange | null, limit: number) =>
      shared(["pricesOf", range, limit], () =>
        batch<InstrumentKey, Price>(
          (instruments) => listPricesOfInstruments(tenant, instruments, { range, today, limit }),
          instrumentId,
          instrumentId,
        ),
      ).all(instrument),
  };
}

/** Returns the key of a part; empty for records without a facility, category or country. */
const partName = ({ part }: { readonly part: string | null }) => part ?? "";

/** Returns a string that identifies an instrument. NUL never occurs in PostgreSQL's text. */
const instrumentId = ({ creditType, exchange }: InstrumentKey) => `${creditType}\0${exchange}`;

/** Creates a function that memoizes calls by name and arguments. */
function shareCalls() {
  const results = new Map<string, unknown>();
  return <Result>(call: readonly unknown[], run: () => Result): Result => {
    const name = JSON.stringify(call);
    if (!results.has(name)) results.set(name, run());
    return results.get(name) as Result;
  };
}

/** Creates a DataLoader: reads the rows of all parents requested in one turn of the event loop together. */
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
