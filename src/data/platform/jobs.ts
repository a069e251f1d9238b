import { write } from "../database/transaction.js";
import type { Database } from "../database/types.js";

/** Name of the job that verifies the audit trails. */
export const AUDIT_JOB = "verify the audit trail";

/** Times at which a job last started, succeeded and failed. */
export interface JobRow {
  readonly name: string;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly failedAt: Date | null;
}

/** A run of a job that this process has started or resumed. */
export interface BegunJob {
  /** Time on the database's clock. */
  readonly now: Date;
  /** The last organization that the interrupted run had started; empty for a new run. */
  readonly resumeAfter: string;
  /** Number of organizations for which the run has failed so far. */
  readonly failures: number;
}

/** SQL that is true if a job is due, or if the process that runs it has not reported in time. */
const IS_DUE = `(kept.leased_until IS NULL OR kept.leased_until <= now())
  AND (kept.resume_after IS NOT NULL OR kept.started_at <= now() - $2::float8 * interval '1 millisecond')`;
const LEASE = "now() + $3::float8 * interval '1 millisecond'";

/**
 * Starts a job in this process, or resumes an interrupted run; null if it is not due. A job with `leaseMs` iterates
 * over organizations, and must call `reportJob` at least that often.
 */
export async function beginJob(
  database: Database,
  name: string,
  { everyMs, leaseMs = null }: { readonly everyMs: number; readonly leaseMs?: number | null },
): Promise<BegunJob | null> {
  // Usually nothing is due, and a read is enough to tell.
  const notDue = await database.select(`SELECT FROM jobs AS kept WHERE name = $1 AND NOT (${IS_DUE})`, [
    name,
    everyMs,
  ]);
  if (notDue.length > 0) return null;
  const [begun] = await write(database, "serve", (sql) =>
    sql.query<BegunJob>(
      `INSERT INTO jobs AS kept (name, started_at, leased_until, resume_after)
       VALUES ($1, now(), ${LEASE}, CASE WHEN $3::float8 IS NOT NULL THEN '' END)
       ON CONFLICT (name) DO UPDATE SET leased_until = excluded.leased_until,
         started_at = CASE WHEN kept.resume_after IS NULL THEN now() ELSE kept.started_at END,
         failures = CASE WHEN kept.resume_after IS NULL THEN 0 ELSE kept.failures END,
         resume_after = coalesce(kept.resume_after, excluded.resume_after)
       WHERE ${IS_DUE}
       RETURNING now() AS now, coalesce(resume_after, '') AS "resumeAfter", failures`,
      [name, everyMs, leaseMs],
    ),
  );
  return begun ?? null;
}

/** Records that a job starts on an organization, and renews the lease. A resumed run continues with the next one. */
export async function reportJob(
  database: Database,
  name: string,
  { resumeAfter, failures, leaseMs }: Omit<BegunJob, "now"> & { readonly leaseMs: number },
): Promise<void> {
  await write(database, "serve", (sql) =>
    sql.execute(`UPDATE jobs SET resume_after = $2, leased_until = ${LEASE}, failures = $4 WHERE name = $1`, [
      name,
      resumeAfter,
      leaseMs,
      failures,
    ]),
  );
}

/** Records the end of a job. */
export async function endJob(database: Database, name: string, succeeded: boolean): Promise<void> {
  const column = succeeded ? "finished_at" : "failed_at";
  await write(database, "serve", (sql) =>
    sql.execute(
      `UPDATE jobs SET ${column} = now(), resume_after = NULL, leased_until = NULL WHERE name = $1`,
      [name],
    ),
  );
}

/** Lists all jobs that have ever run, by name. */
export function listJobs(database: Database): Promise<JobRow[]> {
  return database.select(
    `SELECT name, started_at AS "startedAt", finished_at AS "finishedAt", failed_at AS "failedAt" FROM jobs ORDER BY name`,
    [],
  );
}
