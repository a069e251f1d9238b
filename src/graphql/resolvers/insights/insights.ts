import { type Access, type Context, requireAccess } from "../../../access/context.js";
import { listComplianceInsights } from "../../../actions/insights/compliance-insights.js";
import { listCreditInsights } from "../../../actions/insights/credit-insights.js";
import { listEmissionInsights } from "../../../actions/insights/emission-insights.js";
import { listMarketInsights } from "../../../actions/insights/market-insights.js";
import { DEADLINE_DAYS } from "../../../domain/insights/due-deadlines.js";
import {
  type Insight,
  type InsightDays,
  insightId,
  orderInsights,
} from "../../../domain/insights/insight.js";
import { PRICE_DAYS } from "../../../domain/insights/price-moves.js";
import { addDays, type DateRange, isoDate, lastTwelveMonths } from "../../../domain/window.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { readDate, requireRange, requireSize } from "../../paging/arguments.js";
import { objectId } from "../object-id.js";
import { INSIGHT_QUERIES } from "./queries.js";

const MAX_INSIGHTS = 20;

interface InsightArguments {
  readonly from?: string | null;
  readonly to?: string | null;
  readonly first: number;
}

/** Creates a module's `insights` field. `rangeOf` completes the range that the caller gave. */
const insightsOf =
  (
    list: (access: Access, days: InsightDays, now: Date) => Promise<(Insight | null)[]>,
    rangeOf: (given: Partial<DateRange>, now: Date) => DateRange,
  ) =>
  async (_parent: unknown, { from, to, first }: InsightArguments, context: Context) => {
    requireSize("first", first, MAX_INSIGHTS);
    const { now } = context.request;
    const given = {
      ...(from != null && { from: readDate("from", from) ?? from }),
      ...(to != null && { to: readDate("to", to) ?? to }),
    };
    const range = requireRange("range", rangeOf(given, now));
    const insights = await list(requireAccess(context), { ...range, hasFirstDay: from != null }, now);
    return orderInsights(insights).slice(0, first);
  };

const dayOf = (text: string) => new Date(`${text}T00:00:00Z`);

const yearTo = ({ from, to }: Partial<DateRange>, now: Date): DateRange => ({
  ...lastTwelveMonths(to === undefined ? now : dayOf(to)),
  ...(from !== undefined && { from }),
});

/** Insights of each module. */
export const insights = {
  Emissions: { insights: insightsOf(listEmissionInsights, yearTo) },
  CreditPortfolio: { insights: insightsOf(listCreditInsights, yearTo) },
  Compliance: {
    insights: insightsOf(listComplianceInsights, ({ from = null, to = null }, now) => {
      const start = from ?? isoDate(now);
      return { from: start, to: to ?? addDays(dayOf(start), DEADLINE_DAYS) };
    }),
  },
  Market: {
    insights: insightsOf(listMarketInsights, ({ from = null, to = null }, now) => {
      const end = to ?? isoDate(now);
      return { from: from ?? addDays(dayOf(end), -PRICE_DAYS), to: end };
    }),
  },
  Insight: {
    id: (insight, _args, context) => objectId(context, "Insight", insightId(insight), insight.query),
    insightId,
    series: ({ series }) => series ?? null,
    query: ({ query }) => ({ ...query, document: INSIGHT_QUERIES[query.name] ?? "" }),
    recordIds: ({ recordIds }) => recordIds ?? [],
    sourceUrl: ({ sourceUrl }) => sourceUrl ?? null,
  },
} satisfies Resolvers;
