import { requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { changeMetric, recordMetric } from "../../../actions/metrics/record-metrics.js";
import { countMetrics, findMetric, listMetrics } from "../../../data/metrics/metrics.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { readList } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";
import { floatOf } from "../floats.js";

/** The organization's business metrics. */
export const metrics = {
  Query: {
    businessMetrics(_parent, { name, ...args }, context) {
      const access = requireAccess(context);
      const [wanted = null] = readList("name", name == null ? null : [name]) ?? [];
      return readConnection(access, args, {
        name: "businessMetrics",
        parameters: [wanted],
        read: (page) => listMetrics(access.tenant, wanted, page),
        count: () => countMetrics(access.tenant, wanted),
        toNode: itself,
      });
    },
    businessMetric: (_parent, { id }, context) => findMetric(requireAccess(context).tenant, id),
  },

  BusinessMetric: { value: floatOf("value") },

  Mutation: {
    recordBusinessMetric: (_parent, { input }, context) => recordMetric(requireActorContext(context), input),
    async updateBusinessMetric(_parent, { input: { id, value, unit, expectedVersion } }, context) {
      const changes = { ...(value != null && { value }), ...(unit != null && { unit }) };
      return { metric: await changeMetric(requireActorContext(context), id, changes, expectedVersion) };
    },
  },
} satisfies Resolvers;
