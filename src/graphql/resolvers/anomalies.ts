import { type Access, requireAccess } from "../../access/context.js";
import { requireActorContext } from "../../actions/actor-context.js";
import {
  acknowledgeAnomaly,
  keepAcknowledged,
  listAcknowledgements,
  withdrawAcknowledgement,
} from "../../actions/foresight/acknowledge.js";
import { reportEmissionAnomalies } from "../../actions/foresight/emission-anomalies.js";
import { examineMonthly, type Series } from "../../actions/foresight/examine-series.js";
import { listMonthlyCredits, listMonthlyPrices } from "../../actions/foresight/monthly.js";
import { type Anomaly, positionOf, reportAnomalies } from "../../actions/foresight/report-anomalies.js";
import { listRetirementIds } from "../../data/credits/monthly.js";
import { listRecordIds } from "../../data/emissions/records-of-months.js";
import type { InstrumentKey } from "../../data/market/market.js";
import type { Key } from "../../data/tenant/keyset.js";
import { describeSeries } from "../../domain/foresight/anomaly-id.js";
import {
  ANOMALY_CHECKS,
  type AnomalyCheck,
  type Examination,
} from "../../domain/foresight/find-anomalies.js";
import type { Grouping } from "../../domain/foresight/groupings.js";
import { EXAMINED_MONTHS, lastCompleteMonth, monthOf } from "../../domain/foresight/monthly-series.js";
import { once } from "../../domain/once.js";
import { monthNumber } from "../../domain/window.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { readList, refuseArgument, requireMonth } from "../paging/arguments.js";
import { takePage } from "../paging/list-page.js";
import { itself, readConnection } from "../paging/page.js";
import type { AnomaliesModel } from "./models.js";
import { objectId } from "./object-id.js";

const MAX_MONTHS = 60;
const MAX_NOT_EVALUATED = 100;
const MAX_RECORDS = 20;

interface AnomalyArguments {
  readonly checks?: readonly AnomalyCheck[] | null;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly zThreshold: number;
  readonly yoyThreshold: number;
}

function requirePositive(argument: string, value: number): number {
  if (value > 0) return value;
  throw refuseArgument(argument, `expected a number above 0, got ${value}`);
}

function readExamination(
  { checks, zThreshold, yoyThreshold, ...months }: AnomalyArguments,
  now: Date,
): Examination {
  const latest = lastCompleteMonth(now);
  const to = months.to == null ? monthNumber(latest) : monthNumber(requireMonth("to", months.to));
  if (to > monthNumber(latest)) {
    throw refuseArgument("to", `expected at most ${latest}, the last complete month, got ${months.to}`);
  }
  const from =
    months.from == null ? to - EXAMINED_MONTHS + 1 : monthNumber(requireMonth("from", months.from));
  if (from > to) throw refuseArgument("to", `expected ${monthOf(from)} or later, got ${monthOf(to)}`);
  if (to - from >= MAX_MONTHS) {
    throw refuseArgument("from", `expected at most ${MAX_MONTHS} months, got ${to - from + 1}`);
  }
  return {
    types: checks && checks.length > 0 ? [...new Set(checks)].sort() : ANOMALY_CHECKS,
    from: monthOf(from),
    to: monthOf(to),
    zThreshold: requirePositive("zThreshold", zThreshold),
    yoyThreshold: requirePositive("yoyThreshold", yoyThreshold),
  };
}

/** Finds the anomalies of a series. `recordIdsOf` finds the ids of the records behind them. */
async function reportMonthly(
  { tenant }: Access,
  of: readonly unknown[],
  series: Series,
  examination: Examination,
  recordIdsOf: AnomaliesModel["recordIdsOf"],
): Promise<AnomaliesModel> {
  const { from, to } = examination;
  const report = await reportAnomalies([series], examination, tenant);
  return { ...report, from, to, of: [...of, examination], recordIdsOf };
}

/** Anomalies of emissions, retired credits and prices. */
export const anomalies = {
  Emissions: {
    async anomalies(_parent, { by, ...args }: AnomalyArguments & { readonly by: Grouping }, context) {
      const access = requireAccess(context);
      const examination = readExamination(args, context.request.now);
      const report = await reportEmissionAnomalies(access, by, examination);
      const recordIdsOf: AnomaliesModel["recordIdsOf"] = (found) =>
        listRecordIds(
          access.tenant,
          found.map(({ month, series: { facility, scope, category } }) => ({
            month,
            facility,
            scope,
            category,
          })),
          MAX_RECORDS,
        );
      const { from, to } = examination;
      return { ...report, from, to, of: ["emissions", by, examination], recordIdsOf };
    },
  },
  CreditPortfolio: {
    async anomalies(_parent, args: AnomalyArguments, context) {
      const access = requireAccess(context);
      const { tenant } = access;
      const examination = readExamination(args, context.request.now);
      const retired = await listMonthlyCredits(tenant, context.request.now);
      const series = examineMonthly({ credits: true }, retired, examination);
      return reportMonthly(access, ["credits"], series, examination, (found) =>
        Promise.all(found.map(({ month }) => listRetirementIds(tenant, month, MAX_RECORDS))),
      );
    },
  },
  Market: {
    async anomalies(_parent, { creditType, exchange, ...args }: AnomalyArguments & InstrumentKey, context) {
      const access = requireAccess(context);
      const examination = readExamination(args, context.request.now);
      const instrument = { creditType, exchange };
      const prices = await listMonthlyPrices(access.tenant, instrument, context.request.now);
      const ids = new Map(prices.amounts.map(({ month, id }) => [month, id]));
      return reportMonthly(
        access,
        ["market", creditType, exchange],
        examineMonthly(instrument, prices, examination),
        examination,
        async (found) => found.map(({ month }) => [ids.get(month) ?? []].flat()),
      );
    },
  },
  Anomalies: {
    id: ({ of }, _args, context) => objectId(context, "Anomalies", of),
    evaluatedSeries: ({ evaluated }) => evaluated,
    evaluatedMonths: ({ from, to }) => monthNumber(to) - monthNumber(from) + 1,
    notEvaluated: ({ notEvaluated }) => notEvaluated.slice(0, MAX_NOT_EVALUATED),
    skippedSeries: ({ notEvaluated }) =>
      notEvaluated.slice(0, MAX_NOT_EVALUATED).map((series) => ({ series, reason: "INSUFFICIENT_DATA" })),
    async items(report, { isAcknowledged, severities: wanted, orderBy, ...args }, context) {
      const access = requireAccess(context);
      const { tenant } = access;
      const { of, at, placeOf, recordIdsOf } = report;
      const severities = readList("severities", wanted);
      const known =
        isAcknowledged == null ? report.found : await keepAcknowledged(tenant, report, isAcknowledged);
      const found = severities ? await report.ofSeverity(known, severities) : known;
      const ordered =
        orderBy === "severity"
          ? await report.bySeverity(found)
          : { places: found, positionOf: (place: number) => positionOf(found, place) };
      const findPlace = ([id = ""]: Key) => {
        const place = placeOf(id);
        return place === undefined ? -1 : ordered.positionOf(place);
      };
      return readConnection(access, args, {
        name: "anomalies",
        // Omitted if the caller neither filters nor sorts, so that older cursors stay valid.
        parameters: [
          ...of,
          ...(isAcknowledged == null ? [] : [isAcknowledged]),
          ...(severities ? [severities] : []),
          ...(orderBy === "severity" ? [orderBy] : []),
        ],
        read: async (page) => {
          const { rows, ...rest } = takePage(ordered.places, (place) => [at(place).id], page, findPlace);
          const shown = rows.map(at);
          // Reads the ids for a page together, and only if the operation selects them.
          const recordIds = once(() => recordIdsOf(shown));
          const acknowledgements = once(() => listAcknowledgements(tenant, shown));
          const withPage = (anomaly: Anomaly, index: number) => ({
            ...anomaly,
            of,
            recordIds: async () => (await recordIds())[index] ?? [],
            acknowledgement: async () => (await acknowledgements())[index] ?? null,
          });
          return { ...rest, rows: shown.map(withPage) };
        },
        count: async () => found.length,
        toNode: itself,
      });
    },
  },
  Anomaly: {
    id: ({ of, id }, _args, context) => objectId(context, "Anomaly", of, id),
    anomalyId: ({ id }) => id,
    isTrailing: ({ trailing }) => trailing,
    isAcknowledged: async ({ acknowledgement }) => (await acknowledgement()) !== null,
  },
  AnomalyAcknowledgement: {
    id: ({ anomalyId }, _args, context) => objectId(context, "AnomalyAcknowledgement", anomalyId),
    acknowledgedById: ({ acknowledgedBy }) => acknowledgedBy,
    // API keys and most service accounts may not read members.
    acknowledgedByName: async ({ acknowledgedBy }, _args, context) => {
      const { principal, loaders } = requireAccess(context);
      return principal.person && ((await loaders.memberName(acknowledgedBy))?.name ?? null);
    },
  },
  AnomalySeries: { name: describeSeries },
  Mutation: {
    async acknowledgeAnomaly(_parent, { input: { anomalyId, note } }, context) {
      const { tenant } = requireAccess(context);
      return {
        acknowledgement: await acknowledgeAnomaly(requireActorContext(context), tenant, anomalyId, note),
      };
    },
    async withdrawAcknowledgement(_parent, { input: { anomalyId } }, context) {
      return { acknowledgement: await withdrawAcknowledgement(requireActorContext(context), anomalyId) };
    },
  },
} satisfies Resolvers;
