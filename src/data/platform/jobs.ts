import { write } from "../database/transaction.js";
import type { Database } from "../database/types.js";

/** The job that checks the audit trails. */
export const AUDIT_JOB = "verify the audit trail";

/** When a job last began, ended well and failed. */
export interface JobRow {
  readonly name: string;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly failedAt: Date | null;
}

/** Marks a job as begun by this process; false if any process began it less than `everyMs` ago. */
export async function beginJob(database: Database, name: string, everyMs: number): Promise<boolean> {
  const begun = await write(database, "serve", (sql) =>
    sql.execute(
      `INSERT INTO jobs AS kept (name, started_at) VALUES ($1, now())
       ON CONFLICT (name) DO UPDATE SET started_at = excluded.started_at
       WHERE kept.started_at <= now() - $2::float8 * interval '1 millisecond'`,
      [name, everyMs],
    ),
  );
  return begun > 0;
}

/** Notes how a job ended. */
export async function endJob(database: Database, name: string, isWell: boolean): Promise<void> {
  const column = isWell ? "finished_at" : "failed_at";
  await write(database, "serve", (sql) =>
    sql.execute(`UPDATE jobs SET ${column} = now() WHERE name = $1`, [name]),
  );
}

/** All jobs that ever ran, by name. */
export function listJobs(database: Database): Promise<JobRow[]> {
  return database.select(
    `SELECT name, started_at AS "startedAt", finished_at AS "finishedAt", failed_at AS "failedAt" FROM jobs ORDER BY name`,
    [],
  );
}
