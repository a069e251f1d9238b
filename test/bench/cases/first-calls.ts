import { setTimeout as sleep } from "node:timers/promises";
import { type Bench, medianOf } from "../bench.js";
import { callsOfKeys, type EndpointName } from "../calls.js";
import { essence, requireSame } from "../compare.js";
import { encodeCall, openConnection } from "../connection.js";
import type { Call } from "../load.js";
import type { Row } from "../report.js";
import type { Server } from "../server-process.js";
import type { Opponent } from "./loads.js";

/** A change of one row for each endpoint's answer; benchmarks belong to all tenants. */
export const CHANGES: Readonly<Record<EndpointName, string>> = {
  emissions: `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
    VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 'scope_1', 1.25)`,
  compliance: `UPDATE compliance_statuses SET last_updated = now()
    WHERE organization_id = $1 AND framework = 'CCTS'`,
  credits:
    "UPDATE credit_batches SET quantity = quantity + 1 WHERE organization_id = $1 AND reference = 'B1'",
  benchmarks: `UPDATE benchmarks SET intensity = intensity + 0.001
    WHERE id = (SELECT id FROM benchmarks WHERE $1::uuid IS NOT NULL AND intensity > 0 ORDER BY id LIMIT 1)`,
  market: `UPDATE market_prices SET price = price + 0.01
    WHERE id = (SELECT id FROM market_prices WHERE organization_id = $1 ORDER BY as_of DESC, id LIMIT 1)`,
};

/** Time for the gateway to hear of a change, not included in the results. An older answer afterwards is a failure. */
const ANNOUNCEMENT_MS = 100;
/** Warm-up rounds: plain load would hit the cache, and not compile the measured code. */
const UNCOUNTED = { rounds: 500, waitMs: 10 };

/** Compares the first call after a change, one call at a time: a row for each opponent. */
export async function compareFirstCalls(
  bench: Bench,
  name: string,
  gateway: Server,
  opponents: readonly Opponent[],
  change: string,
  callOf: (key: string) => Call,
): Promise<Row[]> {
  bench.say(name);
  const servers = [gateway, ...opponents.map(([server]) => server)];
  await bench.warmUp(servers, callsOfKeys(bench.tenants, callOf));
  const connections = await Promise.all(servers.map(({ url }) => openConnection(url)));
  const times = servers.map((): number[] => []);
  let cpu: number[] = [];
  try {
    for (let sample = -UNCOUNTED.rounds; sample < bench.samples; sample += 1) {
      if (sample === 0) cpu = servers.map((server) => server.cpuSeconds());
      const round = sample + UNCOUNTED.rounds;
      const isCounted = sample >= 0;
      const tenant = bench.tenants[round % bench.tenants.length];
      const call = callOf(tenant?.keys[0] ?? "");
      const encoded = encodeCall(call);
      await bench.sql.query(change, [tenant?.id]);
      await sleep(isCounted ? ANNOUNCEMENT_MS : UNCOUNTED.waitMs);
      const answers = servers.map(() => "");
      // Each server is first as often as last.
      const start = round % servers.length;
      const inTurns = [...servers.entries()];
      for (const [index, server] of [...inTurns.slice(start), ...inTurns.slice(0, start)]) {
        const started = performance.now();
        const answer = await connections[index]?.ask(encoded);
        if (isCounted) times[index]?.push(performance.now() - started);
        if (answer) answers[index] = essence(server, call, answer);
      }
      if (isCounted) requireSame(servers, answers, call);
    }
  } finally {
    for (const connection of connections) connection.close();
  }
  const figures = servers.map((server, index) => {
    const milliseconds = medianOf(times[index] ?? [], (time) => time);
    const used = ((server.cpuSeconds() - (cpu[index] ?? 0)) * 1e6) / bench.samples;
    const text = `${milliseconds.toFixed(2)} ms, ${Math.round(used)} µs`;
    return { milliseconds, used, text, times: times[index]?.map((time) => Number(time.toFixed(3))) };
  });
  const [own, ...others] = figures;
  return opponents.map(([server, atLeast], index) => ({
    case: name,
    against: server.name,
    ...(atLeast !== undefined && { target: { atLeast } }),
    measured: (others[index]?.milliseconds ?? 0) / (own?.milliseconds ?? 0),
    byCpu: (others[index]?.used ?? 0) / (own?.used ?? 0),
    gateway: own?.text ?? "",
    other: others[index]?.text ?? "",
    figures: { gateway: own?.times, other: others[index]?.times },
  }));
}
