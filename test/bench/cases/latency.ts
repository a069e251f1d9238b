import { type Bench, medianOf } from "../bench.js";
import { mixedCalls } from "../calls.js";
import { loadFor } from "../load.js";
import { type Latencies, paceFor } from "../paced.js";

/** The slow answers beside the usual ones, at half of the load that the gateway can take; and of the floor at that load. */
export function latency(bench: Bench): Promise<void> {
  const name = "mixed reads at half of the maximal load, p99 / p50";
  bench.say(name);
  return bench.withServers(["gateway", "floor"], async ({ gateway, floor }) => {
    const calls = mixedCalls(bench.tenants);
    const own: Latencies[] = [];
    const others: Latencies[] = [];
    await bench.warmUp([gateway, floor], calls);
    for (let round = 0; round < bench.rounds; round += 1) {
      const { requestsPerSecond } = await loadFor(gateway, calls, bench.seconds);
      const pace = { perSecond: requestsPerSecond / 2, seconds: bench.seconds };
      for (const [server, rounds] of [
        [gateway, own],
        [floor, others],
      ] as const) {
        await bench.forgetLimits();
        rounds.push(await paceFor(server, calls, pace));
      }
      await bench.forgetLimits();
    }
    bench.report({
      ...{ case: name, against: "", target: { atMost: 3 } },
      measured: medianOf(own, ratioOf),
      gateway: describe(own),
      other: `the floor, ${describe(others)}: ${medianOf(others, ratioOf).toFixed(1)} ×`,
      figures: { gateway: own, other: others },
    });
  });
}

const ratioOf = ({ p50, p99 }: Latencies) => p99 / p50;

function describe(rounds: readonly Latencies[]): string {
  const middle = (pick: (round: Latencies) => number) => medianOf(rounds, pick);
  const perSecond = Math.round(middle((round) => round.perSecond)).toLocaleString("en");
  const [p50, p99] = [middle((round) => round.p50).toFixed(2), middle((round) => round.p99).toFixed(2)];
  return `${perSecond}/s: p50 ${p50} ms, p99 ${p99} ms`;
}
