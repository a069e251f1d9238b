import pg from "pg";
import { cpuSecondsOf } from "../database.js";
import type { Server } from "../server-process.js";

/** Figures by name. */
export type Figures = Readonly<Record<string, number>>;

/** Counters since a side's start, and its current gauges. */
export interface Observed {
  counters(): Promise<Figures>;
  gauges(): Promise<Figures>;
  /** Lag of the replica in milliseconds. */
  lagMs(): Promise<number>;
  close(): Promise<void>;
}

const STATEMENTS = `SELECT sum(calls)::float8 AS statements FROM pg_stat_statements
  WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** 0 while there is nothing to replay, when PostgreSQL reports null. */
const LAG =
  "SELECT coalesce(extract(epoch FROM replay_lag), 0)::float8 * 1000 AS ms FROM pg_stat_replication";

/** Observes two gateways, the database that they write and the replica of it. */
export async function observe(
  gateways: readonly Server[],
  urls: Readonly<Record<"primary" | "replica", string>>,
): Promise<Observed> {
  const clients = Object.fromEntries(
    Object.entries(urls).map(([name, url]) => [name, new pg.Client({ connectionString: url })]),
  );
  for (const client of Object.values(clients)) await client.connect();
  const read = async (wanted: (name: string) => string | undefined): Promise<Figures> => {
    const found: Record<string, number> = {};
    for (const { url } of gateways) {
      const text = await (await fetch(`${url}/metrics`)).text();
      for (const [, metric = "", value] of text.matchAll(/^([^#\s]+) (\S+)$/gm)) {
        const name = wanted(metric);
        if (name !== undefined) found[name] = (found[name] ?? 0) + Number(value);
      }
    }
    return found;
  };
  return {
    async counters() {
      const all: Record<string, number> = {
        ...(await read((metric) =>
          /^gateway_memory_lookups_total\{memory="(.*)",result="(.*)"\}/.exec(metric)?.slice(1).join(" "),
        )),
        "load's CPU": process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
        "gateways' CPU": gateways.reduce((sum, gateway) => sum + gateway.cpuSeconds(), 0),
      };
      for (const [name, client] of Object.entries(clients)) {
        const { rows } = await client.query("SELECT pid FROM pg_stat_activity");
        all[`${name}'s CPU`] = cpuSecondsOf(rows);
        all[`${name}'s statements`] = (await client.query(STATEMENTS)).rows[0].statements;
      }
      return all;
    },
    gauges: async () => ({
      "resident MB": gateways.reduce((sum, gateway) => sum + gateway.residentMegabytes(), 0),
      ...(await read((metric) => /^gateway_memory_size_bytes\{memory="(.*)"\}/.exec(metric)?.[1])),
    }),
    async lagMs() {
      const { rows } = (await clients["primary"]?.query(LAG)) ?? { rows: [] };
      return rows[0]?.ms ?? Number.NaN;
    },
    async close() {
      for (const client of Object.values(clients)) await client.end();
    },
  };
}

/** Adds the counts between two moments to earlier counts. */
export function addDifference(sum: Figures, before: Figures, after: Figures): Figures {
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, (sum[name] ?? 0) + value - (before[name] ?? 0)]),
  );
}
