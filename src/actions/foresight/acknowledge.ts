import { write } from "../../data/database/transaction.js";
import {
  type AcknowledgementRow,
  findAcknowledged,
  writeAcknowledgement,
} from "../../data/foresight/acknowledgements.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { readFindingId, type SeriesKey } from "../../domain/foresight/finding-id.js";
import { ANOMALY_TYPES } from "../../domain/foresight/findings.js";
import type { Grouping } from "../../domain/foresight/groupings.js";
import { isWithinLimit, TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import type { Acting } from "../acting.js";
import { requireFound } from "../action-error.js";
import { readNote } from "../names.js";
import { type Anomaly, reportAnomalies } from "./anomalies.js";
import { completeMonths, listMonthlyCredits, listMonthlyPrices } from "./monthly.js";
import { listEmissionSeries, type Series } from "./series.js";

/** What an acknowledgement is about: the amount of the month, or the number of periods of a gap. */
export const acknowledgedValue = ({ value, periods }: Pick<Anomaly, "value" | "periods">): number =>
  value ?? periods ?? 0;

/** Those of the findings that are acknowledged, or those that are not. An acknowledgement ends when the amount changes. */
export async function keepAcknowledged<Found extends Anomaly>(
  tenant: TenantReader,
  found: readonly Found[],
  isWanted: boolean,
): Promise<Found[]> {
  const values = await findAcknowledged(
    tenant,
    found.map(({ id }) => id),
  );
  return found.filter((anomaly) => (values.get(anomaly.id) === acknowledgedValue(anomaly)) === isWanted);
}

/**
 * Marks a finding as looked at, for as long as its amount stays the same. Throws InvalidInput for the note, and NOT_FOUND if
 * nothing with the id can be found now, whatever the thresholds.
 */
export async function acknowledgeAnomaly(
  { resources, person, writer, now }: Acting,
  tenant: TenantReader,
  findingId: string,
  given: string | null | undefined,
): Promise<AcknowledgementRow> {
  const note = readNote("anomaly", "note", given);
  const found = requireFound(await findNow(tenant, findingId, now), "anomaly", findingId);
  const acknowledgement = {
    ...{ findingId, value: acknowledgedValue(found), note },
    ...{ acknowledgedBy: person.user.id, acknowledgedAt: now },
  };
  await write(resources.database, writer, (sql) =>
    writeAcknowledgement(sql, writer.organizationId, acknowledgement),
  );
  return acknowledgement;
}

async function findNow(tenant: TenantReader, id: string, now: Date): Promise<Anomaly | undefined> {
  const read = readFindingId(id);
  if (!read || !isWithinLimit(id, TEXT_LIMITS.findingId)) return undefined;
  const { from, to } = completeMonths(now);
  const examination = {
    ...{ types: ANOMALY_TYPES, from: from.slice(0, 7), to: to.slice(0, 7) },
    // Everything is above these.
    ...{ zThreshold: -1, yoyThreshold: 0 },
  };
  const { anomalies } = reportAnomalies(await listSeries(tenant, read.series, now), examination);
  return anomalies.find((anomaly) => anomaly.id === id);
}

/** Series among which is the one with this key. */
async function listSeries(tenant: TenantReader, key: SeriesKey, now: Date): Promise<Series[]> {
  if (key.credits) return [{ key, ...(await listMonthlyCredits(tenant, now)) }];
  const { creditType, exchange } = key;
  if (creditType !== undefined && exchange !== undefined) {
    return [{ key, ...(await listMonthlyPrices(tenant, { creditType, exchange }, now)) }];
  }
  return listEmissionSeries(tenant, groupingOf(key), completeMonths(now));
}

function groupingOf({ facility, scope, category }: SeriesKey): Grouping {
  if (facility !== undefined) return scope ? "facility_and_scope" : "facility";
  if (category !== undefined) return "category";
  return scope ? "scope" : "organization";
}
