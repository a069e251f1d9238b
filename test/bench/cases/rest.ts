import type { Bench } from "../bench.js";
import { callsOfKeys, ENDPOINTS, restCall } from "../calls.js";
import { requireSameAnswers } from "../compare.js";
import type { Row } from "../report.js";
import { compareLoads } from "./loads.js";

/** Each endpoint, data unchanged since the last call: what polling is. */
export function rest(bench: Bench): Promise<Row[]> {
  return bench.withServers(["gateway", "floor", "fastify"], async ({ gateway, floor, fastify }) => {
    const rows: Row[] = [];
    for (const name of ENDPOINTS) {
      const calls = callsOfKeys(bench.tenants, (key) => restCall(name, key));
      await requireSameAnswers([gateway, fastify], calls);
      const opponents = [[floor, 0.7] as const, [fastify, name === "emissions" ? 15 : 4] as const];
      rows.push(...(await compareLoads(bench, `${name}, unchanged`, gateway, opponents, calls)));
      await requireSameAnswers([gateway, fastify], calls);
    }
    return rows;
  });
}
