/** Browsers and systems by what they call themselves; the first that is found counts, as most also claim to be others. */
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

/** What people call the program of a session: `Chrome on Linux`, or what it calls itself. */
export function programOf(userAgent: string | null): string {
  if (userAgent === null) return "Unknown";
  const find = (names: typeof BROWSERS | typeof SYSTEMS) =>
    names.find(([sign]) => userAgent.includes(sign))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  return browser && system ? `${browser} on ${system}` : userAgent;
}
