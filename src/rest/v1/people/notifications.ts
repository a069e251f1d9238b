import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { uuidShape } from "../../../catalogue/values.js";
import { SEVERITIES } from "../../../domain/foresight/findings.js";
import { NOTIFICATION_CATEGORIES } from "../../../domain/notifications/categories.js";
import { graphql, type NotificationFieldsFragment } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";

const notificationShape = z
  .object({
    id: z.uuid(),
    category: z.enum(NOTIFICATION_CATEGORIES),
    severity: z.enum(SEVERITIES),
    title: z.string(),
    body: z.string().meta({ description: "Plain text; it may be empty." }),
    link: z.string().nullable().meta({ description: "Path of the console's page about it." }),
    created_at: z.iso.datetime(),
    read_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Notification" });

type NotificationData = z.infer<typeof notificationShape>;

const EXAMPLE: NotificationData = {
  id: "3d5b9c1e-7f2a-4b60-8a15-9c0d1e2f3a4b",
  category: "deadline",
  severity: "medium",
  title: "Due in 7 days: Annual report (EU_CBAM)",
  body: "It is due on 2026-11-27.\nSource: Regulation (EU) 2023/956, Article 6\nhttps://eur-lex.europa.eu/eli/reg/2023/956/oj",
  link: "/console/compliance",
  created_at: "2026-11-20T06:00:00.000Z",
  read_at: null,
};
const READ = { ...EXAMPLE, read_at: "2026-11-20T10:00:00.000Z" };

graphql(`
  fragment NotificationFields on Notification {
    id category severity title body link createdAt readAt
  }
`);

const describeNotification = ({
  category,
  severity,
  createdAt,
  readAt,
  link,
  ...rest
}: NotificationFieldsFragment): NotificationData => ({
  id: rest.id,
  category: lowerCase(category),
  severity: lowerCase(severity),
  title: rest.title,
  body: rest.body,
  link: link ?? null,
  created_at: createdAt.toISOString(),
  read_at: readAt?.toISOString() ?? null,
});

/** What a person was told. */
export const notifications = [
  endpoint({
    path: "/notifications",
    summary: "What you were told in the last 90 days, newest first",
    scope: null,
    operation: graphql(`
      query RestNotifications($unread: Boolean!, $first: Int, $after: String) {
        viewer {
          notifications(unread: $unread, first: $first, after: $after) {
            nodes { ...NotificationFields }
            pageInfo { hasNextPage endCursor }
          }
        }
      }
    `),
    query: listQuery.extend({
      unread: z
        .enum(["true", "false", ""])
        .optional()
        .meta({ description: "Only what you have not read; the same without a value." }),
    }),
    variables: ({ query: { unread, ...page } }) => ({
      unread: unread === "true" || unread === "",
      ...pageOf(page),
    }),
    data: pageShape("Notifications", notificationShape),
    example: { items: [EXAMPLE], next_cursor: null },
    reshape: ({ viewer: { notifications } }) => ({
      items: notifications.nodes.map(describeNotification),
      next_cursor: nextCursor(notifications.pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/notifications/{id}/read",
    summary: "Marks a notification as read. One that was read stays as it is",
    scope: null,
    operation: graphql(`
      mutation RestReadNotification($id: UUID!) { readNotification(id: $id) { ...NotificationFields } }
    `),
    params: z.object({ id: uuidShape }),
    variables: ({ params }) => params,
    data: notificationShape,
    example: READ,
    reshape: ({ readNotification }) => describeNotification(readNotification),
  }),
  endpoint({
    method: "POST",
    path: "/notifications/read",
    summary: "Marks all of your notifications as read",
    scope: null,
    operation: graphql(`
      mutation RestReadAllNotifications { readAllNotifications }
    `),
    data: z
      .object({ read: z.int().meta({ description: "How many were unread." }) })
      .meta({ id: "ReadNotifications" }),
    example: { read: 3 },
    reshape: ({ readAllNotifications }) => ({ read: readAllNotifications }),
  }),
];
