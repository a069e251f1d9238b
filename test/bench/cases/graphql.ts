import type { Bench } from "../bench.js";
import { callsOfKeys, DASHBOARD_QUERY, graphqlCall, SMALL_QUERY } from "../calls.js";
import { requireSameAnswers } from "../compare.js";
import type { Server } from "../server-process.js";
import { CHANGES, compareFirstCalls } from "./first-calls.js";
import { compareLoads, type Opponent } from "./loads.js";

/** Measures a summary, and a dashboard, unchanged and after a change. */
export function graphql(bench: Bench): Promise<void> {
  return bench.withServers(["gateway", "mercurius", "apollo"], async ({ gateway, mercurius, apollo }) => {
    const unchanged = async (name: string, query: string, opponents: readonly Opponent[]) => {
      const calls = callsOfKeys(bench.tenants, (key) => graphqlCall(query, key));
      const servers: Server[] = [gateway, ...opponents.map(([server]) => server)];
      await requireSameAnswers(servers, calls);
      bench.report(...(await compareLoads(bench, `${name}, unchanged`, gateway, opponents, calls)));
      await requireSameAnswers(servers, calls);
    };
    await unchanged("small query", SMALL_QUERY, [[mercurius, 2]]);
    await unchanged("dashboard", DASHBOARD_QUERY, [[mercurius, 3], [apollo]]);
    const name = "dashboard, first call after a change";
    const callOf = (key: string) => graphqlCall(DASHBOARD_QUERY, key);
    const opponents = [[mercurius, 1.2] as const, [apollo] as const];
    bench.report(...(await compareFirstCalls(bench, name, gateway, opponents, CHANGES.emissions, callOf)));
  });
}
