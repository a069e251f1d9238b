import { type Context, requireAccess } from "../../../access/context.js";
import { requireActorContext, requirePersonContext } from "../../../actions/actor-context.js";
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

/** Reads all announcements, for a super admin. */
const readAll = (context: Context) => {
  const { resources, loaders } = requireAccess(context);
  return loaders.shared(["allAnnouncements"], () =>
    context.request.inTime(() => listAll(resources.database)),
  );
};

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
