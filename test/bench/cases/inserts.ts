import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.js";
import { mixedCalls } from "../calls.js";
import { requireSameAnswers } from "../compare.js";
import { CHANGES } from "./first-calls.js";
import { compareLoads } from "./loads.js";

/** Measures mixed reads while every tenant gets one record a second. */
export function inserts(bench: Bench): Promise<void> {
  return bench.withServers(["gateway", "fastify"], async ({ gateway, fastify }) => {
    const calls = mixedCalls(bench.tenants);
    const stop = insertRecords(bench);
    const rows = await compareLoads(
      bench,
      "mixed reads, one insert per tenant and second",
      gateway,
      [[fastify, 3]],
      calls,
    );
    const perSecond = await stop();
    await sleep(200);
    await requireSameAnswers([gateway, fastify], calls);
    const name = `mixed reads, ${perSecond.toFixed(2)} inserts per tenant and second`;
    bench.report(...rows.map((row) => ({ ...row, case: name })));
  });
}

/** Starts inserting; the returned function ends it and returns the records per tenant and second. */
function insertRecords({ sql, tenants }: Bench): () => Promise<number> {
  let begun = 0;
  let last: Promise<unknown> = Promise.resolve();
  const started = performance.now();
  const secondsPassed = () => (performance.now() - started) / 1_000;
  // Inserts what is due by the clock: the timer is late while the load keeps this process busy.
  const timer = setInterval(() => {
    for (; begun < secondsPassed() * tenants.length; begun += 1) {
      const tenant = tenants[begun % tenants.length];
      last = last.then(() => sql.query(CHANGES.emissions, [tenant?.id]));
    }
    // The returned function awaits it and throws.
    last.catch(() => undefined);
  }, 10);
  return async () => {
    clearInterval(timer);
    await last;
    return begun / tenants.length / secondsPassed();
  };
}
