import { type Digest, WEEKDAYS } from "./notification-settings.js";
import { nextHourIn } from "./time-zone.js";

/** Returns the time at which to send an e-mail about an event that happens now. */
export function timeOfEmail({ frequency, weekday, hour, timezone }: Digest, now: Date): Date {
  if (frequency === "immediate") return now;
  return nextHourIn(timezone, hour, frequency === "weekly" ? WEEKDAYS.indexOf(weekday) : null, now);
}
