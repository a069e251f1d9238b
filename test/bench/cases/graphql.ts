import type { Bench } from "../bench.js";
import { callsOfKeys, DASHBOARD_QUERY, graphqlCall, SMALL_QUERY } from "../calls.js";
import { requireSameAnswers } from "../compare.js";
import type { Row } from "../report.js";
import type { Server } from "../server-process.js";
import { CHANGES, compareFirstCalls } from "./first-calls.js";
import { compareLoads, type Opponent } from "./loads.js";

/** One summary; and a dashboard, unchanged and after a change. */
export function graphql(bench: Bench): Promise<Row[]> {
  return bench.withServers(["gateway", "mercurius", "apollo"], async ({ gateway, mercurius, apollo }) => {
    const unchanged = async (name: string, query: string, opponents: readonly Opponent[]) => {
      const calls = callsOfKeys(bench.tenants, (key) => graphqlCall(query, key));
      const servers: Server[] = [gateway, ...opponents.map(([server]) => server)];
      await requireSameAnswers(servers, calls);
      return compareLoads(bench, `${name}, unchanged`, gateway, opponents, calls);
    };
    return [
      ...(await unchanged("small query", SMALL_QUERY, [[mercurius, 2]])),
      ...(await unchanged("dashboard", DASHBOARD_QUERY, [[mercurius, 3], [apollo]])),
      ...(await compareFirstCalls(
        bench,
        "dashboard, first call after a change",
        gateway,
        [[mercurius, 1.2], [apollo]],
        CHANGES.emissions,
        (key) => graphqlCall(DASHBOARD_QUERY, key),
      )),
    ];
  });
}
