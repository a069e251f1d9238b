import { requireAccess } from "../../../access/context.js";
import { requirePerson } from "../../../access/principal.js";
import { requireScopes } from "../../../access/require-scopes.js";
import { requireActorContext, requirePersonContext } from "../../../actions/actor-context.js";
import { acceptInvitation, inviteMember, revokeInvitation } from "../../../actions/people/invitations.js";
import { changeMemberRole, removeMember } from "../../../actions/people/members.js";
import { renameOwnOrganization } from "../../../actions/people/organizations.js";
import { resetMemberFactors, setSignInPolicy } from "../../../actions/second-factors/policy.js";
import { countInvitations, listInvitations } from "../../../data/people/invitations.js";
import { countMembers, listMembers } from "../../../data/people/members.js";
import { findSecondFactorFrom } from "../../../data/second-factors/policy.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { itself, readConnection } from "../../paging/page.js";
import { isActive } from "../key.js";
import { objectId } from "../object-id.js";

/** The organization's members and pending invitations. */
export const members = {
  Query: {
    members(_parent, args, context) {
      const access = requireAccess(context);
      if (access.principal.serviceAccount) requireScopes(access.principal, [["manage:members"]]);
      else requirePerson(access.principal);
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

  Organization: {
    secondFactorFrom: (organization, _args, context) =>
      isActive(organization, context) ? findSecondFactorFrom(requireAccess(context).tenant) : null,
  },

  Member: {
    hasSecondFactor: ({ hasFactor }, _args, context) =>
      requireAccess(context).principal.scopes.includes("manage:members") ? hasFactor : null,
    hasPassword: ({ hasPassword }, _args, context) =>
      requireAccess(context).principal.scopes.includes("manage:organization") ? hasPassword : null,
    id: ({ userId }, _args, context) => objectId(context, "Member", userId),
    user: ({ userId, email, name, userCreatedAt }) => ({ id: userId, email, name, createdAt: userCreatedAt }),
  },

  Mutation: {
    inviteMember: (_parent, { input: { email, role } }, context) =>
      inviteMember(requireActorContext(context), email, role),
    revokeInvitation: async (_parent, { input }, context) => ({
      invitation: await revokeInvitation(requireActorContext(context), input.id),
    }),
    acceptInvitation: async (_parent, { input }, context) => ({
      membership: await acceptInvitation(requirePersonContext(context), input.token),
    }),
    changeMemberRole: async (_parent, { input: { userId, role } }, context) => ({
      member: await changeMemberRole(requireActorContext(context), userId, role),
    }),
    removeMember: async (_parent, { input }, context) => ({
      member: await removeMember(requireActorContext(context), input.userId),
    }),
    setSignInPolicy: (_parent, { input }, context) =>
      setSignInPolicy(requirePersonContext(context), input.secondFactor),
    resetMemberFactors: async (_parent, { input }, context) => ({
      member: await resetMemberFactors(requirePersonContext(context), input.userId),
    }),
    renameOrganization: async (_parent, { input }, context) => ({
      organization: await renameOwnOrganization(requireActorContext(context), input.name),
    }),
  },
} satisfies Resolvers;
