import { requireAccess } from "../../context.js";
import { listFrameworks, listUpcomingDeadlines } from "../../data/compliance.js";

import { isoDate } from "../../domain/window.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { requirePageSize } from "../page.js";

const DEFAULT_DEADLINES = 10;

export const compliance = {
  Query: { compliance: () => ({}) },
  Compliance: {
    frameworks: (_parent, _args, context) => listFrameworks(requireAccess(context).tenant),
    upcomingDeadlines: (_parent, { first }, context) =>
      listUpcomingDeadlines(requireAccess(context).tenant, {
        from: isoDate(context.request.now),
        limit: requirePageSize(first ?? DEFAULT_DEADLINES),
      }),
  },
  FrameworkState: {
    upcomingDeadlines: ({ framework }, { first }, context) =>
      requireAccess(context).loaders.upcomingDeadlines(
        framework,
        requirePageSize(first ?? DEFAULT_DEADLINES),
      ),
  },
  Deadline: { dueDate: ({ dueDate }) => isoDate(dueDate) },
} satisfies Resolvers;
