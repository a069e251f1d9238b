import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { JOBS, startJobs } from "../../src/app/jobs.js";
import type { OrganizationJob } from "../../src/app/organization-jobs.js";
import { AUDIT_JOB } from "../../src/data/platform/jobs.js";
import { addOrganization } from "../support/audit.js";
import { createTestLog } from "../support/secrets.js";
import { useDatabase } from "../support/use.js";

const DAY_MS = 86_400_000;

const database = useDatabase();

const IDS = ["a", "b", "c", "d"];

/** Creates a daily job for four organizations. */
function createJob(runFor: OrganizationJob["runFor"], limitMs = 60_000): OrganizationJob {
  return {
    name: randomUUID(),
    everyMs: DAY_MS,
    limitMs,
    runFor,
    list: async (_database, { after, max }) => IDS.filter((id) => id > after).slice(0, Math.min(max, 2)),
  };
}
const findJob = (name: string) => database.prisma.job.findUniqueOrThrow({ where: { name } });

describe("a job for each organization", () => {
  it("continues with the others if one fails or takes too long, and reports which", async () => {
    const ran: string[] = [];
    const { log, lines } = createTestLog();
    const job = createJob(async (limited, id) => {
      ran.push(id);
      if (id === "a") throw new Error("broken");
      if (id === "c") for (;;) await limited.select("SELECT 1", []);
    }, 300);
    const part = startJobs(database, log, [job], 5);
    await expect
      .poll(async () => (await database.prisma.job.findUnique({ where: { name: job.name } }))?.failedAt)
      .toBeTruthy();
    await part.stop();
    expect(ran).toEqual(IDS);
    expect(lines().map(({ msg, organization_id, failures }) => [msg, organization_id ?? failures])).toEqual([
      ["a job failed for an organization", "a"],
      ["a job failed for an organization", "c"],
      ["a job failed", 2],
    ]);
    expect(await findJob(job.name)).toMatchObject({ finishedAt: null, resumeAfter: null, failures: 2 });
  });

  it("is resumed by another process at the organization where it was stopped", async () => {
    const ran: string[] = [];
    const { log } = createTestLog();
    let reached = () => {};
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const job = createJob(async (limited, id) => {
      ran.push(id);
      if (ran.length === 2) reached();
      // Runs until the process stops it.
      while (ran.length === 2) await limited.select("SELECT 1", []);
    });
    const first = startJobs(database, log, [job], 5);
    await isReached;
    // The second process finds it running, and does not start it.
    const second = startJobs(database, log, [job], 5);
    await first.stop();
    await expect.poll(async () => (await findJob(job.name)).finishedAt).not.toBeNull();
    await second.stop();
    expect(ran).toEqual(["a", "b", "b", "c", "d"]);
  });

  it("is resumed after the organization where a process died, once its report is overdue", async () => {
    const ran: string[] = [];
    const { log } = createTestLog();
    const job = createJob(async (_limited, id) => void ran.push(id));
    const started = new Date(Date.now() - 1_000);
    const row = { name: job.name, startedAt: started, resumeAfter: "b", failures: 0 };
    await database.prisma.job.create({ data: { ...row, leasedUntil: new Date(Date.now() + DAY_MS) } });
    const part = startJobs(database, log, [job], 5);
    await database.prisma.job.update({ where: { name: job.name }, data: { leasedUntil: started } });
    await expect.poll(async () => (await findJob(job.name)).finishedAt).not.toBeNull();
    await part.stop();
    expect(ran).toEqual(["c", "d"]);
  });

  it("does not delay other jobs", async () => {
    const { log } = createTestLog();
    const slow = createJob(async (limited) => {
      for (;;) await limited.select("SELECT 1", []);
    });
    const ran: string[] = [];
    const quick = { name: randomUUID(), everyMs: DAY_MS, run: async () => void ran.push("quick") };
    const part = startJobs(database, log, [slow, quick], 5);
    await expect.poll(() => ran).toEqual(["quick"]);
    await part.stop();
  });
});

describe("the job that verifies the audit trail", () => {
  it("reports each broken chain, including one with a missing head, and verifies the others", async () => {
    const [broken, headless, whole] = [
      await addOrganization(database),
      await addOrganization(database),
      await addOrganization(database),
    ];
    await database.transaction(async ({ script }) =>
      script(`ALTER TABLE audit_entries DISABLE TRIGGER USER; ALTER TABLE audit_heads DISABLE TRIGGER USER;
        UPDATE audit_entries SET entry = 'x' WHERE organization_id = '${broken}';
        DELETE FROM audit_heads WHERE chain = '${headless}';
        ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER audit_entries_refuse_change;
        ALTER TABLE audit_heads ENABLE ALWAYS TRIGGER audit_heads_refuse_change`),
    );
    const { log, lines } = createTestLog();
    await database.prisma.job.deleteMany({ where: { name: AUDIT_JOB } });
    const part = startJobs(
      database,
      log,
      JOBS.filter(({ name }) => name === AUDIT_JOB),
      5,
    );
    await expect
      .poll(async () => (await database.prisma.job.findUnique({ where: { name: AUDIT_JOB } }))?.failedAt)
      .toBeTruthy();
    await part.stop();
    const found = lines()
      .map(({ organization_id }) => organization_id)
      .filter(Boolean);
    expect(found.toSorted()).toEqual([broken, headless].toSorted());
    expect(found).not.toContain(whole);
  });
});
