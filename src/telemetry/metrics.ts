import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { REFUSALS, type Refusal } from "../access/refusals.js";
import { SIGN_IN_RESULTS, type SignInResult } from "../actions/accounts/context.js";
import type { CacheState } from "../data/cache/cache.js";
import type { Database } from "../data/database/types.js";
import type { Backlog } from "../data/platform/backlog.js";
import type { RequestMetrics } from "../http/server/observer.js";
import type { RateLimiter } from "../limits/budget/rate-limit.js";

export interface Metrics extends RequestMetrics {
  readonly registry: Registry;
  /** Counts a request that was refused because of its key. */
  refused(reason: Refusal): void;
  /** Counts a tool call by its outcome: `ok`, or the error code. */
  toolCalled(tool: string, outcome: string, seconds: number): void;
  /** Counts a sign-in attempt by its result. */
  signedIn(result: SignInResult): void;
}

/** Sources the metrics endpoint reads. */
export interface MetricsSources {
  readonly version: string;
  readonly rateLimitStore: RateLimiter["store"];
  readonly isListening: () => boolean;
  readonly connections: Database["connections"];
  readonly replicas: Database["replicas"];
  readonly auditEntries: () => number;
  readonly backlog: () => Backlog;
  readonly memories: Readonly<Record<string, { state(): CacheState }>>;
}

/** Upper limits of the buckets of durations, in seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Creates the metrics of this process. Names follow OpenTelemetry where it defines one, in Prometheus' spelling and
 * with units. No label holds a key, a tenant or an operation's name. Metrics of several processes are summed unless a
 * metric sets another aggregator.
 */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "http_server_request_duration_seconds",
    help: "Duration of HTTP requests by surface, method, route and status",
    labelNames: ["surface", "http_request_method", "http_route", "http_response_status_code"],
    buckets: SECONDS,
    registers,
  });
  let active = 0;
  const limited = new Counter({
    name: "gateway_rate_limited_requests_total",
    help: "Requests refused with 429",
    registers,
  });
  const failures = new Counter({
    name: "gateway_authentication_failures_total",
    help: "Requests refused because of their key, by reason",
    labelNames: ["reason"],
    registers,
  });
  // Without a first value, Prometheus could not distinguish a rate of zero from a missing series.
  for (const reason in REFUSALS) failures.inc({ reason }, 0);
  const signIns = new Counter({
    name: "gateway_sign_ins_total",
    help: "Sign-in attempts by result: succeeded, refused, or limited after too many",
    labelNames: ["result"],
    registers,
  });
  for (const result of SIGN_IN_RESULTS) signIns.inc({ result }, 0);

  const toolCalls = new Counter({
    name: "gateway_mcp_calls_total",
    help: "Tool calls by tool (`other` for unknown ones) and outcome (ok, or the error code)",
    labelNames: ["tool", "outcome"],
    registers,
  });
  const toolSeconds = new Histogram({
    name: "gateway_mcp_call_seconds",
    help: "Duration of tool calls by tool",
    labelNames: ["tool"],
    buckets: SECONDS,
    registers,
  });

  const gauge = (name: string, help: string, read: () => number, aggregator?: "min" | "max" | "first") =>
    new Gauge({
      name,
      help,
      registers,
      ...(aggregator && { aggregator }),
      collect() {
        this.set(read());
      },
    });
  gauge("http_server_active_requests", "Requests being answered", () => active);
  gauge("gateway_processes", "Processes that these metrics describe", () => 1);
  gauge(
    "gateway_rate_limit_store_up",
    "1 while requests are counted as configured, 0 while Redis is unavailable and they are counted in memory; the lowest of all processes",
    () => (sources.rateLimitStore() === "insurance" ? 0 : 1),
    "min",
  );
  gauge(
    "gateway_changes_heard",
    "1 while the database announces its changes, 0 while it does not and nothing is cached; the lowest of all processes",
    () => (sources.isListening() ? 1 : 0),
    "min",
  );
  gauge(
    "gateway_audit_entries",
    "Entries in the audit trail, as of the previous scrape; the highest of all processes",
    sources.auditEntries,
    "max",
  );
  new Gauge({
    name: "gateway_build_info",
    help: "Version of the gateway",
    labelNames: ["version"],
    aggregator: "first",
    registers,
  }).set({ version: sources.version }, 1);
  observeMemories(registers, sources.memories);
  observeBacklog(registers, sources.backlog);
  if (sources.connections() !== null) observeConnections(registers, sources.connections);
  if (sources.replicas) observeReplicas(registers, sources.replicas);
  return {
    registry,
    began() {
      active += 1;
    },
    ended(surface, http_request_method, http_route, status, seconds) {
      active -= 1;
      duration.observe(
        { surface, http_request_method, http_route, http_response_status_code: status },
        seconds,
      );
      if (status === 429) limited.inc();
    },
    refused: (reason) => failures.inc({ reason }),
    toolCalled(tool, outcome, seconds) {
      toolCalls.inc({ tool, outcome });
      toolSeconds.observe({ tool }, seconds);
    },
    signedIn: (result) => signIns.inc({ result }),
  };
}

/** Creates the function that adds gauges with a value for each part. The label `label` holds the part's name. */
function createGauges<State>(
  registers: Registry[],
  label: string,
  parts: () => readonly (readonly [name: string, state: State])[],
) {
  return (name: string, help: string, read: (state: State) => number, aggregator?: "min" | "max") =>
    new Gauge({
      name,
      help,
      registers,
      labelNames: [label],
      ...(aggregator && { aggregator }),
      collect() {
        for (const [part, state] of parts()) this.set({ [label]: part }, read(state));
      },
    });
}

function observeMemories(registers: Registry[], memories: MetricsSources["memories"]): void {
  const states = () => Object.entries(memories).map(([name, memory]) => [name, memory.state()] as const);
  const gauge = createGauges(registers, "memory", states);
  gauge(
    "gateway_memory_entries",
    "Entries in the caches of keys, sessions, rows and answers",
    ({ entries }) => entries,
  );
  gauge("gateway_memory_size_bytes", "Size of the cached entries", ({ bytes }) => bytes);
  gauge("gateway_memory_limit_bytes", "Maximum size of the cached entries", ({ maxBytes }) => maxBytes);
  new Counter({
    name: "gateway_memory_lookups_total",
    help: "Lookups by cache and result: remembered, shared with another running request, or computed",
    labelNames: ["memory", "result"],
    registers,
    collect() {
      this.reset();
      for (const [memory, { lookups }] of states()) {
        for (const [result, count] of Object.entries(lookups)) this.inc({ memory, result }, count);
      }
    },
  });
}

function observeBacklog(registers: Registry[], backlog: MetricsSources["backlog"]): void {
  const ofQueue = createGauges(registers, "queue", () =>
    backlog().queues.map((queue) => [queue.name, queue] as const),
  );
  ofQueue(
    "gateway_queue_waiting",
    "Deliveries that wait, as of the previous scrape",
    ({ waiting }) => waiting,
    "max",
  );
  ofQueue(
    "gateway_queue_overdue_seconds",
    "Time since the most overdue delivery was due, as of the previous scrape",
    ({ overdueSeconds }) => overdueSeconds,
    "max",
  );
  const ofJob = createGauges(registers, "job", () => backlog().jobs.map((job) => [job.name, job] as const));
  const seconds = (time: Date | null) => (time?.getTime() ?? 0) / 1_000;
  ofJob(
    "gateway_job_succeeded_timestamp_seconds",
    "Unix time at which a job last succeeded, 0 for never, as of the previous scrape",
    ({ finishedAt }) => seconds(finishedAt),
    "max",
  );
  ofJob(
    "gateway_job_failed_timestamp_seconds",
    "Unix time at which a job last failed, 0 for never, as of the previous scrape",
    ({ failedAt }) => seconds(failedAt),
    "max",
  );
}

function observeConnections(registers: Registry[], connections: Database["connections"]): void {
  const gauge = (
    name: string,
    help: string,
    read: (state: NonNullable<ReturnType<typeof connections>>) => number,
  ) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const state = connections();
        if (state) this.set(read(state));
      },
    });
  new Gauge({
    name: "db_client_connection_count",
    help: "Connections to the database by state",
    labelNames: ["db_client_connection_state"],
    registers,
    collect() {
      const state = connections();
      this.set({ db_client_connection_state: "used" }, state?.used ?? 0);
      this.set({ db_client_connection_state: "idle" }, state?.idle ?? 0);
    },
  });
  gauge("db_client_connection_max", "Maximum number of open connections", ({ max }) => max);
  gauge(
    "db_client_connection_pending_requests",
    "Statements waiting for a connection",
    ({ waiting }) => waiting,
  );
}

function observeReplicas(registers: Registry[], replicas: NonNullable<Database["replicas"]>): void {
  const states = () => replicas.states().map((state) => [state.name, state] as const);
  const gauge = createGauges(registers, "replica", states);
  gauge(
    "gateway_replica_serving",
    "1 while a replica answers reads, 0 while it does not; the lowest of all processes",
    ({ reason }) => (reason === null ? 1 : 0),
    "min",
  );
  gauge(
    "gateway_replica_lag_seconds",
    "Time by which a replica is behind the primary; the longest of all processes",
    ({ lagMs }) => lagMs / 1_000,
    "max",
  );
  new Counter({
    name: "gateway_replica_reads_total",
    help: "Reads that were sent to a replica",
    registers,
    labelNames: ["replica"],
    collect() {
      this.reset();
      for (const [replica, { reads }] of states()) this.inc({ replica }, reads);
    },
  });
}
