import { type Benchmark, Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** A benchmark with a complete citation. */
export interface CitedBenchmark
  extends Readonly<Pick<Benchmark, "id" | "sector" | "unit" | "region" | "period">> {
  readonly intensity: number | null;
  readonly source: string;
  readonly sourceUrl: string;
  readonly sourceYear: number;
}

export interface BenchmarkFilter {
  /** Substring of the sector's name, case-insensitive. */
  readonly sector?: string | null | undefined;
  /** The whole region, case-insensitive. */
  readonly region?: string | null | undefined;
}

/** Lists the benchmarks with title, link and year of their publication, by sector, latest publication first. */
export async function listBenchmarks(
  tenant: TenantReader,
  { sector, region }: BenchmarkFilter,
): Promise<CitedBenchmark[]> {
  const rows = await tenant.query<CitedBenchmark>(Prisma.sql`
    SELECT id, sector, intensity::float8 AS intensity, unit, region, period, source, source_url AS "sourceUrl",
      source_year AS "sourceYear"
    FROM ${own.benchmarks} WHERE source ~ '[^[:space:]]' AND source_url ~ '[^[:space:]]' AND source_year IS NOT NULL
    ORDER BY sector, source_year DESC, unit, source`);
  // Not in SQL, because the columns' collation lower-cases only ASCII letters.
  const wanted = sector?.toLowerCase() ?? "";
  return rows.filter(
    (row) =>
      row.sector.toLowerCase().includes(wanted) &&
      (!region || row.region?.toLowerCase() === region.toLowerCase()),
  );
}
