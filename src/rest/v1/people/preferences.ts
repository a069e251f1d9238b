import { z } from "zod";
import { SEVERITIES } from "../../../domain/foresight/find-anomalies.js";
import {
  completeSettings,
  FREQUENCIES,
  WEEKDAYS,
} from "../../../domain/notifications/notification-settings.js";
import { graphql, type PreferencesFieldsFragment } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";

const flag = z.boolean();
const enabled = flag.meta({ description: "True if you are notified this way." });
const ways = z
  .object({
    in_app: flag.meta({ description: "True if the console shows them." }),
    email: flag.meta({ description: "True if they are sent by e-mail." }),
    webhook: flag.meta({ description: "True if they are sent to the webhook." }),
  })
  .meta({ id: "NotificationWays" });

const settingsShape = {
  channels: z
    .object({
      in_app: z.object({ enabled }).meta({ id: "ConsoleChannel" }),
      email: z
        .object({
          enabled,
          address: z.string().nullable().meta({ description: "Null for the address of the account." }),
          deliverable: flag.meta({ description: "True if e-mails are sent to the address." }),
          reason: z.enum(["mail_not_configured", "address_not_confirmed"]).nullable().meta({
            description: "Reason e-mails are not sent; null if they are.",
          }),
        })
        .meta({ id: "EmailChannel" }),
      webhook: z
        .object({
          enabled,
          url: z
            .string()
            .nullable()
            .meta({ description: "URL that notifications are sent to; null for none." }),
        })
        .meta({ id: "WebhookChannel" }),
    })
    .meta({ id: "NotificationChannels" }),
  categories: z
    .object({
      deadline: ways
        .extend({
          days_before: z.array(z.int()).meta({
            description: "Days before a deadline on which you are reminded: at most 10, each from 0 to 365.",
          }),
        })
        .meta({ id: "DeadlineWays" }),
      anomaly: ways
        .extend({
          min_severity: z.enum(SEVERITIES).meta({ description: "Lowest severity that you are notified of." }),
        })
        .meta({ id: "AnomalyWays" }),
      verification: ways,
      credit: ways,
      market: ways,
      announcement: ways,
      security: ways,
    })
    .meta({
      id: "NotificationCategories",
      description:
        "Notifications of the categories `credit`, `market` and `announcement` are not sent yet. `security` cannot be turned off, and its notifications always appear in the console.",
    }),
  digest: z
    .object({
      frequency: z
        .enum(FREQUENCIES)
        .meta({ description: "Digest of e-mails. Other channels are always immediate." }),
      weekday: z.enum(WEEKDAYS).meta({ description: "Day of a weekly digest." }),
      hour: z.int().meta({ description: "Hour of a digest, 0 to 23." }),
      timezone: z.string().meta({ description: "IANA time zone of `hour`, such as `Europe/Berlin`." }),
    })
    .meta({ id: "NotificationDigest" }),
};

const preferencesShape = z
  .object({
    ...settingsShape,
    webhook_secret: z.string().nullable().meta({
      description: "Secret that signs the webhook's requests. Only the response that creates it contains it.",
    }),
    version: z.int().meta({ description: "Current version. Every change increments it." }),
  })
  .meta({ id: "NotificationPreferences" });

type PreferencesData = z.infer<typeof preferencesShape>;

const { channels, ...others } = completeSettings({}) as unknown as PreferencesData;
const EXAMPLE: PreferencesData = {
  channels: { ...channels, email: { ...channels.email, deliverable: true, reason: null } },
  ...others,
  webhook_secret: null,
  version: 1,
};
const URL = "https://hooks.example.com/carbon";

graphql(`
  fragment PreferencesFields on NotificationPreferences {
    settings webhookSecret version
  }
`);

const describePreferences = ({ settings, webhookSecret, version }: PreferencesFieldsFragment) => ({
  ...(settings as Pick<PreferencesData, keyof typeof settingsShape>),
  webhook_secret: webhookSecret ?? null,
  version,
});

const version = ({ version }: PreferencesData) => version;

/** Endpoints of a user's notification preferences. */
export const preferences = [
  endpoint({
    path: "/users/me/notification-preferences",
    summary: "Your notification preferences, with defaults for what you have not changed",
    scope: null,
    operation: graphql(`
      query RestNotificationPreferences {
        viewer { notificationPreferences { ...PreferencesFields } }
      }
    `),
    data: preferencesShape,
    example: EXAMPLE,
    reshape: ({ viewer }) => describePreferences(viewer.notificationPreferences),
    version,
    // Confirming an address does not change the version.
    isVersioned: () => false,
  }),
  endpoint({
    method: "PATCH",
    path: "/users/me/notification-preferences",
    summary:
      "Changes your notification preferences. Setting the URL of a webhook, even to the same value, creates a new secret",
    scope: null,
    operation: graphql(`
      mutation RestUpdateNotificationPreferences($patch: JSONObject!, $expectedVersion: Int) {
        updateNotificationPreferences(patch: $patch, expectedVersion: $expectedVersion) {
          preferences { ...PreferencesFields }
        }
      }
    `),
    body: z.record(z.string(), z.unknown(), { error: "expected an object" }).meta({
      description:
        "JSON merge patch (RFC 7396) of `channels`, `categories` and `digest`: omitted settings are unchanged, and null restores the default.",
      example: { channels: { webhook: { enabled: true, url: URL } } },
    }),
    variables: ({ body, expectedVersion }) => ({ patch: body, expectedVersion }),
    data: preferencesShape,
    example: {
      ...EXAMPLE,
      channels: { ...EXAMPLE.channels, webhook: { enabled: true, url: URL } },
      webhook_secret: "whsec_…",
      version: 2,
    },
    reshape: ({ updateNotificationPreferences: { preferences } }) => describePreferences(preferences),
    problemPath: (path) => path,
    version,
  }),
];
