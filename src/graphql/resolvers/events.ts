import { requireAccess } from "../../access/context.js";
import { readEventStart, readEventTypes } from "../../actions/events/read-events.js";
import { listEvents } from "../../data/events/events.js";
import { MAX_LIST_SIZE } from "../../domain/page.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { requireSize } from "../paging/arguments.js";
import { objectId } from "./object-id.js";

export const events = {
  Query: {
    events(_parent, { after, types, first }, context) {
      const { principal, tenant, resources } = requireAccess(context);
      return listEvents(tenant, {
        after: readEventStart(after),
        types: readEventTypes(principal, types),
        limit: requireSize("first", first, MAX_LIST_SIZE),
        now: context.request.now,
        url: resources.site.url(),
      });
    },
  },
  EventPage: {
    id: ({ head, next }, _args, context) => objectId(context, "EventPage", head, next),
    items: ({ events }) => events,
    nextCursor: ({ next }) => next,
  },
  Event: {
    time: ({ time }) => new Date(time),
    timestamp: ({ timestamp }) => new Date(timestamp),
  },
} satisfies Resolvers;
