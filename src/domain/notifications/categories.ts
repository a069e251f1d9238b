/** Categories of notifications. */
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

/** Delivery channels in addition to the console. */
export const DELIVERY_CHANNELS = ["email", "webhook"] as const;
export type DeliveryChannel = (typeof DELIVERY_CHANNELS)[number];
