import { requireAccess } from "../../context.js";
import { countDeadlines, type DeadlineFilter, listDeadlines } from "../../data/compliance.js";
import { daysBetween, isoDate } from "../../domain/window.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { readList, readRange, requireSize } from "../arguments.js";
import { itself, readConnection } from "../page.js";

const DEFAULT_DEADLINES = 10;

export const compliance = {
  Query: { compliance: () => ({}) },
  Compliance: {
    frameworks: (_parent, { statuses }, context) =>
      requireAccess(context).loaders.frameworks(readList("statuses", statuses)),
    upcomingDeadlines: (_parent, { first }, context) =>
      requireAccess(context).loaders.upcomingDeadlines(requireSize("first", first ?? DEFAULT_DEADLINES)),
    deadlines(_parent, { filter, ...args }, context) {
      const access = requireAccess(context);
      const wanted: DeadlineFilter = {
        frameworks: readList("filter.frameworks", filter?.frameworks),
        statuses: readList("filter.statuses", filter?.statuses),
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
    upcomingDeadlines: ({ framework }, { first }, context) =>
      requireAccess(context).loaders.upcomingDeadlinesOf(
        framework,
        requireSize("first", first ?? DEFAULT_DEADLINES),
      ),
  },
  Deadline: {
    daysRemaining: ({ dueDate }, _args, context) => daysBetween(isoDate(context.request.now), dueDate),
  },
} satisfies Resolvers;
