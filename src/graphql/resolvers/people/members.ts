import { requireAccess } from "../../../access/context.js";
import { requirePerson } from "../../../access/principal.js";
import { requireActing } from "../../../actions/acting.js";
import { acceptInvitation, inviteMember, revokeInvitation } from "../../../actions/people/invitations.js";
import { changeMemberRole, removeMember } from "../../../actions/people/members.js";
import { renameOwnOrganization } from "../../../actions/people/organizations.js";
import { countInvitations, listInvitations } from "../../../data/people/invitations.js";
import { countMembers, listMembers } from "../../../data/people/members.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { itself, readConnection } from "../../paging/page.js";
import { objectId } from "../object-id.js";

/** The organization's members, and who is invited to become one. */
export const members = {
  Query: {
    members(_parent, args, context) {
      const access = requireAccess(context);
      requirePerson(access.principal);
      return readConnection(access, args, {
        name: "members",
        parameters: [],
        read: (page) => listMembers(access.tenant, page),
        count: () => countMembers(access.tenant),
        toNode: itself,
      });
    },
    invitations(_parent, args, context) {
      const access = requireAccess(context);
      const { now } = context.request;
      return readConnection(access, args, {
        name: "invitations",
        parameters: [],
        read: (page) => listInvitations(access.tenant, now, page),
        count: () => countInvitations(access.tenant, now),
        toNode: itself,
      });
    },
  },

  Member: {
    id: ({ userId }, _args, context) => objectId(context, "Member", userId),
    user: ({ userId, email, name, userCreatedAt }) => ({ id: userId, email, name, createdAt: userCreatedAt }),
  },

  Mutation: {
    inviteMember: (_parent, { email, role }, context) => inviteMember(requireActing(context), email, role),
    revokeInvitation: (_parent, { id }, context) => revokeInvitation(requireActing(context), id),
    acceptInvitation: (_parent, { token }, context) => acceptInvitation(requireActing(context), token),
    changeMemberRole: (_parent, { userId, role }, context) =>
      changeMemberRole(requireActing(context), userId, role),
    removeMember: (_parent, { userId }, context) => removeMember(requireActing(context), userId),
    renameOrganization: (_parent, { name }, context) => renameOwnOrganization(requireActing(context), name),
  },
} satisfies Resolvers;
