import { listIssuedFigures } from "../../data/inventory/issues.js";
import { listPolicies } from "../../data/inventory/policies.js";
import { readInventory } from "../../data/inventory/read-inventory.js";
import { listYearsWithRecords, sumMetricsByYear, type TargetRow } from "../../data/inventory/targets.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { type ScopeAmount, sumScopes } from "../../domain/inventory/scope-sums.js";
import { drawTargetPath, perUnit, type TargetPath } from "../../domain/inventory/target-path.js";
import { isoDate } from "../../domain/window.js";

interface YearFigures {
  readonly scopes: readonly ScopeAmount[];
  readonly issued: boolean;
}

/**
 * Computes the paths of targets, in their order. A year's amounts come from its latest issue, or else from its current
 * records. Each year is read once for all targets.
 */
export async function readTargetPaths(
  tenant: TenantReader,
  targets: readonly TargetRow[],
  now: Date,
): Promise<TargetPath[]> {
  const policies = await listPolicies(tenant);
  const startsIn = policies[0]?.yearStartsIn ?? 1;
  const first = Math.min(...targets.map(({ baseYear }) => baseYear));
  const last = Math.max(...targets.map(({ targetYear }) => targetYear));
  const figures = await readFigures(tenant, { first, last: Math.min(last, yearAt(now, startsIn)), startsIn });
  tenant.noteValidUntil(new Date(Date.UTC(yearAt(now, startsIn) + 1, startsIn - 1, 1)));
  const names = [...new Set(targets.flatMap(({ metric }) => metric ?? []))];
  const metrics = names.length === 0 ? [] : await sumMetricsByYear(tenant, names, { first, last, startsIn });
  const unitsOf = (name: string, year: number) =>
    metrics.find((metric) => metric.name === name && metric.year === year)?.totalExact ?? null;
  return targets.map((target) =>
    drawTargetPath(target, (year) => {
      const { scopes = [], issued = false } = figures.get(year) ?? {};
      const tonnes = sumScopes(scopes, target.scopes, target.scope2Method);
      const units = target.metric === null ? undefined : unitsOf(target.metric, year);
      return { amount: perUnit(tonnes, units), issued };
    }),
  );
}

/** Returns the inventory year that contains a time. */
function yearAt(now: Date, startsIn: number): number {
  const [year = 0, month = 0] = isoDate(now).split("-").map(Number);
  return month < startsIn ? year - 1 : year;
}

/**
 * Reads the figures of years, one after another: those of an issue, or else those of the records, if the year has any.
 */
async function readFigures(
  tenant: TenantReader,
  range: Parameters<typeof listYearsWithRecords>[1],
): Promise<ReadonlyMap<number, YearFigures>> {
  const figures = new Map<number, YearFigures>();
  for (const { year, scopes } of await listIssuedFigures(tenant, range))
    figures.set(year, { scopes, issued: true });
  for (const year of await listYearsWithRecords(tenant, range)) {
    if (figures.has(year)) continue;
    const inventory = await readInventory(tenant, { year, holdingsAsOf: null });
    if (inventory !== null) figures.set(year, { scopes: inventory.scopes, issued: false });
  }
  return figures;
}
