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

/** How people are told, besides the console. */
export const DELIVERY_CHANNELS = ["email", "webhook"] as const;
export type DeliveryChannel = (typeof DELIVERY_CHANNELS)[number];
