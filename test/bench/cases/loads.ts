import { type Bench, medianOf, medianRatio } from "../bench.js";
import type { Call, Round } from "../load.js";
import type { Row } from "../report.js";
import type { Server } from "../server-process.js";

/** A server to compare with, and the required ratio to it, if any. */
export type Opponent = readonly [server: Server, atLeast?: number];

const describe = (rounds: readonly Round[]) => {
  const perSecond = medianOf(rounds, ({ requestsPerSecond }) => requestsPerSecond);
  const cpu = medianOf(rounds, ({ cpuPerRequest }) => cpuPerRequest);
  const busy = medianOf(rounds, ({ loadBusy }) => loadBusy);
  const capped = busy > 0.9 ? " (load at its limit)" : "";
  return `${Math.round(perSecond).toLocaleString("en")}/s, ${Math.round(cpu)} µs${capped}`;
};

/** Largest ratio of the slowest answers at full load to the usual ones. */
const MAX_TAIL = 5;

const tailOf = ({ p50, p99 }: Round) => p99 / p50;
const describeTail = (rounds: readonly Round[]) =>
  `p50 ${medianOf(rounds, ({ p50 }) => p50)} ms, p99 ${medianOf(rounds, ({ p99 }) => p99)} ms`;

/** Compares the gateway with others under the same load: a row for each, and one for its slowest answers. */
export async function compareLoads(
  bench: Bench,
  name: string,
  gateway: Server,
  opponents: readonly Opponent[],
  calls: readonly Call[],
): Promise<Row[]> {
  bench.say(name);
  const found = await bench.alternate([gateway, ...opponents.map(([server]) => server)], calls);
  const own = found.get(gateway) ?? [];
  const rows = opponents.map(([server, atLeast]): Row => {
    const others = found.get(server) ?? [];
    return {
      case: name,
      against: server.name,
      ...(atLeast !== undefined && { target: { atLeast } }),
      measured: medianRatio(own, others, (a, b) => a.requestsPerSecond / b.requestsPerSecond),
      byCpu: medianRatio(own, others, (a, b) => b.cpuPerRequest / a.cpuPerRequest),
      gateway: describe(own),
      other: describe(others),
      figures: { gateway: own, other: others },
    };
  });
  const [[other] = []] = opponents;
  return [
    ...rows,
    {
      case: `${name}, p99 / p50 at full load`,
      against: "",
      target: { atMost: MAX_TAIL },
      measured: medianOf(own, tailOf),
      gateway: describeTail(own),
      other: other ? `${other.name}: ${describeTail(found.get(other) ?? [])}` : "",
      figures: own,
    },
  ];
}
