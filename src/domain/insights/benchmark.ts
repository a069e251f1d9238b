import { formatMagnitude, formatPercent, type Insight, shareOf } from "./insight.js";

/** Emissions per unit of a business metric. */
export interface OwnIntensity {
  readonly metric: string;
  readonly unit: string;
  readonly tonnesPerUnit: number;
}

/** Published intensity of a sector, with its source. */
export interface SectorIntensity {
  readonly sector: string;
  readonly unit: string | null;
  readonly intensity: number | null;
  readonly source: string;
  readonly sourceUrl: string;
  readonly sourceYear: number;
}

/**
 * Returns the product that a sector's name contains: `grey cement clinker` in `CBAM benchmark: Grey cement clinker`,
 * and `crude steel` in `Crude steel (India average)`.
 */
const productOf = (sector: string): string =>
  sector
    .replace(/^[^:]*: /, "")
    .replace(/ *\(.*$/, "")
    .toLowerCase();

/** Returns true if a benchmark is in tonnes of CO2 per `unit`: `tCO2e/t good` is per `t`. */
const isPer = (unit: string, benchmarkUnit: string | null): boolean =>
  /^tCO2e?\/(\S+)/i.exec(benchmarkUnit ?? "")?.[1]?.toLowerCase() === unit.toLowerCase();

/**
 * Returns the latest benchmark with the metric's unit whose sector or product has the metric's name; else undefined.
 */
export function findBenchmark<Benchmark extends SectorIntensity>(
  { metric, unit }: OwnIntensity,
  benchmarks: readonly Benchmark[],
): Benchmark | undefined {
  const name = metric.trim().toLowerCase();
  return benchmarks
    .filter((one) => (one.intensity ?? 0) > 0 && isPer(unit, one.unit))
    .filter(({ sector }) => sector.toLowerCase() === name || productOf(sector) === name)
    .toSorted((one, other) => other.sourceYear - one.sourceYear)[0];
}

/** Compares an intensity with its benchmark. Reports every difference; a value above the benchmark is more serious. */
export function compareWithBenchmark(own: OwnIntensity, benchmark: SectorIntensity): Insight | null {
  const cited = benchmark.intensity;
  if (cited === null || cited <= 0) return null;
  const ratio = shareOf(own.tonnesPerUnit, cited);
  const difference = Number((ratio - 100).toFixed(2));
  const than = difference > 0 ? "above" : "below";
  const unit = `tCO2e/${own.unit}`;
  return {
    kind: "benchmark",
    about: own.metric,
    severity: difference > 0 ? "medium" : "low",
    sourceUrl: benchmark.sourceUrl,
    title: `${own.metric}: ${formatPercent(difference)} ${than} the benchmark`,
    body: `The intensity is ${formatMagnitude(own.tonnesPerUnit)} t per ${own.unit}; the benchmark "${benchmark.sector}" is ${formatMagnitude(cited)} (${benchmark.source}).`,
    figures: [
      { name: "intensity", value: own.tonnesPerUnit, unit },
      { name: "benchmark", value: cited, unit: benchmark.unit ?? unit },
      { name: "difference_percent", value: difference, unit: "%" },
    ],
    query: { name: "InsightBenchmark", variables: { sector: benchmark.sector } },
  };
}
