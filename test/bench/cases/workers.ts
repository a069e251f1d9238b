import type { Bench } from "../bench.js";
import { mixedCalls } from "../calls.js";
import { requireSameAnswers } from "../compare.js";
import { StartError } from "../server-process.js";
import { compareLoads } from "./loads.js";

/**
 * Two workers beside one process. On two cores the load, PostgreSQL and Redis take what the second worker would need, so
 * the ratio that counts is the one with that accounted for: what two workers do in the CPU time of two cores, to what
 * one process does in that of one.
 */
export async function workers(bench: Bench): Promise<void> {
  const names = ["gateway", "gateway with 2 workers"] as const;
  try {
    await bench.withServers(names, async (servers) => {
      const [one, two] = names.map((name) => servers[name]);
      if (!one || !two) return;
      const calls = mixedCalls(bench.tenants);
      await requireSameAnswers([one, two], calls);
      const [row] = await compareLoads(bench, "mixed reads, 2 workers", two, [[one, 1.7]], calls);
      if (!row) return;
      bench.report(row, { ...row, case: `${row.case}, load accounted for`, measured: 2 * (row.byCpu ?? 0) });
    });
  } catch (error) {
    if (!(error instanceof StartError && error.code === 2)) throw error;
    bench.say("serve --workers is not supported: left out");
  }
}
