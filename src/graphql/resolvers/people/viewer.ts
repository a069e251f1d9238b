import { requireAccess } from "../../../access/context.js";
import { requireActing } from "../../../actions/acting.js";
import { endSession, livingSessions, renamePerson } from "../../../actions/people/account.js";
import { listMemberships } from "../../../data/people/members.js";
import { countOwnSessions, findOwnSession, listOwnSessions } from "../../../data/people/own-sessions.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { limitList } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";
import { objectId } from "../object-id.js";
import { readRows } from "./rows.js";

/** The person who asks, and what they may change about themselves. */
export const viewer = {
  Query: {
    viewer: (_parent, _args, context) => requireAccess(context).principal.person,
  },

  Viewer: {
    id: ({ user }, _args, context) => objectId(context, "Viewer", user.id),
    organization: (_parent, _args, context) => requireAccess(context).principal.organization,
    scopes: (_parent, _args, context) => requireAccess(context).principal.scopes,
    organizations: async ({ user }, { first }, context) =>
      limitList(await listMemberships(readRows(context), user.id), first, context),
    async session({ user, session }, _args, context) {
      const found = await findOwnSession(readRows(context), user.id, session.id);
      if (found === null) throw new Error(`the session ${session.id} is gone`);
      return found;
    },
    sessions(person, args, context) {
      const living = livingSessions({ person, now: context.request.now });
      return readConnection(requireAccess(context), args, {
        name: "sessions",
        parameters: [person.user.id],
        read: (page) => listOwnSessions(readRows(context), living, page),
        count: () => countOwnSessions(readRows(context), living),
        toNode: itself,
      });
    },
  },

  Membership: {
    id: ({ organization }, _args, context) =>
      objectId(context, "Membership", requireAccess(context).principal.id, organization.id),
  },

  Session: {
    isCurrent: ({ id }, _args, context) => requireAccess(context).principal.person?.session.id === id,
  },

  Mutation: {
    endSession: (_parent, { id }, context) => endSession(requireActing(context), id),
    renameViewer: (_parent, { name }, context) => renamePerson(requireActing(context), name),
  },
} satisfies Resolvers;
