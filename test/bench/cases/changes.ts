import type { Bench } from "../bench.js";
import { ENDPOINTS, restCall } from "../calls.js";
import { CHANGES, compareFirstCalls } from "./first-calls.js";

/** Measures the first call of each endpoint after a change of its data. */
export function changes(bench: Bench): Promise<void> {
  return bench.withServers(["gateway", "fastify"], async ({ gateway, fastify }) => {
    for (const name of ENDPOINTS) {
      const title = `${name}, first call after a change`;
      const callOf = (key: string) => restCall(name, key);
      bench.report(
        ...(await compareFirstCalls(bench, title, gateway, [[fastify, 0.8]], CHANGES[name], callOf)),
      );
    }
  });
}
