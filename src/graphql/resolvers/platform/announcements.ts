import { requireAccess } from "../../../access/context.js";
import { requireActorContext, requirePersonContext } from "../../../actions/actor-context.js";
import {
  changeAnnouncement,
  createAnnouncement,
  deleteAnnouncement,
  dismissAnnouncement,
} from "../../../actions/announcements/announcements.js";
import {
  countAnnouncements,
  listActive,
  listAnnouncements,
} from "../../../data/announcements/announcements.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { itself, readConnection } from "../../paging/page.js";

/** Announcements from the platform's operators to its users. */
export const announcements = {
  Query: {
    activeAnnouncements(_parent, _args, context) {
      const { tenant, principal } = requireAccess(context);
      return listActive(
        tenant,
        (principal.person ?? principal.serviceAccount)?.role ?? null,
        context.request.now,
      );
    },
    announcements(_parent, args, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "announcements",
        parameters: [],
        read: (page) => listAnnouncements(access.tenant, page),
        count: () => countAnnouncements(access.tenant),
        toNode: itself,
      });
    },
  },
  Announcement: { bodyMarkdown: ({ body }) => body },
  ManagedAnnouncement: {
    bodyMarkdown: ({ body }) => body,
    audience: ({ audience }) => audience.kind,
    audienceValues: ({ audience }) => audience.values,
  },
  Mutation: {
    createAnnouncement: async (_parent, { input }, context) => ({
      announcement: await createAnnouncement(requireActorContext(context), input),
    }),
    updateAnnouncement: async (_parent, { input: { id, expectedVersion, ...changes } }, context) => ({
      announcement: await changeAnnouncement(requireActorContext(context), id, changes, expectedVersion),
    }),
    deleteAnnouncement: async (_parent, { input: { id, expectedVersion } }, context) => ({
      announcement: await deleteAnnouncement(requireActorContext(context), id, expectedVersion),
    }),
    dismissAnnouncement: async (_parent, { input }, context) => ({
      announcement: await dismissAnnouncement(requirePersonContext(context), input.id),
    }),
  },
} satisfies Resolvers;
