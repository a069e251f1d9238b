import { type Context, requireAccess } from "../../access/context.js";
import { requireActorContext } from "../../actions/actor-context.js";
import { changePeriod, recordPeriod } from "../../actions/compliance/record-ccts.js";
import { surrenderCertificates } from "../../actions/compliance/surrender.js";
import { countPeriods, listPeriods, type PeriodRow } from "../../data/compliance/ccts.js";
import { computeCompensation, computePosition } from "../../domain/compliance/ccts-position.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { requireSafe } from "../paging/arguments.js";
import { itself, readConnection } from "../paging/page.js";
import { toFloat } from "./floats.js";
import { requireRow } from "./require-row.js";

const findPeriod = (context: Context, id: string) =>
  requireAccess(context).loaders.cctsPeriod(id.toLowerCase());

const requirePeriod = async (context: Context, id: string): Promise<PeriodRow> =>
  requireRow(await findPeriod(context, id), `CCTS period ${id}`);

/** Returns the compensation due for a period, in rupees; 0 without a shortfall, otherwise null without a price. */
function compensationOf(period: PeriodRow): string | null {
  const shortfall = computePosition(period).toSurrender - BigInt(period.surrendered);
  return computeCompensation(shortfall, period.averagePrice);
}

/** Resolvers for India's Carbon Credit Trading Scheme. */
export const ccts = {
  Query: { cctsPeriod: (_parent, { id }, context) => findPeriod(context, id) },
  Compliance: {
    cctsPeriods(_parent, args, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "cctsPeriods",
        parameters: [],
        read: (page) => listPeriods(access.tenant, page),
        count: () => countPeriods(access.tenant),
        toNode: itself,
      });
    },
  },
  CctsPeriod: {
    targetGei: ({ targetGei }) => Number(targetGei),
    targetGeiExact: ({ targetGei }) => targetGei,
    achievedGei: ({ achievedGei }) => Number(achievedGei),
    achievedGeiExact: ({ achievedGei }) => achievedGei,
    output: ({ output }) => Number(output),
    outputExact: ({ output }) => output,
    averagePrice: ({ averagePrice }) => toFloat(averagePrice),
    averagePriceExact: ({ averagePrice }) => averagePrice,
    surplus: (period) => Number(computePosition(period).surplus),
    surplusExact: (period) => computePosition(period).surplus,
    toIssue: (period) => requireSafe("toIssue", computePosition(period).toIssue),
    toSurrender: (period) => requireSafe("toSurrender", computePosition(period).toSurrender),
    surrendered: ({ surrendered }) => requireSafe("surrendered", BigInt(surrendered)),
    compensation: (period) => toFloat(compensationOf(period)),
    compensationExact: compensationOf,
    compensationMessage: (period) =>
      compensationOf(period) === null ? "The average price of the cycle has not been recorded." : null,
  },
  RecordCctsPeriodPayload: { period: ({ id }, _args, context) => requirePeriod(context, id) },

  Mutation: {
    recordCctsPeriod: (_parent, { input }, context) => recordPeriod(requireActorContext(context), input),
    async updateCctsPeriod(_parent, { input }, context) {
      const { id, expectedVersion, targetGei, targetSourceUrl, achievedGei, output, averagePrice } = input;
      const changes = {
        ...(targetGei != null && { targetGei }),
        ...(targetSourceUrl != null && { targetSourceUrl }),
        ...(achievedGei != null && { achievedGei }),
        ...(output != null && { output }),
        // Null removes it.
        ...(averagePrice !== undefined && { averagePrice }),
      };
      await changePeriod(requireActorContext(context), id, changes, expectedVersion);
      return { period: await requirePeriod(context, id) };
    },
    surrenderCcts: async (_parent, { input }, context) => ({
      period: await requirePeriod(context, await surrenderCertificates(requireActorContext(context), input)),
    }),
  },
} satisfies Resolvers;
