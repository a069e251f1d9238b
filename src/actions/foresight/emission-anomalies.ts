import type { Access } from "../../access/context.js";
import type { Examination } from "../../domain/foresight/find-anomalies.js";
import type { Grouping } from "../../domain/foresight/groupings.js";
import { chargeForSeries } from "../../limits/cost/series-cost.js";
import { runInSequence } from "../run-in-sequence.js";
import { examineEmissions } from "./examine-series.js";
import { type AnomalyReport, reportAnomalies } from "./report-anomalies.js";

/**
 * Finds anomalies in emissions. All fields of a request share the examined series, whatever their thresholds. They also
 * share the tier's points. Throws BAD_USER_INPUT for more than 20,000 series, or if they cost too many points.
 */
export async function reportEmissionAnomalies(
  access: Access,
  by: Grouping,
  { from, to, ...thresholds }: Examination,
): Promise<AnomalyReport> {
  const { tenant, loaders } = access;
  const charge = (counts: { scored?: number; compared?: number }) => chargeForSeries(access, counts);
  const series = await loaders.shared(["examined", by, from, to], () =>
    runInSequence(access, () => {
      // Charges first, so that nothing is read once the points are spent.
      charge({});
      return examineEmissions(tenant, by, { from, to }, { onCount: (scored) => charge({ scored }) });
    }),
  );
  return loaders.shared(["anomalies", by, from, to, thresholds], () =>
    runInSequence(access, () => {
      charge({ compared: series.length });
      return reportAnomalies(series, thresholds, tenant);
    }),
  );
}
