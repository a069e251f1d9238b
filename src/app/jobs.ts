import { verifyTrail } from "../actions/audit.js";
import { remindOfDeadlines } from "../actions/notifications/remind.js";
import { tellOfAnomalies } from "../actions/notifications/tell-of-anomalies.js";
import { prune } from "../data/database/prune.js";
import { limitTime } from "../data/database/time-limit.js";
import type { Database } from "../data/database/types.js";
import { countPlatform } from "../data/platform/count-platform.js";
import { AUDIT_JOB, beginJob, endJob } from "../data/platform/jobs.js";
import type { Log } from "../log.js";
import type { Part } from "./parts.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long `stop` waits for the database. */
const STOP_MS = 500;

/** Something that a gateway does by itself now and then. Of all processes, one runs it each time. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  run(database: Database): Promise<unknown>;
}

/** What gateways do by themselves. */
export const JOBS: readonly Job[] = [
  { name: "delete what expired", everyMs: HOUR_MS, run: prune },
  { name: "count the platform", everyMs: HOUR_MS, run: atNow(countPlatform) },
  { name: "remind of deadlines", everyMs: HOUR_MS, run: atNow(remindOfDeadlines) },
  { name: "tell of anomalies", everyMs: 24 * HOUR_MS, run: atNow(tellOfAnomalies) },
  { name: AUDIT_JOB, everyMs: 24 * HOUR_MS, run: requireWholeTrail },
];

/** The time is the database's: processes may differ. */
function atNow(run: (database: Database, now: Date) => Promise<unknown>): Job["run"] {
  return async (database) => {
    const [row] = await database.select<{ now: Date }>("SELECT now() AS now", []);
    if (row) await run(database, row.now);
  };
}

async function requireWholeTrail(database: Database): Promise<void> {
  const { chains } = await verifyTrail(database, {});
  const broken = chains.filter(({ ok }) => !ok);
  if (broken.length === 0) return;
  const places = broken.map((chain) => `${chain.organizationId ?? "platform"}:${chain.firstBrokenSeq}`);
  throw new Error(`the audit trail is broken at ${places.join(", ")}`);
}

/** Runs each job that is due, a minute after the start and then once a minute. What fails is logged, and runs again when due. */
export function startJobs(database: Database, log: Log, jobs: readonly Job[], intervalMs = MINUTE_MS): Part {
  const runIfDue = async ({ name, everyMs, run }: Job) => {
    if (!(await beginJob(database, name, everyMs))) return;
    try {
      await run(database);
    } catch (error) {
      log.error({ err: error, job: name }, "a job failed");
      await endJob(database, name, false);
      return;
    }
    await endJob(database, name, true);
  };
  const runDue = async () => {
    try {
      for (const job of jobs) await runIfDue(job);
    } catch (error) {
      log.warn({ err: error }, "could not run the jobs that are due");
    }
  };
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= runDue().finally(() => {
      running = undefined;
    });
  }, intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      // A server that hangs must not keep the gateway from ending.
      await limitTime(STOP_MS)(async () => running).catch(() => undefined);
    },
  };
}
