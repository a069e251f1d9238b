/** What people are told about. */
export const NOTIFICATION_CATEGORIES = [
  "deadline",
  "anomaly",
  "verification",
  "credit",
  "market",
  "announcement",
  "security",
] as const;
export type NotificationCategory = (typeof NOTIFICATION_CATEGORIES)[number];

/** How serious something is, in order. */
export const SEVERITIES = ["low", "medium", "high"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** How people are told, besides the console. */
export const DELIVERY_CHANNELS = ["email", "webhook"] as const;
export type DeliveryChannel = (typeof DELIVERY_CHANNELS)[number];
