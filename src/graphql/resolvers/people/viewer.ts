import { requireAccess } from "../../../access/context.js";
import { requirePersonContext } from "../../../actions/actor-context.js";
import {
  activeSessionFilter,
  endSession,
  listOwnIdentities,
  renamePerson,
} from "../../../actions/people/account.js";
import { readViewerFactors } from "../../../actions/second-factors/policy.js";
import { listMemberships } from "../../../data/people/members.js";
import { countOwnSessions, findOwnSession, listOwnSessions } from "../../../data/people/own-sessions.js";
import { startUriOf } from "../../../domain/sso/sso-urls.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { limitList } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";
import { objectId } from "../object-id.js";
import { requireRow } from "../require-row.js";

/** The signed-in user, and changes to the user's own account. */
export const viewer = {
  Query: {
    viewer: (_parent, _args, context) => requireAccess(context).principal.person,
  },

  Viewer: {
    id: ({ user }, _args, context) => objectId(context, "Viewer", user.id),
    isConfirmationDue: ({ restrictedFrom }, _args, context) =>
      restrictedFrom !== null && requireAccess(context).resources.outbound.mailer !== null,
    organization: (_parent, _args, context) => requireAccess(context).principal.organization,
    factors: (_parent, _args, context) => readViewerFactors(requirePersonContext(context)),
    identities: async (_person, { first }, context) =>
      limitList(await listOwnIdentities(requirePersonContext(context)), first, context),
    scopes: (_parent, _args, context) => requireAccess(context).principal.scopes,
    organizations: async (_parent, { first }, context) =>
      limitList(await listMemberships(requireAccess(context).tenant), first, context),
    async session({ session }, _args, context) {
      const found = await findOwnSession(requireAccess(context).tenant, session.id);
      return requireRow(found, `session ${session.id}`);
    },
    sessions(person, args, context) {
      const access = requireAccess(context);
      const active = activeSessionFilter({ person, now: context.request.now });
      return readConnection(access, args, {
        name: "sessions",
        parameters: [person.user.id],
        read: (page) => listOwnSessions(access.tenant, active, page),
        count: () => countOwnSessions(access.tenant, active),
        toNode: itself,
      });
    },
  },

  SecondFactors: {
    id: (_parent, _args, context) => objectId(context, "SecondFactors", requireAccess(context).principal.id),
    totpConfirmedAt: ({ totp }) => totp?.confirmedAt ?? null,
    hasPassword: ({ passwordHash }) => passwordHash !== null,
    isRequired: ({ requiredFrom }) => requiredFrom !== null,
  },

  Identity: {
    reauthenticationUrl: ({ canProve, connectionId }, _args, context) =>
      canProve ? `${startUriOf(requireAccess(context).resources.site.url(), connectionId)}?fresh=1` : null,
  },

  Passkey: {
    isBackedUp: ({ backedUp }) => backedUp,
  },

  Membership: {
    id: ({ organization }, _args, context) =>
      objectId(context, "Membership", requireAccess(context).principal.id, organization.id),
  },

  Session: {
    isCurrent: ({ id }, _args, context) => requireAccess(context).principal.person?.session.id === id,
  },

  Mutation: {
    endSession: async (_parent, { input }, context) => ({
      session: await endSession(requirePersonContext(context), input.id),
    }),
    renameViewer: async (_parent, { input }, context) => ({
      user: await renamePerson(requirePersonContext(context), input.name),
    }),
  },
} satisfies Resolvers;
