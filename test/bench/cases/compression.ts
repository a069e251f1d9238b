import type { Bench } from "../bench.js";
import { callsOfKeys, restCall } from "../calls.js";
import { compareLoads } from "./loads.js";

/** Measures the largest answer with unchanged data, uncompressed and compressed; the floor never compresses. */
export function compression(bench: Bench): Promise<void> {
  return bench.withServers(["gateway", "floor"], async ({ gateway, floor }) => {
    for (const coding of [undefined, "gzip, br"]) {
      const accepted = coding === undefined ? {} : { "Accept-Encoding": coding };
      const calls = callsOfKeys(bench.tenants, (key) => restCall("benchmarks", key, accepted));
      const name = `benchmarks, unchanged, ${coding === undefined ? "without Accept-Encoding" : `Accept-Encoding: ${coding}`}`;
      bench.report(...(await compareLoads(bench, name, gateway, [[floor]], calls)));
    }
  });
}
