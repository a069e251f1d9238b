import autocannon from "autocannon";
import type { Server } from "./server-process.js";

export interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The result of a round of load. */
export interface Round {
  readonly requestsPerSecond: number;
  /** Microseconds of the server's CPU time. */
  readonly cpuPerRequest: number;
  /** Share of a core that the load's own process used: near 1, the server could have done more. */
  readonly loadBusy: number;
  /** Latency percentiles in whole milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Number of connections to each process of a server. */
export const CONNECTIONS = 32;

/** Calls as fast as the server answers, over persistent connections. Throws if an answer is not a 200 or 201. */
export function loadFor(
  server: Server,
  calls: readonly Call[],
  seconds: number,
  connections = CONNECTIONS * server.processes,
): Promise<Round> {
  // Each connection begins at a different call, or all would send the same at once.
  const callsOf = (index: number) => {
    const start = Math.floor((index * calls.length) / connections);
    return [...calls.slice(start), ...calls.slice(0, start)];
  };
  return run(server, callsOf, { connections, duration: seconds });
}

/** Makes each call once. Their number must be a multiple of 25, the number of connections. */
export function loadOnce(server: Server, calls: readonly Call[]): Promise<Round> {
  const connections = 25;
  const share = calls.length / connections;
  const callsOf = (index: number) => calls.slice(index * share, (index + 1) * share);
  return run(server, callsOf, { connections, amount: calls.length });
}

async function run(
  server: Server,
  callsOf: (index: number) => readonly Call[],
  limits: { connections: number } & ({ duration: number } | { amount: number }),
): Promise<Round> {
  const prepared = Array.from({ length: limits.connections }, (_, index) =>
    callsOf(index).map((call) => ({ ...call })),
  );
  let next = 0;
  const [cpu, own] = [server.cpuSeconds(), process.cpuUsage()];
  const started = performance.now();
  const result = await autocannon({
    url: server.url,
    ...limits,
    sampleInt: 250,
    setupClient: (client) => client.setRequests(prepared[next++] ?? []),
  });
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(own);
  const answers = result["2xx"];
  const statuses = Object.keys(result.statusCodeStats ?? {});
  if (answers === 0 || statuses.some((status) => !/^20[01]$/.test(status)) || result.errors > 0) {
    throw new Error(
      `${server.name} answered ${statuses.join(", ") || "nothing"}, with ${result.errors} failed connections`,
    );
  }
  return {
    requestsPerSecond: answers / seconds,
    cpuPerRequest: ((server.cpuSeconds() - cpu) * 1e6) / answers,
    loadBusy: (user + system) / 1e6 / seconds,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
