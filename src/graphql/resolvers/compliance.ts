import { requireAccess } from "../../access/context.js";
import { requireActorContext } from "../../actions/actor-context.js";
import { adoptDeadlines, isDuty, listCatalogue, listEvents } from "../../actions/compliance/adopt.js";
import {
  changeDeadline,
  completeDeadline,
  createDeadline,
} from "../../actions/compliance/change-deadlines.js";
import { setFrameworkStatus } from "../../actions/compliance/frameworks.js";
import {
  countDeadlines,
  type DeadlineFilter,
  findDeadline,
  listDeadlines,
} from "../../data/compliance/compliance.js";
import { isOverdue } from "../../domain/compliance/deadlines.js";
import { daysBetween, isoDate } from "../../domain/window.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { readDate, readList, readNames, readRange, requireSize } from "../paging/arguments.js";
import { itself, readConnection } from "../paging/page.js";
import { objectId } from "./object-id.js";

const DEFAULT_DEADLINES = 10;
/** Later than any deadline. */
const LAST_DAY = "9999-12-31";

export const compliance = {
  Query: {
    compliance: () => ({}),
    deadline: (_parent, { id }, context) => findDeadline(requireAccess(context).tenant, id),
  },
  Compliance: {
    id: (_parent, _args, context) => objectId(context, "Compliance"),
    frameworks: (_parent, { statuses }, context) =>
      requireAccess(context).loaders.frameworks(readList("statuses", statuses)),
    upcomingDeadlines: (_parent, { first }, context) =>
      requireAccess(context).loaders.upcomingDeadlines(requireSize("first", first ?? DEFAULT_DEADLINES)),
    async deadlines(_parent, { filter, ...args }, context) {
      const access = requireAccess(context);
      const wanted: DeadlineFilter = {
        frameworks: readList("filter.frameworks", filter?.frameworks),
        statuses: readNames(
          "filter.statuses",
          filter?.states ? [...filter.states, ...(filter.statuses ?? [])] : filter?.statuses,
        ),
        dueDate: readRange("filter.dueDate", filter?.dueDate),
        // Omitted if the caller does not filter, so that older cursors stay valid.
        ...(filter?.dueFrom != null && { dueFrom: readDate("filter.dueFrom", filter.dueFrom) }),
        ...(filter?.dueTo != null && { dueTo: readDate("filter.dueTo", filter.dueTo) }),
        ...(filter?.isOverdue != null && {
          overdue: { is: filter.isOverdue, today: isoDate(context.request.now) },
        }),
        ...(filter?.isDuty != null && { duty: { is: filter.isDuty, events: await listEvents() } }),
      };
      return readConnection(access, args, {
        name: "deadlines",
        parameters: [wanted],
        read: (page) => listDeadlines(access.tenant, wanted, page),
        count: () => countDeadlines(access.tenant, wanted),
        toNode: itself,
      });
    },
    cataloguedDeadlines: (_parent, { framework }) => listCatalogue(framework),
  },
  CataloguedDeadline: {
    isDuty: (entry) => entry.is_duty,
    dueDate: (entry) => entry.due_date,
    sourceUrl: (entry) => entry.source_url,
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
    isDuty,
    daysRemaining: ({ dueDate }, _args, context) => daysBetween(isoDate(context.request.now), dueDate),
    isOverdue: (deadline, _args, context) => isOverdue(deadline, isoDate(context.request.now)),
  },
  Mutation: {
    async setFrameworkStatus(_parent, { input: { expectedVersion, ...request } }, context) {
      return {
        frameworkState: await setFrameworkStatus(requireActorContext(context), request, expectedVersion),
      };
    },
    createDeadline: (_parent, { input }, context) => createDeadline(requireActorContext(context), input),
    async updateDeadline(_parent, { input }, context) {
      const { id, title, dueDate, status, recurrence, owner, completedOn, evidence, expectedVersion } = input;
      const changes = {
        ...(title != null && { title }),
        ...(dueDate != null && { dueDate }),
        ...(status != null && { status }),
        // Null removes the recurrence or the owner.
        ...(recurrence !== undefined && { recurrence }),
        ...(owner !== undefined && { owner }),
        ...(completedOn != null && { completedOn }),
        ...(evidence != null && { evidence }),
      };
      return { deadline: await changeDeadline(requireActorContext(context), id, changes, expectedVersion) };
    },
    adoptDeadlines: (_parent, { input }, context) =>
      adoptDeadlines(requireActorContext(context), input.framework),
    async completeDeadline(_parent, { input }, context) {
      const { id, completedOn, evidence = null, expectedVersion } = input;
      const completion = { completedOn, evidence };
      return {
        deadline: await completeDeadline(requireActorContext(context), id, completion, expectedVersion),
      };
    },
  },
} satisfies Resolvers;
