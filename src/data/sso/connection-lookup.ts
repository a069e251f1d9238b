import { LRUCache } from "lru-cache";
import type { Changes } from "../cache/changes.js";
import type { Database } from "../database/types.js";
import { type DomainConnection, findConnectionOfDomain } from "./connections.js";

const MAX_DOMAINS = 10_000;
const TABLES: ReadonlySet<string> = new Set(["domains", "sso_connections"]);

/** Finds the enabled connection of a domain; null if the domain has none. */
export type FindConnectionOfDomain = (domain: string) => Promise<DomainConnection | null>;

/**
 * Creates a cached lookup of connections by domain. Also caches that a domain has none. Any change of a domain or a
 * connection clears the cache. Caches nothing while changes cannot be received.
 */
export function createConnectionLookup(database: Database, changes: Changes): FindConnectionOfDomain {
  const known = new LRUCache<string, { readonly connection: DomainConnection | null }>({ max: MAX_DOMAINS });
  let age = 0;
  const forget = () => {
    known.clear();
    age += 1;
  };
  changes.observe({
    changed({ table, organizationId }) {
      // Changes noted by this process have an organization and no table; those from the database name the table.
      if (table === null ? organizationId === null : TABLES.has(table)) forget();
    },
    lost: forget,
  });
  return async (domain) => {
    const kept = changes.isListening() ? known.get(domain) : undefined;
    if (kept) return kept.connection;
    const since = age;
    const connection = await findConnectionOfDomain(database, domain);
    if (changes.isListening() && since === age) known.set(domain, { connection });
    return connection;
  };
}
