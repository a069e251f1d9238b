import { type Context, requireAccess } from "../../../access/context.js";
import { requirePerson } from "../../../access/principal.js";
import { requirePersonContext } from "../../../actions/actor-context.js";
import { keyContextOf } from "../../../actions/keys/key-checks.js";
import {
  changeServiceAccount,
  revokeServiceAccount,
} from "../../../actions/service-accounts/change-service-account.js";
import {
  createServiceAccount,
  type IssuedToken,
} from "../../../actions/service-accounts/create-service-account.js";
import { rotateServiceAccount } from "../../../actions/service-accounts/rotate-service-account.js";
import {
  countOwnAccounts,
  findOwnAccount,
  listOwnAccounts,
  listOwnTokens,
} from "../../../data/service-accounts/own-accounts.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { readList } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";
import type { ServiceAccountModel } from "../models.js";
import { objectId } from "../object-id.js";
import { requireRow } from "../require-row.js";

const requireAccount = async (context: Context, id: string): Promise<ServiceAccountModel> =>
  requireRow(await findOwnAccount(requireAccess(context).tenant, id), `service account ${id}`);

const issued = {
  serviceAccount: ({ id }: IssuedToken, _args: object, context: Context) => requireAccount(context, id),
};

const keyContext = (context: Context) => keyContextOf(requirePersonContext(context));

/** The organization's service accounts, for people only, and the user or service account that makes the request. */
export const serviceAccounts = {
  Query: {
    caller(_parent, _args, context) {
      const { principal } = requireAccess(context);
      return principal.person || principal.serviceAccount ? principal : null;
    },
    serviceAccounts(_parent, { statuses, ...args }, context) {
      const access = requireAccess(context);
      requirePerson(access.principal);
      const wanted = readList("statuses", statuses);
      return readConnection(access, args, {
        name: "serviceAccounts",
        parameters: [wanted],
        read: (page) => listOwnAccounts(access.tenant, wanted, page),
        count: () => countOwnAccounts(access.tenant, wanted),
        toNode: itself,
      });
    },
    serviceAccount(_parent, { id }, context) {
      const { principal, tenant } = requireAccess(context);
      requirePerson(principal);
      return findOwnAccount(tenant, id);
    },
  },

  Caller: {
    id: ({ id }, _args, context) => objectId(context, "Caller", id),
    viewer: ({ person }) => person,
    serviceAccount: ({ serviceAccount }) => serviceAccount,
  },
  CallingServiceAccount: {
    id: ({ token }, _args, context) => objectId(context, "CallingServiceAccount", token.id),
    serviceAccount: ({ id, name }) => ({ id, name }),
    organization: (_parent, _args, context) => requireAccess(context).principal.organization,
    scopes: (_parent, _args, context) => requireAccess(context).principal.scopes,
  },

  ServiceAccount: {
    async tokens({ id }, _args, context) {
      const { loaders, tenant } = requireAccess(context);
      // Reads the tokens of all accounts in one statement, because there are few.
      const tokens = await loaders.shared(["serviceAccountTokens"], () =>
        listOwnTokens(tenant, context.request.now),
      );
      return tokens.filter(({ accountId }) => accountId === id);
    },
  },

  CreateServiceAccountPayload: issued,
  RotateServiceAccountPayload: issued,

  Mutation: {
    createServiceAccount(_parent, { input: { scopes, expiresAt = null, ...input } }, context) {
      const { slug } = requireAccess(context).principal.organization;
      const request = { ...input, organization: slug, scopes: scopes ?? undefined, expiresAt };
      return createServiceAccount(keyContext(context), request);
    },
    rotateServiceAccount: (_parent, { input: { id, overlapHours, expectedVersion } }, context) =>
      rotateServiceAccount(keyContext(context), id, overlapHours, expectedVersion),
    async updateServiceAccount(_parent, { input: { id, expectedVersion, name, role, scopes } }, context) {
      const changes = {
        name: name ?? undefined,
        role: role ?? undefined,
        scopes: scopes ?? undefined,
      };
      await changeServiceAccount(keyContext(context), id, changes, expectedVersion);
      return { serviceAccount: await requireAccount(context, id) };
    },
    async revokeServiceAccount(_parent, { input: { id, expectedVersion } }, context) {
      await revokeServiceAccount(keyContext(context), id, expectedVersion);
      return { serviceAccount: await requireAccount(context, id) };
    },
  },
} satisfies Resolvers;
