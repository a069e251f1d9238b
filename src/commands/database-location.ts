import { resolve } from "node:path";

/** Describes the location of a database: its folder, or its host, port and name. Omits user and password. */
export function describeLocation(url: string | undefined, dataDir: string): string {
  if (url === undefined) return `embedded in ${resolve(dataDir)}`;
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  const number = searchParams.get("port") ?? port;
  return `PostgreSQL at ${host}${number && `:${number}`}${pathname}`;
}
