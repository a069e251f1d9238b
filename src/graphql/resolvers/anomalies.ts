import { requireAccess } from "../../access/context.js";
import { requireActing } from "../../actions/acting.js";
import { acknowledgeAnomaly, keepAcknowledged } from "../../actions/foresight/acknowledge.js";
import { type Anomaly, reportAnomalies } from "../../actions/foresight/anomalies.js";
import { listMonthlyCredits, listMonthlyPrices } from "../../actions/foresight/monthly.js";
import { listEmissionSeries, type Series } from "../../actions/foresight/series.js";
import { listRetirementIds } from "../../data/credits/monthly.js";
import { listRecordIds } from "../../data/emissions/records-of-months.js";
import type { InstrumentKey } from "../../data/market/market.js";
import { describeSeries } from "../../domain/foresight/finding-id.js";
import { ANOMALY_TYPES, type AnomalyType, type Examination } from "../../domain/foresight/findings.js";
import type { Grouping } from "../../domain/foresight/groupings.js";
import { lastCompleteMonth, monthOf } from "../../domain/foresight/series.js";
import { endOfMonth, isMonth, monthNumber } from "../../domain/window.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { refuseArgument } from "../paging/arguments.js";
import { takePage } from "../paging/list-page.js";
import { itself, readConnection } from "../paging/page.js";
import type { AnomaliesModel } from "./models.js";
import { objectId } from "./object-id.js";

const DEFAULT_MONTHS = 24;
const MOST_MONTHS = 60;
const MOST_NOT_EVALUATED = 100;
const MOST_RECORDS = 20;
const YEAR = 12;

interface AnomalyArguments {
  readonly types?: readonly AnomalyType[] | null;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly zThreshold: number;
  readonly yoyThreshold: number;
}

function readMonth(argument: string, text: string): number {
  if (isMonth(text)) return monthNumber(text);
  throw refuseArgument(
    argument,
    `expected a month, such as 2026-05, got ${JSON.stringify(text.slice(0, 60))}`,
  );
}

function requirePositive(argument: string, value: number): number {
  if (value > 0) return value;
  throw refuseArgument(argument, `expected a number above 0, got ${value}`);
}

function readExamination(
  { types, zThreshold, yoyThreshold, ...months }: AnomalyArguments,
  now: Date,
): Examination {
  const latest = lastCompleteMonth(now);
  const to = months.to == null ? monthNumber(latest) : readMonth("to", months.to);
  if (to > monthNumber(latest)) {
    throw refuseArgument(
      "to",
      `expected ${latest} or earlier, which is the last complete month, got ${months.to}`,
    );
  }
  const from = months.from == null ? to - DEFAULT_MONTHS + 1 : readMonth("from", months.from);
  if (from > to) throw refuseArgument("to", `expected ${monthOf(from)} or later, got ${monthOf(to)}`);
  if (to - from >= MOST_MONTHS) {
    throw refuseArgument("from", `expected at most ${MOST_MONTHS} months, got ${to - from + 1}`);
  }
  return {
    types: types && types.length > 0 ? [...new Set(types)].sort() : ANOMALY_TYPES,
    ...{ from: monthOf(from), to: monthOf(to) },
    zThreshold: requirePositive("zThreshold", zThreshold),
    yoyThreshold: requirePositive("yoyThreshold", yoyThreshold),
  };
}

/** What is unusual in series, whose records `recordIdsOf` finds. */
function report(
  of: readonly unknown[],
  series: readonly Series[],
  examination: Examination,
  recordIdsOf: AnomaliesModel["recordIdsOf"],
): AnomaliesModel {
  const { from, to } = examination;
  return { ...reportAnomalies(series, examination), from, to, of: [...of, examination], recordIdsOf };
}

/** What is unusual in emissions, retired credits and prices. */
export const anomalies = {
  Emissions: {
    async anomalies(_parent, { by, ...args }: AnomalyArguments & { readonly by: Grouping }, context) {
      const { tenant } = requireAccess(context);
      const examination = readExamination(args, context.request.now);
      const { from, to } = examination;
      const range = {
        from: `${monthOf(monthNumber(from) - YEAR)}-01`,
        to: endOfMonth(new Date(`${to}-01T00:00:00Z`), 0),
      };
      const series = await listEmissionSeries(tenant, by, range);
      return report(["emissions", by], series, examination, (found) =>
        listRecordIds(
          tenant,
          found.map(({ month, series: { facility, scope, category } }) => ({
            month,
            facility,
            scope,
            category,
          })),
          MOST_RECORDS,
        ),
      );
    },
  },
  CreditPortfolio: {
    async anomalies(_parent, args: AnomalyArguments, context) {
      const { tenant } = requireAccess(context);
      const examination = readExamination(args, context.request.now);
      const retired = await listMonthlyCredits(tenant, context.request.now);
      return report(["credits"], [{ key: { credits: true }, ...retired }], examination, (found) =>
        Promise.all(found.map(({ month }) => listRetirementIds(tenant, month, MOST_RECORDS))),
      );
    },
  },
  Market: {
    async anomalies(_parent, { creditType, exchange, ...args }: AnomalyArguments & InstrumentKey, context) {
      const { tenant } = requireAccess(context);
      const examination = readExamination(args, context.request.now);
      const prices = await listMonthlyPrices(tenant, { creditType, exchange }, context.request.now);
      const ids = new Map(prices.amounts.map(({ month, id }) => [month, id]));
      return report(
        ["market", creditType, exchange],
        [{ key: { creditType, exchange }, ...prices }],
        examination,
        async (found) => found.map(({ month }) => [ids.get(month) ?? []].flat()),
      );
    },
  },
  Anomalies: {
    id: ({ of }, _args, context) => objectId(context, "Anomalies", of),
    evaluatedSeries: ({ evaluated }) => evaluated,
    notEvaluated: ({ notEvaluated }) => notEvaluated.slice(0, MOST_NOT_EVALUATED),
    async findings({ anomalies, of, recordIdsOf }, { acknowledged, ...args }, context) {
      const { tenant } = requireAccess(context);
      const found =
        acknowledged == null ? anomalies : await keepAcknowledged(tenant, anomalies, acknowledged);
      return readConnection(requireAccess(context), args, {
        name: "findings",
        // Left out if it is not asked for, so that older cursors stay good.
        parameters: acknowledged == null ? of : [...of, acknowledged],
        read: async (page) => {
          const { rows, ...rest } = takePage(found, ({ id }) => [id], page);
          // Those of a page are read together, and only if they are asked for.
          const recordIds = once(() => recordIdsOf(rows));
          const looked = once(async () => new Set(await keepAcknowledged(tenant, rows, true)));
          const withPage = (row: Anomaly, index: number) => ({
            ...{ ...row, of, recordIds: async () => (await recordIds())[index] ?? [] },
            acknowledged: async () => (await looked()).has(row),
          });
          return { ...rest, rows: rows.map(withPage) };
        },
        count: async () => found.length,
        toNode: itself,
      });
    },
  },
  Anomaly: {
    id: ({ of, id }, _args, context) => objectId(context, "Anomaly", of, id),
    findingId: ({ id }) => id,
  },
  AnomalySeries: { name: describeSeries },
  Mutation: {
    acknowledgeAnomaly: (_parent, { findingId, note }, context) =>
      acknowledgeAnomaly(requireActing(context), requireAccess(context).tenant, findingId, note),
  },
} satisfies Resolvers;

/** Computes a value when it is first asked for. */
function once<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}
