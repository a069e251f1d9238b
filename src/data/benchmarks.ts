import type { TenantReader } from "./tenant.js";

/** A benchmark whose publication is cited in full. */
export interface CitedBenchmark {
  readonly sector: string;
  readonly intensity: number | null;
  readonly unit: string | null;
  readonly source: string;
  readonly sourceUrl: string;
  readonly sourceYear: number;
}

/** Benchmarks with title, link and year of their publication, by sector, then latest publication first. */
export async function listBenchmarks(
  { models }: TenantReader,
  sector?: string | null,
): Promise<CitedBenchmark[]> {
  const rows = await models.benchmark.findMany({
    where: {
      source: { not: null },
      sourceUrl: { not: null },
      sourceYear: { not: null },
    },
    orderBy: [{ sector: "asc" }, { sourceYear: "desc" }, { unit: "asc" }, { source: "asc" }],
  });
  // Here, because the database's lower case depends on its collation, and that of the column knows ASCII alone.
  const wanted = sector?.toLowerCase() ?? "";
  const found = rows.filter((row) => row.sector.toLowerCase().includes(wanted));
  return found.map(({ sector, intensity, unit, source, sourceUrl, sourceYear }) => ({
    sector,
    intensity: intensity === null ? null : intensity.toNumber(),
    unit,
    source: source ?? "",
    sourceUrl: sourceUrl ?? "",
    sourceYear: sourceYear ?? 0,
  }));
}
