import { type Bench, inTurn } from "../bench.js";
import type { Call } from "../load.js";
import { type Latencies, paceFor } from "../paced.js";
import type { Server } from "../server-process.js";

/** Runs rounds of calls to each server in turns, each at its own pace, after a warm-up round. */
export async function alternatePaced(
  bench: Bench,
  perSecondOf: ReadonlyMap<Server, number>,
  calls: readonly Call[],
): Promise<Latencies[][]> {
  const found = new Map<Server, Latencies[]>([...perSecondOf.keys()].map((server) => [server, []]));
  for (let round = 0; round <= bench.rounds; round += 1) {
    for (const [server, perSecond] of inTurn([...perSecondOf], round)) {
      await bench.forgetLimits();
      const latencies = await paceFor(server, calls, { perSecond, seconds: bench.seconds });
      if (round > 0) found.get(server)?.push(latencies);
    }
  }
  await bench.forgetLimits();
  return [...found.values()];
}
