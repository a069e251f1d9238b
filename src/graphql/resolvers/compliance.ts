import { requireAccess } from "../../access/context.js";
import { countDeadlines, type DeadlineFilter, listDeadlines } from "../../data/compliance/compliance.js";
import { daysBetween, isoDate } from "../../domain/window.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { readList, readNames, readRange, requireSize } from "../paging/arguments.js";
import { itself, readConnection } from "../paging/page.js";
import { objectId } from "./object-id.js";

const DEFAULT_DEADLINES = 10;
/** Later than any deadline. */
const LAST_DAY = "9999-12-31";

export const compliance = {
  Query: { compliance: () => ({}) },
  Compliance: {
    id: (_parent, _args, context) => objectId(context, "Compliance"),
    frameworks: (_parent, { statuses }, context) =>
      requireAccess(context).loaders.frameworks(readList("statuses", statuses)),
    upcomingDeadlines: (_parent, { first }, context) =>
      requireAccess(context).loaders.upcomingDeadlines(requireSize("first", first ?? DEFAULT_DEADLINES)),
    deadlines(_parent, { filter, ...args }, context) {
      const access = requireAccess(context);
      const wanted: DeadlineFilter = {
        frameworks: readList("filter.frameworks", filter?.frameworks),
        statuses: readNames("filter.statuses", filter?.statuses),
        dueDate: readRange("filter.dueDate", filter?.dueDate),
      };
      return readConnection(access, args, {
        name: "deadlines",
        parameters: [wanted],
        read: (page) => listDeadlines(access.tenant, wanted, page),
        count: () => countDeadlines(access.tenant, wanted),
        toNode: itself,
      });
    },
  },
  FrameworkState: {
    id: ({ framework }, _args, context) => objectId(context, "FrameworkState", framework),
    upcomingDeadlines: ({ framework }, { first }, context) =>
      requireAccess(context).loaders.deadlinesOf(framework, {
        filter: { dueDate: { from: isoDate(context.request.now), to: LAST_DAY } },
        descending: false,
        limit: requireSize("first", first ?? DEFAULT_DEADLINES),
      }),
    deadlines: ({ framework }, { filter, order, first }, context) =>
      requireAccess(context).loaders.deadlinesOf(framework, {
        filter: {
          statuses: readNames("filter.statuses", filter?.statuses),
          dueDate: readRange("filter.dueDate", filter?.dueDate),
        },
        descending: order === "desc",
        limit: requireSize("first", first),
      }),
  },
  Deadline: {
    daysRemaining: ({ dueDate }, _args, context) => daysBetween(isoDate(context.request.now), dueDate),
  },
} satisfies Resolvers;
