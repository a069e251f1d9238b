import { type Context, requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { changeKey } from "../../../actions/keys/change-key.js";
import { createKey } from "../../../actions/keys/create-key.js";
import { keyContextOf } from "../../../actions/keys/key-checks.js";
import { revokeKeyById } from "../../../actions/keys/revoke-key.js";
import { rotateKey } from "../../../actions/keys/rotate-key.js";
import {
  countOwnKeys,
  findOwnKey,
  type KeyFilter,
  listKeyUsage,
  listOwnKeys,
} from "../../../data/keys/own-keys.js";
import { USAGE_DAYS } from "../../../domain/keys/key-limits.js";
import type { Scope } from "../../../domain/scopes.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { readList, requireNoNul, requireSize } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";
import { describeLimit } from "../key.js";
import type { ApiKeyModel, CreateApiKeyPayloadModel } from "../models.js";
import { requireRow } from "../require-row.js";

const DAY_MS = 86_400_000;

const findKey = (context: Context, id: string): Promise<ApiKeyModel | null> =>
  findOwnKey(requireAccess(context).tenant, id, context.request.now);

const requireKey = async (context: Context, id: string): Promise<ApiKeyModel> =>
  requireRow(await findKey(context, id), `key ${id}`);

const newKey = {
  apiKey: ({ id }: CreateApiKeyPayloadModel, _args: object, context: Context) => requireKey(context, id),
};

const keyContext = (context: Context) => keyContextOf(requireActorContext(context));

/** The organization's API keys. */
export const apiKeys = {
  Query: {
    apiKeys(_parent, { statuses, search, ...args }, context) {
      const access = requireAccess(context);
      requireNoNul("search", search);
      const filter: KeyFilter = {
        statuses: readList("statuses", statuses),
        search: search ?? null,
        now: context.request.now,
      };
      return readConnection(access, args, {
        name: "apiKeys",
        // Omitted if the caller does not search, so that older cursors stay valid.
        parameters: [filter.statuses, ...(filter.search == null ? [] : [filter.search])],
        read: (page) => listOwnKeys(access.tenant, filter, page),
        count: () => countOwnKeys(access.tenant, filter),
        toNode: itself,
      });
    },
    apiKey: (_parent, { id }, context) => findKey(context, id),
  },

  ApiKey: {
    replacedById: ({ replacedBy }) => replacedBy,
    async budget({ id, tier }, _args, context) {
      const { peekBudget } = requireAccess(context).resources;
      return describeLimit(await peekBudget(id, tier), { id, tier }, context);
    },
    async usage({ id }, { days }, context) {
      const { loaders, tenant } = requireAccess(context);
      requireSize("days", days, USAGE_DAYS);
      const since = new Date(context.request.now.getTime() - days * DAY_MS);
      // Reads the usage of all keys in one statement, because there are few.
      const hours = await loaders.shared(["keyUsage", days], () => listKeyUsage(tenant, since));
      return hours.filter(({ keyId }) => keyId === id);
    },
  },

  CreateApiKeyPayload: newKey,
  RotateApiKeyPayload: newKey,

  Mutation: {
    createApiKey(_parent, { input: { name, scopes, tier, expiresAt = null } }, context) {
      const { slug } = requireAccess(context).principal.organization;
      const settings = { name, scopes: scopes as Scope[], tier, expiresAt };
      return createKey(keyContext(context), { organization: slug, ...settings });
    },
    rotateApiKey: (_parent, { input: { id, overlapHours, expectedVersion } }, context) =>
      rotateKey(keyContext(context), id, overlapHours, expectedVersion),
    async updateApiKey(_parent, { input }, context) {
      const { id, expectedVersion, name, scopes, tier, expiresAt } = input;
      const changes = {
        ...(name != null && { name }),
        ...(scopes != null && { scopes: scopes as Scope[] }),
        ...(tier != null && { tier }),
        // Null removes the expiry.
        ...(expiresAt !== undefined && { expiresAt }),
      };
      await changeKey(keyContext(context), id, changes, expectedVersion);
      return { apiKey: await requireKey(context, id) };
    },
    async revokeApiKey(_parent, { input: { id, expectedVersion } }, context) {
      await revokeKeyById(keyContext(context), id, expectedVersion);
      return { apiKey: await requireKey(context, id) };
    },
  },
} satisfies Resolvers;
