import { write } from "../../data/database/transaction.js";
import {
  type AcknowledgementRow,
  deleteAcknowledgement,
  findAcknowledgements,
  listAcknowledged,
  writeAcknowledgement,
} from "../../data/foresight/acknowledgements.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { readAnomalyId, type SeriesKey } from "../../domain/foresight/anomaly-id.js";
import { ANOMALY_CHECKS } from "../../domain/foresight/find-anomalies.js";
import type { Grouping } from "../../domain/foresight/groupings.js";
import type { Span } from "../../domain/foresight/scored-series.js";
import { isWithinLimit, TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { mapInTurns } from "../../turns.js";
import { requireFound } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { readNote } from "../read-text.js";
import { examineEmissions, examineMonthly, type Series } from "./examine-series.js";
import { completeMonths, listMonthlyCredits, listMonthlyPrices } from "./monthly.js";
import {
  type Anomaly,
  type AnomalyReport,
  type Place,
  positionOf,
  reportAnomalies,
} from "./report-anomalies.js";

/** Returns the value that an acknowledgement confirms: the amount of the month, or the number of periods of a gap. */
export const acknowledgedValue = ({ value, periods }: Pick<Anomaly, "value" | "periods">): number =>
  value ?? periods ?? 0;

/** Maximum number of acknowledgements that a list of anomalies is compared with. */
const MAX_ACKNOWLEDGED = 20_000;

/** Returns the acknowledgement of each anomaly, or null. An acknowledgement ends when the amount changes. */
export async function listAcknowledgements(
  tenant: TenantReader,
  found: readonly Anomaly[],
): Promise<(AcknowledgementRow | null)[]> {
  const ids = found.map(({ id }) => id);
  const rows = await findAcknowledgements(tenant, ids);
  return found.map((anomaly) => {
    const row = rows.get(anomaly.id);
    return row?.value === acknowledgedValue(anomaly) ? row : null;
  });
}

/** Selects the acknowledged anomalies of a report, or the others. Compares the latest 20,000 acknowledgements. */
export async function keepAcknowledged(
  tenant: TenantReader,
  { found, at, placeOf }: AnomalyReport,
  isWanted: boolean,
): Promise<readonly Place[]> {
  const values = await listAcknowledged(tenant, MAX_ACKNOWLEDGED);
  const acknowledged = new Set<Place>();
  await mapInTurns(values, tenant, ([id, value]) => {
    const place = placeOf(id);
    if (place === undefined || positionOf(found, place) < 0) return;
    if (acknowledgedValue(at(place)) === value) acknowledged.add(place);
  });
  const kept: Place[] = [];
  await mapInTurns(found, tenant, (place) => {
    if (acknowledged.has(place) === isWanted) kept.push(place);
  });
  return kept;
}

/**
 * Marks an anomaly as reviewed until its amount changes. Throws InvalidInput for an invalid note, and NOT_FOUND if the
 * current data has no such anomaly, whatever the thresholds.
 */
export async function acknowledgeAnomaly(
  { resources, writer, now }: ActorContext,
  tenant: TenantReader,
  anomalyId: string,
  given: string | null | undefined,
): Promise<AcknowledgementRow> {
  const note = readNote("anomaly", "note", given);
  const found = requireFound(await findAnomaly(tenant, anomalyId, now), "anomaly", anomalyId);
  const acknowledgement = {
    anomalyId,
    value: acknowledgedValue(found),
    note,
    acknowledgedBy: writer.actor.id,
    acknowledgedAt: now,
  };
  await write(resources.database, writer, (sql) =>
    writeAcknowledgement(sql, writer.organizationId, acknowledgement),
  );
  return acknowledgement;
}

/** Removes an acknowledgement, which makes the anomaly new again. Throws NOT_FOUND if it does not exist. */
export async function withdrawAcknowledgement(
  { resources, writer }: ActorContext,
  anomalyId: string,
): Promise<AcknowledgementRow> {
  return write(resources.database, writer, async (sql) => {
    // PostgreSQL cannot store NUL in text.
    const row = anomalyId.includes("\0")
      ? null
      : await deleteAcknowledgement(sql, writer.organizationId, anomalyId);
    return requireFound(row, "anomaly", anomalyId, "anomaly acknowledgement");
  });
}

async function findAnomaly(tenant: TenantReader, id: string, now: Date): Promise<Anomaly | undefined> {
  const read = readAnomalyId(id);
  if (!read || !isWithinLimit(id, TEXT_LIMITS.anomalyId)) return undefined;
  const { from, to } = completeMonths(now);
  const series = await examineSeries(
    tenant,
    read.series,
    { from: from.slice(0, 7), to: to.slice(0, 7) },
    now,
  );
  // Every anomaly exceeds these thresholds.
  const all = { types: ANOMALY_CHECKS, zThreshold: -1, yoyThreshold: 0 };
  const { found, at, placeOf } = await reportAnomalies(series, all, tenant);
  const place = placeOf(id);
  return place !== undefined && positionOf(found, place) >= 0 ? at(place) : undefined;
}

/** Examines series, including the one with this key. */
async function examineSeries(tenant: TenantReader, key: SeriesKey, span: Span, now: Date): Promise<Series[]> {
  if (key.credits) return [examineMonthly(key, await listMonthlyCredits(tenant, now), span)];
  const { creditType, exchange } = key;
  if (creditType !== undefined && exchange !== undefined) {
    return [examineMonthly(key, await listMonthlyPrices(tenant, { creditType, exchange }, now), span)];
  }
  return examineEmissions(tenant, groupingOf(key), span, { only: key });
}

function groupingOf({ facility, scope, category }: SeriesKey): Grouping {
  if (facility !== undefined) return scope ? "facility_and_scope" : "facility";
  if (category !== undefined) return "category";
  return scope ? "scope" : "organization";
}
