import { type Bench, medianOf } from "../bench.js";
import { mixedCalls } from "../calls.js";
import { loadFor } from "../load.js";
import { type Latencies, paceFor } from "../paced.js";

/** The slow answers beside the usual ones, at half of the load that the gateway can take. */
export function latency(bench: Bench): Promise<void> {
  const name = "mixed reads at half of the maximal load, p99 / p50";
  bench.say(name);
  return bench.withServers(["gateway"], async ({ gateway }) => {
    const calls = mixedCalls(bench.tenants);
    const rounds: Latencies[] = [];
    await bench.warmUp([gateway], calls);
    for (let round = 0; round < bench.rounds; round += 1) {
      const { requestsPerSecond } = await loadFor(gateway, calls, bench.seconds);
      await bench.forgetLimits();
      rounds.push(
        await paceFor(gateway, calls, { perSecond: requestsPerSecond / 2, seconds: bench.seconds }),
      );
      await bench.forgetLimits();
    }
    const middle = (pick: (round: Latencies) => number) => medianOf(rounds, pick);
    const perSecond = Math.round(middle((round) => round.perSecond)).toLocaleString("en");
    const [p50, p99] = [middle((round) => round.p50).toFixed(2), middle((round) => round.p99).toFixed(2)];
    bench.report({
      ...{ case: name, against: "", target: { atMost: 3 } },
      measured: middle((round) => round.p99 / round.p50),
      gateway: `${perSecond}/s: p50 ${p50} ms, p99 ${p99} ms`,
      figures: { gateway: rounds },
    });
  });
}
