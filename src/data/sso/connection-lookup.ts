import { LRUCache } from "lru-cache";
import type { Changes } from "../cache/changes.js";
import type { Database } from "../database/types.js";
import { type DomainConnection, findConnectionOfDomain } from "./connections.js";

const MOST_DOMAINS = 10_000;
const TABLES: ReadonlySet<string> = new Set(["domains", "sso_connections"]);

/** Finds the enabled connection of a domain. Returns null if the domain has none. */
export type FindConnectionOfDomain = (domain: string) => Promise<DomainConnection | null>;

/**
 * Creates the lookup of connections by domain, which remembers the latest domains, also those without a connection, until a
 * domain or a connection of any organization changes. Remembers nothing while changes cannot be received.
 */
export function createConnectionLookup(database: Database, changes: Changes): FindConnectionOfDomain {
  const known = new LRUCache<string, { readonly connection: DomainConnection | null }>({ max: MOST_DOMAINS });
  let age = 0;
  const forget = () => {
    known.clear();
    age += 1;
  };
  changes.observe({
    changed({ table, organizationId }) {
      // This process notes each of its writes for an organization with any table; the database names the tables.
      if (table === null ? organizationId === null : TABLES.has(table)) forget();
    },
    lost: forget,
  });
  return async (domain) => {
    const kept = changes.isHeard() ? known.get(domain) : undefined;
    if (kept) return kept.connection;
    const since = age;
    const connection = await findConnectionOfDomain(database, domain);
    if (changes.isHeard() && since === age) known.set(domain, { connection });
    return connection;
  };
}
