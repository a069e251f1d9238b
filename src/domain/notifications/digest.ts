import { type Digest, WEEKDAYS } from "./settings.js";
import { nextHourIn } from "./time-zone.js";

/** When an e-mail about something that happens now is sent. */
export function timeOfEmail({ frequency, weekday, hour, timezone }: Digest, now: Date): Date {
  if (frequency === "immediate") return now;
  return nextHourIn(timezone, hour, frequency === "weekly" ? WEEKDAYS.indexOf(weekday) : null, now);
}
