import { type Context, requireAccess } from "../../../access/context.js";
import { requireFound } from "../../../actions/action-error.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import {
  changeEndpoint,
  createEndpoint,
  removeEndpoint,
  rotateSecret,
  type WithSecret,
} from "../../../actions/webhooks/change-endpoints.js";
import { resendDelivery, resendMany } from "../../../actions/webhooks/resend.js";
import { testEndpoint } from "../../../actions/webhooks/test-endpoint.js";
import {
  countDeliveries,
  type DeliveryRow,
  findDelivery,
  listDeliveries,
} from "../../../data/webhooks/deliveries.js";
import {
  countEndpoints,
  type EndpointRow,
  findEndpoint,
  listEndpoints,
} from "../../../data/webhooks/endpoints.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireNoNul } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";

export type WebhookEndpointModel = EndpointRow;
export type WebhookDeliveryModel = DeliveryRow;
export type CreateWebhookEndpointPayloadModel = WithSecret;
export type RotateWebhookSecretPayloadModel = WithSecret;

const requireEndpoint = async (context: Context, id: string): Promise<WebhookEndpointModel> =>
  requireFound(await findEndpoint(requireAccess(context).tenant, id), "webhook", id, "webhook endpoint");

const withSecret = {
  webhookEndpoint: ({ id }: WithSecret, _args: object, context: Context) => requireEndpoint(context, id),
};

/** The organization's webhook endpoints. */
export const webhookEndpoints = {
  Query: {
    webhookEndpoints(_parent, args, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "webhookEndpoints",
        parameters: [],
        read: (page) => listEndpoints(access.tenant, page),
        count: () => countEndpoints(access.tenant),
        toNode: itself,
      });
    },
    webhookEndpoint: (_parent, { id }, context) => findEndpoint(requireAccess(context).tenant, id),
  },

  WebhookEndpoint: {
    createdById: ({ createdBy }) => createdBy,
    deliveries({ id }, { status, type, ...args }, context) {
      const access = requireAccess(context);
      requireNoNul("type", type);
      const filter = { endpointId: id, status, type };
      return readConnection(access, args, {
        name: "webhookDeliveries",
        parameters: [id, status, type],
        read: (page) => listDeliveries(access.tenant, filter, page),
        count: () => countDeliveries(access.tenant, filter),
        toNode: itself,
      });
    },
  },

  CreateWebhookEndpointPayload: withSecret,
  RotateWebhookSecretPayload: withSecret,

  Mutation: {
    createWebhookEndpoint: (_parent, { input }, context) =>
      createEndpoint(requireActorContext(context), input),
    async updateWebhookEndpoint(_parent, { input: { id, expectedVersion, ...changes } }, context) {
      await changeEndpoint(requireActorContext(context), id, changes, expectedVersion);
      return { webhookEndpoint: await requireEndpoint(context, id) };
    },
    async deleteWebhookEndpoint(_parent, { input: { id, expectedVersion } }, context) {
      const webhookEndpoint = await requireEndpoint(context, id);
      await removeEndpoint(requireActorContext(context), id, expectedVersion);
      return { webhookEndpoint };
    },
    rotateWebhookSecret: (_parent, { input: { id, overlapHours, expectedVersion } }, context) =>
      rotateSecret(requireActorContext(context), id, overlapHours, expectedVersion),
    testWebhookEndpoint: (_parent, { input: { id } }, context) =>
      testEndpoint(requireActorContext(context), id),
    async resendWebhookDelivery(_parent, { input: { endpointId, id } }, context) {
      await resendDelivery(requireActorContext(context), endpointId, id);
      const delivery = await findDelivery(requireAccess(context).tenant, endpointId, id);
      return { delivery: requireFound(delivery, "delivery", id) };
    },
    resendWebhookDeliveries: async (_parent, { input }, context) => ({
      count: await resendMany(requireActorContext(context), input),
    }),
  },
} satisfies Resolvers;
