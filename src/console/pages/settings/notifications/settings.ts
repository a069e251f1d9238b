/** The channels, and what they are called. */
export const CHANNELS = { in_app: "Console", email: "E-mail", webhook: "Webhook" } as const;
export type Channel = keyof typeof CHANNELS;

/** The categories that are sent, and what they are about. */
export const CATEGORIES = {
  deadline: "Deadlines",
  anomaly: "Unusual amounts",
  verification: "Verification",
  security: "Security",
} as const;
export type Category = keyof typeof CATEGORIES;

/** How a person is told of things, as the gateway answers it. */
export interface Settings {
  readonly channels: {
    readonly in_app: { readonly enabled: boolean };
    readonly email: {
      readonly enabled: boolean;
      readonly address: string | null;
      readonly deliverable: boolean;
      /** The reason why e-mails are not sent. */
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
