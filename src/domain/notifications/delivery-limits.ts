import type { DeliveryChannel } from "./categories.js";

/** Limits of a channel, so that no recipient delays the others. */
interface DeliveryLimits {
  /** Maximum deliveries in progress: per process, per organization, and per host. */
  readonly slots: number;
  readonly organizationAtOnce: number;
  readonly hostAtOnce: number;
  /** Maximum number of notifications in one delivery. */
  readonly notifications: number;
  /** Minutes after which a delivery in progress counts as interrupted. */
  readonly minutes: number;
  /** Maximum deliveries per hour, for a person and for an organization. Further ones wait for the next hour. */
  readonly personPerHour: number;
  readonly organizationPerHour: number;
}

export const DELIVERY_LIMITS: Readonly<Record<DeliveryChannel, DeliveryLimits>> = {
  // All e-mails go through the operator's server.
  email: {
    slots: 5,
    organizationAtOnce: 3,
    hostAtOnce: 5,
    notifications: 100,
    minutes: 2,
    personPerHour: 20,
    organizationPerHour: 2_000,
  },
  webhook: {
    slots: 20,
    organizationAtOnce: 5,
    hostAtOnce: 3,
    notifications: 1,
    minutes: 1,
    personPerHour: 120,
    organizationPerHour: 5_000,
  },
};

/** Maximum number of a person's waiting deliveries per channel. Further notifications appear only in the console. */
export const MAX_WAITING = 100;

const MAX_PAUSE_MINUTES = 60;

/**
 * Returns the minutes to pause a webhook after consecutive timeouts: 1, 2, 4 and so on, up to 60, for a person. The
 * pauses of a host start with the second timeout, because other people may use it as well.
 */
export function pauseMinutes(subject: "person" | "host", timeouts: number): number {
  const counted = subject === "host" ? timeouts - 1 : timeouts;
  return counted <= 0 ? 0 : Math.min(MAX_PAUSE_MINUTES, 2 ** (counted - 1));
}
