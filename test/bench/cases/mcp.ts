import { type Bench, inTurn, medianOf, medianRatio } from "../bench.js";
import { callsOfKeys, graphqlCall, SMALL_QUERY } from "../calls.js";
import { type Call, loadFor, loadOnce, type Round } from "../load.js";
import type { Row } from "../report.js";
import type { Server } from "../server-process.js";

const PRESENT = "2026-07-28";
const FORMER = "2025-11-25";
/** Number of uncached calls in a round. */
const DISTINCT = 1_000;
/** Largest ratio of a tool call's CPU time to that of its document at /graphql. */
const MAX = 1.3;

/** Tools with the trusted document that each runs, and the page size. */
const TOOLS = [
  { tool: "get_emissions_summary", documentId: "getEmissionsSummary", first: undefined },
  { tool: "search_emission_records", documentId: "searchEmissionRecords", first: 50 },
] as const;

interface Range {
  readonly from: string;
  readonly to: string;
}
type Caller = (key: string, range: Range) => Call;

/** Returns a message as clients of a revision of the Model Context Protocol send it. */
function mcpCall(key: string, revision: string, method: string, params: { readonly name?: string }): Call {
  const isPresent = revision === PRESENT;
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    method: "POST",
    path: "/mcp",
    headers: {
      "X-API-Key": key,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": revision,
      ...(isPresent && { "Mcp-Method": method }),
      ...(isPresent && params.name !== undefined && { "Mcp-Name": params.name }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { ...params, ...(isPresent && { _meta: meta }) },
    }),
  };
}

/** Compares tool calls with the same trusted documents at /graphql with the same keys, and measures the list of tools. */
export function mcp(bench: Bench): Promise<void> {
  return bench.withServers(["gateway"], async ({ gateway }) => {
    for (const { tool, documentId, first } of TOOLS) {
      const limit = first === undefined ? {} : { limit: first };
      const asTool =
        (revision: string): Caller =>
        (key, { from, to }) =>
          mcpCall(key, revision, "tools/call", { name: tool, arguments: { ...limit, from, to } } as never);
      const asDocument: Caller = (key, range) => {
        const call = graphqlCall("", key);
        return { ...call, body: JSON.stringify({ documentId, variables: { range, first } }) };
      };
      const compare = (how: string, revision: string, load: Load) =>
        compareCallers(bench, `${tool} of ${revision}, ${how}`, gateway, load, asTool(revision), asDocument);
      bench.report(
        await compare("cached", PRESENT, loadCached(bench)),
        await compare("cached", FORMER, loadCached(bench)),
        await compare("computed", PRESENT, loadComputed(bench)),
      );
    }
    const list = (key: string) => mcpCall(key, PRESENT, "tools/list", {});
    // The first answer derives the schemas of all tools.
    await loadOnce(gateway, callsOfKeys(bench.tenants, list).slice(0, 25));
    const row = await compareCallers(bench, "tools/list", gateway, loadCached(bench), list, (key) =>
      graphqlCall(SMALL_QUERY, key),
    );
    const { mcp: rounds } = row.figures;
    const time = medianOf(rounds, ({ cpuPerRequest }) => cpuPerRequest / 1_000);
    const { target: _, ...ratio } = row;
    bench.report(
      { ...ratio, against: "a small query at /graphql" },
      {
        ...row,
        case: "tools/list, CPU time of each",
        against: "",
        target: { atMost: 2 },
        unit: "ms",
        measured: time,
      },
    );
  });
}

type Load = (server: Server, caller: Caller) => Promise<Round>;

/** Loads with one range, which is cached. */
const loadCached =
  ({ tenants, seconds }: Bench): Load =>
  (server, caller) =>
    loadFor(
      server,
      callsOfKeys(tenants, (key) => caller(key, { from: "2026-01-01", to: "2026-06-30" })),
      seconds,
    );

const DAY_MS = 86_400_000;
const dayOf = (index: number) => new Date(Date.UTC(2025, 0, 1) + index * DAY_MS).toISOString().slice(0, 10);

/** Loads with new ranges, which are not cached. */
function loadComputed({ tenants }: Bench): Load {
  const asked = new Map<Caller, number>();
  return (server, caller) => {
    const start = asked.get(caller) ?? 0;
    asked.set(caller, start + DISTINCT);
    // One key per tenant, since a tenant's keys share cached answers.
    const keys = tenants.flatMap((tenant) => tenant.keys.slice(0, 1));
    return loadOnce(
      server,
      Array.from({ length: DISTINCT }, (_, index) => {
        const day = Math.floor((start + index) / keys.length);
        return caller(keys[index % keys.length] as string, { from: dayOf(day), to: dayOf(day + 180) });
      }),
    );
  };
}

/** Compares the CPU time of two ways to call, in turns after a warm-up round. */
async function compareCallers(
  bench: Bench,
  name: string,
  gateway: Server,
  load: Load,
  tool: Caller,
  document: Caller,
): Promise<Row & { readonly figures: Readonly<Record<"mcp" | "graphql", readonly Round[]>> }> {
  bench.say(name);
  const found = new Map<Caller, Round[]>([
    [tool, []],
    [document, []],
  ]);
  for (let round = 0; round <= bench.rounds; round += 1) {
    for (const [caller, rounds] of inTurn([...found], round)) {
      await bench.forgetLimits();
      const measured = await load(gateway, caller);
      if (round > 0) rounds.push(measured);
    }
  }
  const [own = [], others = []] = [...found.values()];
  const cpu = (rounds: readonly Round[]) =>
    `${Math.round(medianOf(rounds, ({ cpuPerRequest }) => cpuPerRequest))} µs`;
  return {
    case: name,
    against: "its document at /graphql",
    target: { atMost: MAX },
    measured: medianRatio(own, others, (a, b) => a.cpuPerRequest / b.cpuPerRequest),
    gateway: cpu(own),
    other: cpu(others),
    figures: { mcp: own, graphql: others },
  };
}
