import { type Context, requireAccess } from "../../../access/context.js";
import { requirePersonContext } from "../../../actions/actor-context.js";
import { enforceSingleSignOn, stopEnforcing } from "../../../actions/sso/enforce.js";
import {
  disableSingleSignOn,
  enableSingleSignOn,
  removeSingleSignOn,
  requireOwnConnection,
  saveSingleSignOn,
} from "../../../actions/sso/sso-settings.js";
import { beginTest } from "../../../actions/sso/test-sign-in.js";
import { type ConnectionRow, findOwnConnection } from "../../../data/sso/connections.js";
import { logoutUriOf, redirectUriOf } from "../../../domain/sso/sso-urls.js";
import type { Resolvers } from "../../../generated/resolvers.js";

export type SingleSignOnModel = ConnectionRow;

const siteUrl = (context: Context) => requireAccess(context).resources.site.url();

const readOwn = async (context: Context) => ({
  singleSignOn: await requireOwnConnection(requireAccess(context)),
});

/** The organization's identity provider. */
export const singleSignOn = {
  Query: {
    singleSignOn: (_parent, _args, context) => findOwnConnection(requireAccess(context).tenant),
  },

  SingleSignOn: {
    redirectUri: ({ id }, _args, context) => redirectUriOf(siteUrl(context), id),
    logoutUri: ({ id }, _args, context) => logoutUriOf(siteUrl(context), id),
    status({ testedAt, enabledAt }) {
      if (enabledAt !== null) return "enabled";
      return testedAt === null ? "draft" : "tested";
    },
    isEnforced: ({ enforcedAt }) => enforcedAt !== null,
    breakGlassIds: ({ breakGlass }) => breakGlass,
  },

  Mutation: {
    async saveSingleSignOn(_parent, { input: { expectedVersion, ...settings } }, context) {
      await saveSingleSignOn(requirePersonContext(context), settings, expectedVersion);
      return readOwn(context);
    },
    async removeSingleSignOn(_parent, { input }, context) {
      const removed = await readOwn(context);
      await removeSingleSignOn(requirePersonContext(context), input.expectedVersion);
      return removed;
    },
    testSingleSignOn: async (_parent, { input }, context) => ({
      url: await beginTest(requirePersonContext(context), input.expectedVersion),
    }),
    async enableSingleSignOn(_parent, { input }, context) {
      await enableSingleSignOn(requirePersonContext(context), input.expectedVersion);
      return readOwn(context);
    },
    async disableSingleSignOn(_parent, { input }, context) {
      await disableSingleSignOn(requirePersonContext(context), input.expectedVersion);
      return readOwn(context);
    },
    async enforceSingleSignOn(_parent, { input }, context) {
      await enforceSingleSignOn(requirePersonContext(context), input.breakGlassIds, input.expectedVersion);
      return readOwn(context);
    },
    async releaseSingleSignOn(_parent, { input }, context) {
      await stopEnforcing(requirePersonContext(context), input.expectedVersion);
      return readOwn(context);
    },
  },
} satisfies Resolvers;
