import { requireAccess } from "../../../access/context.js";
import { requirePersonContext } from "../../../actions/actor-context.js";
import { markAllAsRead, markAsRead } from "../../../actions/notifications/mark-read.js";
import { changePreferences, describePreferences } from "../../../actions/notifications/preferences.js";
import { countNotifications, listNotifications } from "../../../data/notifications/notifications.js";
import { findPreferences } from "../../../data/notifications/preferences.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { itself, readConnection } from "../../paging/page.js";
import { objectId } from "../object-id.js";

/** The signed-in user's notifications and notification preferences. */
export const notifications = {
  Viewer: {
    async notificationPreferences(_parent, _args, context) {
      const { resources, tenant } = requireAccess(context);
      return describePreferences(resources, await findPreferences(tenant));
    },
    notifications({ user }, { onlyUnread, ...args }, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "notifications",
        parameters: [user.id, onlyUnread],
        read: (page) => listNotifications(access.tenant, onlyUnread, page),
        count: () => countNotifications(access.tenant, onlyUnread),
        toNode: itself,
      });
    },
  },
  NotificationPreferences: {
    id: (_parent, _args, context) =>
      objectId(context, "NotificationPreferences", requireAccess(context).principal.id),
    settings: ({ settings }) => ({ ...settings }),
  },
  Mutation: {
    updateNotificationPreferences: async (_parent, { patch, expectedVersion }, context) => ({
      preferences: await changePreferences(requirePersonContext(context), patch, expectedVersion),
    }),
    readNotification: async (_parent, { input }, context) => ({
      notification: await markAsRead(requirePersonContext(context), input.id),
    }),
    readAllNotifications: async (_parent, { input }, context) => ({
      readCount: await markAllAsRead(requirePersonContext(context), input.until),
    }),
  },
} satisfies Resolvers;
