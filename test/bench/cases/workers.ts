import { type Bench, medianOf, medianRatio } from "../bench.js";
import { mixedCalls } from "../calls.js";
import { requireSameAnswers } from "../compare.js";
import { loadFor } from "../load.js";
import type { Latencies } from "../paced.js";
import { type Server, StartError } from "../server-process.js";
import { compareLoads } from "./loads.js";
import { alternatePaced } from "./paces.js";

/**
 * Compares two workers with one process. On two cores, the load, PostgreSQL and Redis take what the second worker would
 * need, so the ratio by the clock only says how busy the machine is. The ratio that matters compares the work per CPU time:
 * of two workers on two cores, and of one process on one. Each process is called at the same pace over the same number of
 * connections, because fewer requests per turn of the event loop cost more CPU time each.
 */
export async function workers(bench: Bench): Promise<void> {
  const names = ["gateway", "gateway with 2 workers"] as const;
  try {
    await bench.withServers(names, async (servers) => {
      const { gateway: one, "gateway with 2 workers": two } = servers;
      const calls = mixedCalls(bench.tenants);
      await requireSameAnswers([one, two], calls);
      bench.report(...(await compareLoads(bench, "mixed reads, 2 workers", two, [[one]], calls)));

      const name = "mixed reads at the same pace for each process, work in each core's time, 2 workers";
      bench.say(name);
      const { requestsPerSecond } = await loadFor(one, calls, bench.seconds);
      const paceOf = ({ processes }: Server) => (processes * requestsPerSecond) / 4;
      const paces = new Map([one, two].map((server) => [server, paceOf(server)]));
      const [others = [], own = []] = await alternatePaced(bench, paces, calls);
      bench.report({
        case: name,
        against: one.name,
        target: { atLeast: 1.7 },
        measured: two.processes * medianRatio(own, others, (a, b) => b.cpuPerRequest / a.cpuPerRequest),
        gateway: describe(own),
        other: describe(others),
        figures: { gateway: own, other: others },
      });
    });
  } catch (error) {
    if (!(error instanceof StartError && error.code === 2)) throw error;
    bench.say("serve --workers is not supported: left out");
  }
}

function describe(rounds: readonly Latencies[]): string {
  const [{ perSecond } = { perSecond: 0 }] = rounds;
  const cpu = medianOf(rounds, ({ cpuPerRequest }) => cpuPerRequest);
  return `${Math.round(perSecond).toLocaleString("en")}/s, ${Math.round(cpu)} µs`;
}
