import type { Access } from "../../access/context.js";
import { listIssuedFigures } from "../../data/inventory/issues.js";
import { readEnergy } from "../../data/inventory/read-energy.js";
import { readInventory } from "../../data/inventory/read-inventory.js";
import { listTargets } from "../../data/inventory/targets.js";
import { type MetricTotal, sumMetrics } from "../../data/metrics/metrics.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { sumScopes } from "../../domain/inventory/scope-sums.js";
import { drawTargetPath, perUnit } from "../../domain/inventory/target-path.js";
import { createVsmeReport, type Turnover, type VsmeReport } from "../../domain/inventory/vsme.js";
import type { VsmeTarget } from "../../domain/inventory/vsme-targets.js";
import { isLei, LEI_SCHEME, type ReportingEntity } from "../../domain/inventory/xbrl-json.js";
import { isCurrencyCode } from "../../domain/texts/currencies.js";
import { cutText } from "../../domain/texts/text-limits.js";
import { type DateRange, listPeriods } from "../../domain/window.js";
import { InvalidInput } from "../action-error.js";

/** A report to compute. */
export interface VsmeRequest {
  readonly year: number;
  /** Name of the business metric with the turnover. */
  readonly turnover?: string | null | undefined;
  /** Legal Entity Identifier. */
  readonly lei?: string | null | undefined;
}

/** A report, and the organization it is about. */
export interface EntityReport extends VsmeReport {
  readonly entity: ReportingEntity;
}

/**
 * Computes the VSME report of a year from the current records. Returns null if no policy applies to the year. Throws
 * InvalidInput for a metric that does not exist or is not in a currency, and for an invalid LEI.
 */
export async function readVsmeReport(
  { tenant, principal: { organization }, resources: { site } }: Access,
  { year, turnover, lei }: VsmeRequest,
): Promise<EntityReport | null> {
  if (lei != null && !isLei(lei)) {
    const expected = "must be 20 capital letters and digits with the right check digits";
    throw new InvalidInput("organization", "lei", `${expected} (got ${quote(lei)})`);
  }
  const inventory = await readInventory(tenant, { year, holdingsAsOf: null });
  if (inventory === null) return null;
  const { period, policy } = inventory;
  const report = createVsmeReport({
    inventory,
    energy: await readEnergy(tenant, policy, period),
    targets: await readTargets(tenant),
    turnover: turnover == null ? null : readTurnover(turnover, await sumMetrics(tenant, period), period),
  });
  const entity =
    lei == null
      ? { scheme: site.url(), identifier: organization.slug }
      : { scheme: LEI_SCHEME, identifier: lei };
  return { ...report, entity };
}

/**
 * Reads the targets with the amounts of their base and target years. The base amount comes from the year's latest
 * issue.
 */
async function readTargets(tenant: TenantReader): Promise<VsmeTarget[]> {
  const targets = await listTargets(tenant);
  if (targets.length === 0) return [];
  const years = targets.map(({ baseYear }) => baseYear);
  const issued = await listIssuedFigures(tenant, { first: Math.min(...years), last: Math.max(...years) });
  return targets.map((target) => {
    const { scopes, scope2Method: method, baseYear } = target;
    const base = issued.find(({ year }) => year === baseYear);
    const tonnes = base ? sumScopes(base.scopes, scopes, method) : null;
    const amountOf = (year: number) => ({
      amount: year === baseYear ? perUnit(tonnes, undefined) : null,
      issued: true,
    });
    const { baseExact, targetExact } = drawTargetPath(target, amountOf);
    return { ...target, method, baseExact, targetExact: target.targetValueExact ?? targetExact };
  });
}

/** Returns the turnover of a year. Throws InvalidInput if no metric has the name, or if its unit is not a currency. */
function readTurnover(name: string, metrics: readonly MetricTotal[], period: DateRange): Turnover {
  const metric = metrics.find((one) => one.name === name);
  if (!metric) {
    throw new InvalidInput(
      "metric",
      "turnover",
      `must be the name of a business metric (got ${quote(name)})`,
    );
  }
  const { unit, totalExact, months } = metric;
  if (!isCurrencyCode(unit)) {
    const expected = "must be a business metric whose unit is an ISO 4217 code, such as EUR";
    throw new InvalidInput("metric", "turnover", `${expected} (got ${quote(unit)})`);
  }
  const missing = listPeriods(period, "month")
    .map(({ start }) => start.slice(0, 7))
    .filter((month) => !months.includes(month));
  return {
    currency: unit,
    amount:
      missing.length === 0
        ? { value: totalExact }
        : { reason: `${name} has no value for ${missing.join(", ")}.` },
  };
}

const quote = (text: string) => JSON.stringify(cutText(text, 60));
