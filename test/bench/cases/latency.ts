import { type Bench, medianOf } from "../bench.js";
import { mixedCalls } from "../calls.js";
import type { Latencies } from "../paced.js";
import { alternatePaced } from "./paces.js";

/** Compares slow answers with usual ones, at half of the gateway's full load, and those of the floor at the same load. */
export function latency(bench: Bench): Promise<void> {
  const name = "mixed reads at half of the maximal load, p99 / p50";
  bench.say(name);
  return bench.withServers(["gateway", "floor"], async ({ gateway, floor }) => {
    const calls = mixedCalls(bench.tenants);
    const loads = (await bench.alternate([gateway], calls)).get(gateway) ?? [];
    const perSecond = medianOf(loads, ({ requestsPerSecond }) => requestsPerSecond) / 2;
    const paces = new Map([gateway, floor].map((server) => [server, perSecond]));
    const [own = [], others = []] = await alternatePaced(bench, paces, calls);
    bench.report({
      case: name,
      against: "",
      target: { atMost: 3 },
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
