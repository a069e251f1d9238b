import type { Database } from "../database/types.js";
import { type JobRow, listJobs } from "./jobs.js";

/** Deliveries that wait in a table. */
interface Queue {
  readonly name: string;
  readonly waiting: number;
  /** Seconds since the most overdue one was due; 0 without any. */
  readonly overdueSeconds: number;
}

/** Deliveries that wait for the background work of all processes, and the times of its jobs. */
export interface Backlog {
  readonly queues: readonly Queue[];
  readonly jobs: readonly JobRow[];
}

/** Tables of deliveries, with the column of the time at which one is due; null for those that ended. */
const QUEUES = {
  notifications: ["outbox", "next_at"],
  emails: ["mail_jobs", "next_at"],
  webhooks: ["webhook_deliveries", "next_attempt_at"],
} as const;

const SELECT_QUEUES = Object.entries(QUEUES)
  .map(
    ([name, [table, due]]) => `SELECT '${name}' AS name, count(*)::float8 AS waiting,
      greatest(0, coalesce(extract(epoch FROM now() - min(${due})), 0))::float8 AS "overdueSeconds"
    FROM ${table} WHERE ${due} IS NOT NULL`,
  )
  .join(" UNION ALL ");

/** Reads the backlog. */
export async function readBacklog(database: Database): Promise<Backlog> {
  const [queues, jobs] = await Promise.all([database.select<Queue>(SELECT_QUEUES, []), listJobs(database)]);
  return { queues, jobs };
}
