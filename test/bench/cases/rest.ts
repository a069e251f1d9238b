import type { Bench } from "../bench.js";
import { callsOfKeys, ENDPOINTS, restCall } from "../calls.js";
import { requireSameAnswers } from "../compare.js";
import { compareLoads } from "./loads.js";

/** Measures each endpoint with unchanged data, as when polling. */
export function rest(bench: Bench): Promise<void> {
  return bench.withServers(["gateway", "floor", "fastify"], async ({ gateway, floor, fastify }) => {
    for (const name of ENDPOINTS) {
      const calls = callsOfKeys(bench.tenants, (key) => restCall(name, key));
      await requireSameAnswers([gateway, fastify], calls);
      const opponents = [[floor, 0.7] as const, [fastify, name === "emissions" ? 15 : 4] as const];
      bench.report(...(await compareLoads(bench, `${name}, unchanged`, gateway, opponents, calls)));
      await requireSameAnswers([gateway, fastify], calls);
    }
  });
}
