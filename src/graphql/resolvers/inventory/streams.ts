import { requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { judgeLine, withdrawJudgement } from "../../../actions/inventory/judge-line.js";
import { mapStream } from "../../../actions/inventory/map-stream.js";
import { countStreams, listStreams } from "../../../data/inventory/streams.js";
import { suggestLine } from "../../../domain/inventory/suggested-lines.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { itself, readConnection } from "../../paging/page.js";
import { floatOf } from "../floats.js";

export type { JudgementRow as InventoryJudgementModel } from "../../../data/inventory/judgements.js";
export type { StreamRow as EmissionStreamModel } from "../../../data/inventory/streams.js";

/** Emission streams with their lines, and judgements on lines without records. */
export const streams = {
  Query: {
    emissionStreams(_parent, { isUnmapped = null, ...args }, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "emissionStreams",
        parameters: [isUnmapped],
        read: (page) => listStreams(access.tenant, isUnmapped, page),
        count: () => countStreams(access.tenant, isUnmapped),
        toNode: itself,
      });
    },
  },

  EmissionStream: {
    async suggestedLine(stream, _args, context) {
      const factors = await requireAccess(context).loaders.factorsOfStream(stream);
      const categories = factors.map(({ factorCategory }) => factorCategory);
      return suggestLine(stream.scope, categories);
    },
    activityUncertaintyPercent: floatOf("activityUncertaintyPercent"),
    factorUncertaintyPercent: floatOf("factorUncertaintyPercent"),
    co2eTonnes: floatOf("co2eTonnes"),
  },

  Mutation: {
    mapStream: async (_parent, { input: { expectedVersion, ...stream } }, context) => ({
      stream: await mapStream(requireActorContext(context), stream, expectedVersion),
    }),
    judgeLine: async (_parent, { input }, context) => ({
      judgement: await judgeLine(requireActorContext(context), input),
    }),
    withdrawLineJudgement: async (_parent, { input }, context) => ({
      judgement: await withdrawJudgement(requireActorContext(context), input),
    }),
  },
} satisfies Resolvers;
