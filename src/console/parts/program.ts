/**
 * Browsers and systems by a word in their user agents. The first match counts, because most user agents name several
 * browsers.
 */
const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["Firefox", "Firefox"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"],
] as const;
const SYSTEMS = [
  ["Windows", "Windows"],
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"],
] as const;

/** Returns the program of a session: `Chrome on Linux`, or else the whole user agent; `Unknown` without one. */
export function programOf(userAgent: string | null): string {
  if (userAgent === null) return "Unknown";
  const find = (names: typeof BROWSERS | typeof SYSTEMS) =>
    names.find(([word]) => userAgent.includes(word))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  return browser && system ? `${browser} on ${system}` : userAgent;
}
