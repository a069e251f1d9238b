import type { Database } from "../data/database/types.js";
import { type BegunJob, beginJob, endJob, reportJob } from "../data/platform/jobs.js";
import type { Log } from "../log.js";
import { limitTime } from "../time-limit.js";
import { takeTurn } from "../turns.js";

/** A job that runs for each organization. After a failure, it continues with the next one. */
export interface OrganizationJob {
  readonly name: string;
  readonly everyMs: number;
  /** Time limit for one organization. */
  readonly limitMs: number;
  /** Lists at most `max` organizations with ids after `after` (initially ''), in the order of their ids. */
  list(database: Database, page: { after: string; max: number; now: Date }): Promise<string[]>;
  runFor(database: Database, organizationId: string, now: Date, log: Log): Promise<unknown>;
}

/** Organizations per page. */
const PAGE = 100;
/** Time after an organization's limit before another process assumes that this one has crashed. */
const GRACE_MS = 60_000;

/**
 * Runs a due job for each organization, or resumes an interrupted run. Records each organization before its turn, so
 * that a run does not retry one that crashed the process. When `stopped` aborts, another process resumes with the
 * organization in progress.
 */
export async function runForOrganizations(
  database: Database,
  log: Log,
  job: OrganizationJob,
  stopped: AbortSignal,
): Promise<void> {
  const { name, everyMs, limitMs } = job;
  const leaseMs = limitMs + GRACE_MS;
  const begun = await beginJob(database, name, { everyMs, leaseMs });
  if (begun === null) return;
  let { resumeAfter, failures } = begun;
  for (let page = await readPage(); page.length > 0; page = await readPage()) {
    for (const organizationId of page) {
      await reportJob(database, name, { resumeAfter: organizationId, failures, leaseMs });
      const error = await runLimited(database, log, job, organizationId, begun, stopped);
      if (stopped.aborted) {
        await reportJob(database, name, { resumeAfter, failures, leaseMs: 0 });
        return;
      }
      if (error !== null) {
        failures += 1;
        const fields = { err: error, job: name, organization_id: organizationId };
        log.error(fields, "a job failed for an organization");
      }
      resumeAfter = organizationId;
    }
  }
  if (failures > 0) log.error({ job: name, failures }, "a job failed");
  await endJob(database, name, failures === 0);

  function readPage() {
    return job.list(database, { after: resumeAfter, max: PAGE, now: (begun as BegunJob).now });
  }
}

/** Runs a job for one organization. Once its time is up or the job is stopped, its next query fails. */
async function runLimited(
  database: Database,
  log: Log,
  { limitMs, runFor }: OrganizationJob,
  organizationId: string,
  { now }: BegunJob,
  stopped: AbortSignal,
): Promise<unknown> {
  const inTime = limitTime(limitMs);
  const whileAllowed = <T>(work: () => Promise<T>): Promise<T> =>
    inTime(async () => {
      // Lets waiting requests go first.
      await takeTurn();
      stopped.throwIfAborted();
      return work();
    });
  const limited: Database = {
    ...database,
    // Queries on replicas would bypass the limit.
    replicas: undefined,
    select: (...statement) => whileAllowed(() => database.select(...statement)),
    transaction: (...given) => whileAllowed(() => database.transaction(...given)),
  };
  try {
    await inTime(async () => runFor(limited, organizationId, now, log));
    return null;
  } catch (error) {
    return error;
  }
}
