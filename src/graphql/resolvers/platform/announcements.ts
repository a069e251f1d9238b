import { type Context, requireAccess } from "../../../access/context.js";
import { requireActing } from "../../../actions/acting.js";
import {
  changeAnnouncement,
  createAnnouncement,
  deleteAnnouncement,
  dismissAnnouncement,
} from "../../../actions/announcements/announcements.js";
import { listActive, listAll } from "../../../data/announcements/announcements.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { takePage } from "../../paging/list-page.js";
import { itself, readConnection } from "../../paging/page.js";

/** Every announcement, for a super admin. */
const readAll = (context: Context) => {
  const { resources, loaders } = requireAccess(context);
  return loaders.shared(["allAnnouncements"], () =>
    context.request.inTime(() => listAll(resources.database)),
  );
};

/** What those who run the platform tell those who use it. */
export const announcements = {
  Query: {
    activeAnnouncements(_parent, _args, context) {
      const { tenant, principal } = requireAccess(context);
      return listActive(tenant, principal.person?.role ?? null, context.request.now);
    },
    announcements(_parent, args, context) {
      return readConnection(requireAccess(context), args, {
        name: "announcements",
        parameters: [],
        read: async (page) => takePage(await readAll(context), ({ id }) => [id], page),
        count: async () => (await readAll(context)).length,
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
    createAnnouncement: (_parent, { input }, context) => createAnnouncement(requireActing(context), input),
    updateAnnouncement: (_parent, { id, patch, expectedVersion }, context) =>
      changeAnnouncement(requireActing(context), id, patch, expectedVersion),
    deleteAnnouncement: (_parent, { id, expectedVersion }, context) =>
      deleteAnnouncement(requireActing(context), id, expectedVersion),
    dismissAnnouncement: (_parent, { id }, context) => dismissAnnouncement(requireActing(context), id),
  },
} satisfies Resolvers;
