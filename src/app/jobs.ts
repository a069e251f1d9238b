import type { Resources } from "../access/context.js";
import { checkTrail } from "../actions/audit-trail.js";
import { checkDomains, listOrganizationsToCheck } from "../actions/domains/check-daily.js";
import {
  listOrganizationsToTell,
  notifyOfAnnouncements,
} from "../actions/notifications/notify-of-announcements.js";
import { notifyOfAnomalies } from "../actions/notifications/notify-of-anomalies.js";
import { remindOfDeadlines } from "../actions/notifications/remind.js";
import { listChainsAfter } from "../data/audit/chain-pages.js";
import type { Database } from "../data/database/types.js";
import { prune } from "../data/database/upkeep/prune.js";
import { listOrganizationsWithDeadlines } from "../data/notifications/due-deadlines.js";
import { listOrganizationsToNotify } from "../data/notifications/organizations-to-notify.js";
import { countPlatform } from "../data/platform/count-platform.js";
import { AUDIT_JOB, beginJob, endJob } from "../data/platform/jobs.js";
import { isoDate } from "../domain/window.js";
import type { Log } from "../log.js";
import { type OrganizationJob, runForOrganizations } from "./organization-jobs.js";
import type { Part } from "./parts.js";
import { startRepeating } from "./repeating.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A job for the whole platform. Only one process runs it at a time. */
export interface PlatformJob {
  readonly name: string;
  readonly everyMs: number;
  /** `now` is the database's time, because the processes' clocks differ. */
  run(database: Database, now: Date): Promise<unknown>;
}

export type Job = PlatformJob | OrganizationJob;

/** Background jobs that need only the database. */
export const JOBS: readonly Job[] = [
  { name: "delete what expired", everyMs: HOUR_MS, run: prune },
  { name: "count the platform", everyMs: HOUR_MS, run: countPlatform },
  {
    name: "remind of deadlines",
    everyMs: HOUR_MS,
    limitMs: MINUTE_MS,
    runFor: remindOfDeadlines,
    list: (database, { after, max, now }) =>
      listOrganizationsWithDeadlines(database, { after, max, today: isoDate(now) }),
  },
  {
    name: "tell of anomalies",
    everyMs: DAY_MS,
    limitMs: MINUTE_MS,
    list: listOrganizationsToNotify,
    runFor: notifyOfAnomalies,
  },
  {
    name: "tell of announcements",
    everyMs: 10 * MINUTE_MS,
    limitMs: MINUTE_MS,
    list: listOrganizationsToTell,
    runFor: notifyOfAnnouncements,
  },
  {
    name: AUDIT_JOB,
    everyMs: DAY_MS,
    limitMs: 10 * MINUTE_MS,
    runFor: checkTrail,
    list: (database, { after, max }) => listChainsAfter(database, after, max),
  },
];

/** Returns all background jobs of a gateway. */
export const createJobs = (resources: Pick<Resources, "outbound" | "pepper">): readonly Job[] => [
  ...JOBS,
  {
    name: "check domains",
    everyMs: HOUR_MS,
    // Each of an organization's domains may take 10 seconds with slow name servers.
    limitMs: 5 * MINUTE_MS,
    list: listOrganizationsToCheck,
    runFor: (database, organizationId, now) => checkDomains(resources, database, organizationId, now),
  },
];

/**
 * Polls for due jobs once a minute, starting after a minute. Jobs do not wait for each other. A failed job is
 * logged and runs again when next due.
 */
export function startJobs(database: Database, log: Log, jobs: readonly Job[], intervalMs = MINUTE_MS): Part {
  const stopped = new AbortController();
  const runIfDue = async (job: Job) => {
    try {
      if ("run" in job) await runForPlatform(database, log, job);
      else await runForOrganizations(database, log, job, stopped.signal);
    } catch (error) {
      if (!stopped.signal.aborted) log.warn({ err: error, job: job.name }, "failed to run a due job");
    }
  };
  const repeating = jobs.map((job) => startRepeating(() => runIfDue(job), intervalMs));
  return {
    async stop() {
      stopped.abort();
      await Promise.all(repeating.map((part) => part.stop()));
    },
  };
}

async function runForPlatform(
  database: Database,
  log: Log,
  { name, everyMs, run }: PlatformJob,
): Promise<void> {
  const begun = await beginJob(database, name, { everyMs });
  if (begun === null) return;
  try {
    await run(database, begun.now);
  } catch (error) {
    log.error({ err: error, job: name }, "a job failed");
    await endJob(database, name, false);
    return;
  }
  await endJob(database, name, true);
}
