import type { Bench } from "../bench.js";
import { mixedCalls } from "../calls.js";
import { fillSmallTenants } from "../fill.js";
import { loadOnce } from "../load.js";
import type { Row } from "../report.js";

const TENANTS = 10_000;

/** What the gateway's process holds after every endpoint was asked for by 10,000 tenants, and by as many more. */
export function memory(bench: Bench): Promise<Row[]> {
  return bench.withServers(["gateway"], async ({ gateway }) => {
    const rows: Row[] = [];
    for (const half of [1, 2]) {
      const name = `memory after ${(half * TENANTS).toLocaleString("en")} tenants`;
      bench.say(name);
      const tenants = await fillSmallTenants(bench.database, {
        ...{ name: `small-${half}-`, tenants: TENANTS },
        ...{ keysPerTenant: 1, recordsPerTenant: 3 },
      });
      const before = gateway.residentMegabytes();
      await loadOnce(gateway, mixedCalls(tenants));
      const after = gateway.residentMegabytes();
      rows.push({
        ...{ case: name, against: "", target: { atMost: 200 }, unit: "MB", measured: after },
        gateway: `${Math.round(before)} MB before`,
        figures: { before, after },
      });
      await bench.forgetLimits();
    }
    return rows;
  });
}
