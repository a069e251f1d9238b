/** Returns true if `value` is the name of an IANA time zone, such as `Asia/Kolkata`. */
export function isTimeZone(value: unknown): value is string {
  // Intl also accepts offsets such as +05:30.
  if (typeof value !== "string" || !/^[A-Za-z][\w+/-]{0,60}$/.test(value)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the offset of a time zone from UTC at a time, in milliseconds; positive east of Greenwich. */
function offsetAt(timeZone: string, time: number): number {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = Object.fromEntries(
    format.formatToParts(time).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1_000) * 1_000;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * Returns the next time after `now` at which clocks in a time zone show this hour, on this weekday if given (0 is
 * Sunday). On a day when clocks skip the hour, the result is an hour later.
 */
export function nextHourIn(timeZone: string, hour: number, weekday: number | null, now: Date): Date {
  const local = now.getTime() + offsetAt(timeZone, now.getTime());
  const today = local - (local % DAY_MS);
  for (let day = today; ; day += DAY_MS) {
    if (weekday !== null && new Date(day).getUTCDay() !== weekday) continue;
    const clock = day + hour * HOUR_MS;
    // The offset at the result may differ from the offset at the first guess.
    const guess = clock - offsetAt(timeZone, clock);
    const time = clock - offsetAt(timeZone, guess);
    if (time > now.getTime()) return new Date(time);
  }
}
