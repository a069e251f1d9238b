import type { Bench } from "../bench.js";
import { mixedCalls } from "../calls.js";
import { fillSmallTenants } from "../fill.js";
import { loadOnce } from "../load.js";

const TENANTS = 10_000;
/** Limit for the first ten thousand tenants; memory must not grow beyond them. */
const MAX_MEGABYTES = 200;

/**
 * Measures the memory of the gateway's process after 10,000 tenants called every endpoint, and after 10,000 more: with
 * Node's defaults, which leave garbage while the machine has memory, and with a small heap, which shows the need.
 */
export function memory(bench: Bench): Promise<void> {
  return bench.withServers(["gateway", "gateway with a heap of 128 MB"], async (servers) => {
    for (const half of [1, 2]) {
      const name = `memory after ${(half * TENANTS).toLocaleString("en")} tenants`;
      bench.say(name);
      const tenants = await fillSmallTenants(bench.database, {
        name: `small-${half}-`,
        tenants: TENANTS,
        keysPerTenant: 1,
        recordsPerTenant: 3,
      });
      for (const server of Object.values(servers)) {
        const before = server.residentMegabytes();
        await loadOnce(server, mixedCalls(tenants));
        const after = server.residentMegabytes();
        bench.report({
          case: `${name}, ${server.name}`,
          against: "",
          ...(half === 1 && { target: { atMost: MAX_MEGABYTES } }),
          unit: "MB",
          measured: after,
          gateway: `${Math.round(before)} MB before`,
          figures: { before, after },
        });
        await bench.forgetLimits();
      }
    }
  });
}
