import type { TenantReader } from "./tenant.js";

/** A benchmark whose publication is cited in full. */
export interface CitedBenchmark {
  readonly sector: string;
  readonly intensity: number | null;
  readonly unit: string | null;
  readonly region: string | null;
  readonly period: string | null;
  readonly source: string;
  readonly sourceUrl: string;
  readonly sourceYear: number;
}

export interface BenchmarkFilter {
  /** Part of the sector's name, in any case. */
  readonly sector?: string | null | undefined;
  /** The whole region, in any case. */
  readonly region?: string | null | undefined;
}

/** Benchmarks with title, link and year of their publication, by sector, then latest publication first. */
export async function listBenchmarks(
  { models }: TenantReader,
  { sector, region }: BenchmarkFilter,
): Promise<CitedBenchmark[]> {
  const rows = await models.benchmark.findMany({
    where: {
      source: { not: null },
      sourceUrl: { not: null },
      sourceYear: { not: null },
      ...(sector && { sector: { contains: escapePattern(sector), mode: "insensitive" } }),
      ...(region && { region: { equals: escapePattern(region), mode: "insensitive" } }),
    },
    orderBy: [{ sector: "asc" }, { sourceYear: "desc" }, { unit: "asc" }, { source: "asc" }],
  });
  return rows.map(({ sector, intensity, unit, region, period, source, sourceUrl, sourceYear }) => ({
    sector,
    intensity: intensity === null ? null : intensity.toNumber(),
    unit,
    region,
    period,
    source: source ?? "",
    sourceUrl: sourceUrl ?? "",
    sourceYear: sourceYear ?? 0,
  }));
}

/** `contains` becomes LIKE, and Prisma leaves its wild cards to the caller. */
function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
