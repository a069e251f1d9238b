import { type Bench, medianOf } from "../bench.js";
import { restCall } from "../calls.js";

/** Limit from starting the process to its first answer. */
const MAX_SECONDS = 1.2;

interface Start {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

/** Measures the time from starting a gateway on a migrated PostgreSQL to its first answer, and its memory then. */
export async function start(bench: Bench): Promise<void> {
  const starts: Start[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    await bench.forgetLimits();
    const startedAt = performance.now();
    await bench.withServers(["gateway"], async ({ gateway }) => {
      const { path, headers = {} } = restCall("emissions", bench.tenants[0]?.keys[0] as string);
      const answer = await fetch(gateway.url + path, { headers });
      if (!answer.ok) throw new Error(`the first answer was ${answer.status}: ${await answer.text()}`);
      await answer.text();
      starts.push({
        seconds: (performance.now() - startedAt) / 1_000,
        cpuSeconds: gateway.cpuSeconds(),
        megabytes: gateway.residentMegabytes(),
      });
    });
  }
  const [cpu, megabytes] = [
    medianOf(starts, ({ cpuSeconds }) => cpuSeconds),
    medianOf(starts, (one) => one.megabytes),
  ];
  bench.report({
    case: "from start to first answer",
    against: "",
    target: { atMost: MAX_SECONDS },
    unit: "s",
    measured: medianOf(starts, ({ seconds }) => seconds),
    gateway: `${cpu.toFixed(2)} s of CPU time, ${Math.round(megabytes)} MB`,
    figures: { starts },
  });
}
