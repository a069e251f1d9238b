import type { Access } from "../../access/context.js";
import { readEnergy } from "../../data/inventory/read-energy.js";
import { readInventory } from "../../data/inventory/read-inventory.js";
import { type MetricTotal, sumMetrics } from "../../data/metrics/metrics.js";
import { createVsmeReport, type Turnover, type VsmeReport } from "../../domain/inventory/vsme.js";
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
 * Computes the VSME report of a year from the present records. Null if no policy applies to the year. Throws InvalidInput for
 * a metric that does not exist or is in no currency, and for an identifier with wrong check digits.
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
    targets: [],
    turnover: turnover == null ? null : readTurnover(turnover, await sumMetrics(tenant, period), period),
  });
  const entity =
    lei == null
      ? { scheme: site.url(), identifier: organization.slug }
      : { scheme: LEI_SCHEME, identifier: lei };
  return { ...report, entity };
}

/** Returns the turnover of a year. Throws InvalidInput if no metric has the name, or if its unit is no currency. */
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
