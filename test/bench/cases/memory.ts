import type { Bench } from "../bench.js";
import { mixedCalls } from "../calls.js";
import { fillSmallTenants } from "../fill.js";
import { loadOnce } from "../load.js";

const TENANTS = 10_000;
/** Of the first ten thousand; beyond that it is to be bounded. */
const MOST_MEGABYTES = 200;

/**
 * What the gateway's process holds after every endpoint was asked for by 10,000 tenants, and by as many more: as it
 * comes, when Node lets garbage lie while the machine has memory; and with a small heap, which shows what it needs.
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
          ...(half === 1 && { target: { atMost: MOST_MEGABYTES } }),
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
