import type { NotificationCategory } from "../../../../domain/notifications/categories.js";

/** The channels, with their labels. */
export const CHANNELS = { in_app: "Console", email: "E-mail", webhook: "Webhook" } as const;
export type Channel = keyof typeof CHANNELS;

/** Categories of notifications, with their labels. */
export const CATEGORIES: Readonly<Record<NotificationCategory, string>> = {
  deadline: "Deadlines",
  anomaly: "Unusual amounts",
  verification: "Verification",
  credit: "Credits",
  market: "Prices",
  announcement: "Announcements",
  security: "Security",
};
export type Category = NotificationCategory;

/** Returns the channels that the operator has set up. */
export const channelsOf = ({ channels }: Settings): Channel[] =>
  (Object.keys(CHANNELS) as Channel[]).filter(
    (channel) => channel !== "email" || channels.email.reason !== "mail_not_configured",
  );

/** Notification settings, as the gateway returns them. */
export interface Settings {
  readonly channels: {
    readonly in_app: { readonly enabled: boolean };
    readonly email: {
      readonly enabled: boolean;
      readonly address: string | null;
      readonly deliverable: boolean;
      /** Reason why the gateway sends no e-mails. */
      readonly reason: "mail_not_configured" | "address_not_confirmed" | null;
    };
    readonly webhook: { readonly enabled: boolean; readonly url: string | null };
  };
  readonly categories: Readonly<Record<Category, Readonly<Record<Channel, boolean>>>> & {
    readonly deadline: { readonly days_before: readonly number[] };
    readonly anomaly: { readonly min_severity: string };
  };
  readonly digest: {
    readonly frequency: string;
    readonly weekday: string;
    readonly hour: number;
    readonly timezone: string;
  };
}
