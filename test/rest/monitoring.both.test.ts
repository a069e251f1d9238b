import { beforeAll, describe, expect, it } from "vitest";
import { JOBS, startJobs } from "../../src/app/jobs.js";
import { countPlatform } from "../../src/data/platform/count-platform.js";
import { addRecord } from "../support/fixtures.js";
import { addMember, signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { redisUrl } from "../support/redis-url.js";
import { createTestLog } from "../support/secrets.js";
import { makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

let root: TestPerson;
let owner: TestPerson;

const gateway = useGateway();
beforeAll(async () => {
  root = await signUpSuperAdmin(gateway);
  owner = await signUp(gateway, { now: NOW });
});

interface Monitoring {
  health: object;
  limits: { refused_24h: number; by_tier: object[] };
  growth: { date: string; organizations: number; requests: number; records: number; refused: number }[];
  totals: { organizations: number; records: number } | null;
  top_consumers: { organization_id: string; slug: string; requests: number; refused: number }[];
  audit: { heads: number; last_verified_at: string | null };
  jobs: { name: string; finished_at: string | null; failed_at: string | null }[];
}
const read = async (query = "") => {
  const { status, body } = await root.call(`/v1/admin/monitoring${query}`);
  expect([status, body.error]).toEqual([200, null]);
  return body.data as Monitoring;
};

describe("GET /v1/admin/monitoring", () => {
  it("counts organizations, records and requests of keys by day", async () => {
    const before = await read();
    const { id: keyId } = await makeKey(gateway.database, owner.organization.slug, { tier: "pro" });
    await addRecord(gateway.database, owner.organization.slug);
    const hour = new Date(Math.floor(NOW.getTime() / 3_600_000) * 3_600_000);
    await gateway.database.prisma.apiKeyUsage.create({
      data: { keyId, hour, requests: 1_000_000_000n, refused: 7n, errors: 1n },
    });
    // Today's figures do not wait for the hourly count.
    const after = await read();
    const records = await gateway.database.prisma.emissionRecord.count({ where: { deletedAt: null } });
    const today = after.growth.at(-1);
    expect(today).toMatchObject({
      date: NOW.toISOString().slice(0, 10),
      records,
      organizations: await gateway.database.prisma.organization.count(),
      requests: (before.growth.at(-1)?.requests ?? 0) + 1_000_000_000,
    });
    await countPlatform(gateway.database, NOW);
    expect((await read()).growth).toEqual(after.growth);
    expect(after.totals).toMatchObject({ records });
    expect(after.top_consumers[0]).toEqual({
      organization_id: owner.organization.id,
      slug: owner.organization.slug,
      requests: 1_000_000_000,
      refused: 7,
    });
    expect(after.limits.by_tier).toContainEqual(expect.objectContaining({ tier: "pro" }));
    expect(after.health).toEqual({
      database: "up",
      redis: redisUrl ? "up" : "not_configured",
      feeds: [],
      queue: { waiting: 0, failed: 0, held_back: 0, due_since: null },
      last_error_at: hour.toISOString(),
    });
  });

  it("contains no e-mail address, person's name or tonnes", async () => {
    await addMember(gateway, owner.organization.slug, "editor", { email: "grace.hopper@example.org" });
    await countPlatform(gateway.database, NOW);
    const text = JSON.stringify(await read("?days=400"));
    expect(text).not.toMatch(/@|tonnes|co2|Ada Person/i);
  });

  it("refuses everybody but super admins", async () => {
    const answers = await Promise.all([
      owner.call("/v1/admin/monitoring"),
      gateway.call("/v1/admin/monitoring"),
    ]);
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [403, expect.objectContaining({ error: expect.objectContaining({ code: "FORBIDDEN" }) })],
      [401, expect.objectContaining({ error: expect.objectContaining({ code: "UNAUTHENTICATED" }) })],
    ]);
    expect(
      (await owner.graphql("{ monitoring { jobs { name } } }")).body.errors?.[0]?.extensions,
    ).toMatchObject({ code: "FORBIDDEN" });
  });

  it.each([
    ["0", 'query.days: expected a whole number from 1 to 400, got "0"'],
    ["401", 'query.days: expected a whole number from 1 to 400, got "401"'],
    ["-1", 'query.days: expected a whole number from 1 to 400, got "-1"'],
    ["1.5", 'query.days: expected a whole number from 1 to 400, got "1.5"'],
  ])("refuses days=%s", async (days, message) => {
    const { status, body } = await root.call(`/v1/admin/monitoring?days=${days}`);
    expect([status, body.error]).toEqual([400, { code: "BAD_REQUEST", message }]);
  });

  it("reports when each job ran, on one of several processes, and which failed", async () => {
    const { database } = gateway;
    const ran: string[] = [];
    const job = (name: string, run: () => Promise<void>) => ({ name, everyMs: 3_600_000, run });
    const jobs = [
      ...JOBS,
      job("works", async () => void ran.push("works")),
      job("fails", () => Promise.reject(new Error("broken"))),
    ];
    const { log, lines } = createTestLog();
    const started = [1, 2, 3].map(() => startJobs(database, log, jobs, 5));
    await expect
      .poll(
        async () =>
          (await read()).jobs.filter(({ finished_at, failed_at }) => finished_at ?? failed_at).length,
      )
      .toBe(jobs.length);
    for (const part of started) await part.stop();
    const { jobs: reported, audit } = await read();
    expect(ran).toEqual(["works"]);
    expect(
      reported.map(({ name, finished_at, failed_at }) => [name, finished_at !== null, failed_at !== null]),
    ).toEqual(jobs.map(({ name }) => [name, name !== "fails", name === "fails"]).toSorted());
    expect(audit.last_verified_at).not.toBeNull();
    expect(lines().filter(({ level }) => level === 50)).toMatchObject([
      { msg: "a job failed", job: "fails" },
    ]);
  });
});
