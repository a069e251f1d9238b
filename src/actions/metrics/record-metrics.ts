import { write } from "../../data/database/transaction.js";
import type { MetricRow } from "../../data/metrics/metrics.js";
import {
  findMetricState,
  findOwnMetric,
  insertMetric,
  type NewMetric,
  updateMetric,
} from "../../data/metrics/write-metrics.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { findMonthFault, MAX_METRICS, METRIC_VALUE } from "../../domain/emissions/metric-limits.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { ActionError, InvalidInput, requireFound, requireValid, requireVersion } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { assertIdempotent, changesNothing } from "../idempotency.js";
import { readAmount } from "../read-amount.js";
import { readName, readText } from "../read-text.js";

/** The value of a business metric in a month, as the caller sends it. */
export interface MetricInput {
  readonly name: string;
  readonly unit: string;
  readonly month: string;
  /** A decimal in any notation. */
  readonly value: string;
}

export interface RecordedMetric {
  readonly metric: MetricRow;
  /** False if the same value already existed. */
  readonly isNew: boolean;
}

/**
 * Records the value of a business metric in a month. Throws InvalidInput. Throws CONFLICT if the month has a different
 * value or unit, the metric's other months have a different unit, or the organization has the maximum number of
 * metrics.
 */
export function recordMetric(
  { resources, writer, now }: ActorContext,
  input: MetricInput,
): Promise<RecordedMetric> {
  const [name, unit, month, valueExact] = requireValid(
    () => readName("metric", input.name),
    () => readUnit(input.unit),
    () => readMonth(input.month, now),
    () => readValue(input.value),
  );
  const metric: NewMetric = { name, unit, month, valueExact };
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    const { existing, ...others } = await findMetricState(sql, organizationId, name, month);
    if (existing) {
      assertIdempotent("metric", `The metric ${name} of ${month}`, contentOf(existing), contentOf(metric));
      return { metric: existing, isNew: false };
    }
    requireUnit(metric, others.unit);
    if (others.unit === null && others.names >= MAX_METRICS) {
      const message = `The organization already has ${MAX_METRICS} business metrics, the maximum.`;
      throw new ActionError("CONFLICT", "metric", message, "name");
    }
    return { metric: await insertMetric(sql, organizationId, metric), isNew: true };
  });
}

const contentOf = ({ unit, valueExact }: Pick<NewMetric, "unit" | "valueExact">) => ({
  unit,
  value: valueExact,
});

/** Changes to a metric in a month. An omitted value is unchanged. */
export interface MetricChanges {
  readonly value?: string;
  readonly unit?: string;
}

/**
 * Changes the value of a business metric in a month, or the unit of a metric with a single month. Throws InvalidInput
 * and NOT_FOUND, and CONFLICT if the version is not the expected one or the unit differs from the metric's other
 * months.
 */
export function changeMetric(
  { resources, writer }: ActorContext,
  id: string,
  { value, unit }: MetricChanges,
  expectedVersion: number | null | undefined,
): Promise<MetricRow> {
  const [valueExact, newUnit] = requireValid(
    () => (value === undefined ? undefined : readValue(value)),
    () => (unit === undefined ? undefined : readUnit(unit)),
  );
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    const found = await findOwnMetric(sql, organizationId, id);
    const existing = requireFound(found, "metric", id, "business metric");
    const changed = {
      ...existing,
      ...(valueExact !== undefined && { valueExact }),
      ...(newUnit !== undefined && { unit: newUnit }),
    };
    if (changesNothing(existing, changed)) return existing;
    requireVersion("metric", existing.version, expectedVersion);
    const others = await findMetricState(sql, organizationId, existing.name, existing.month);
    requireUnit(changed, others.unit);
    return updateMetric(sql, organizationId, changed);
  });
}

const readUnit = (text: string): string => readText("metric", "unit", text, TEXT_LIMITS.name);
const readValue = (text: string): string => readAmount("metric", "value", text, METRIC_VALUE);

function readMonth(month: string, now: Date): string {
  const fault = findMonthFault(month, now);
  if (fault) throw new InvalidInput("metric", "month", fault);
  return month;
}

/** Throws CONFLICT unless a metric has the unit of its other months, because their values are summed. */
function requireUnit({ name, unit }: Pick<NewMetric, "name" | "unit">, others: string | null): void {
  if (others === null || others === unit) return;
  const message = `The other months of ${name} are in ${others}, got ${unit}.`;
  throw new ActionError("CONFLICT", "metric", message, "unit");
}
