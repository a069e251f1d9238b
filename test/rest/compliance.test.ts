import { beforeEach, describe, expect, it } from "vitest";
import { addDeadline, addFramework } from "../support/fixtures.js";
import { requestRaw } from "../support/raw.js";
import { makeKey, makeOrganization, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const REQUEST_ID = "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d12";
const META = { request_id: REQUEST_ID, timestamp: "2026-11-20T10:00:00.000Z", version: "1.0" };

let acme: string;
let key: string;

const gateway = useGateway();
beforeEach(async () => {
  gateway.setNow(NOW);
  acme = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, acme));
});

const framework = (overrides: Parameters<typeof addFramework>[2]) =>
  addFramework(gateway.database, acme, overrides);
const deadline = (overrides: Parameters<typeof addDeadline>[2]) =>
  addDeadline(gateway.database, acme, overrides);

interface Compliance {
  frameworks: { framework: string }[];
  upcoming_deadlines: { framework: string; title: string; due_date: string; status: string }[];
}
const data = async () => (await gateway.rest("/compliance", key)).body.data as Compliance;

describe.each(["/api/v1/ext/v1", "/ext/v1"])("GET %s/compliance", (prefix) => {
  const answer = async () => {
    const headers = [["X-API-Key", key] as const, ["X-Request-Id", REQUEST_ID] as const];
    const { status, body } = await requestRaw(`${gateway.url}${prefix}/compliance`, { headers });
    return { status, body };
  };

  it("answers this exact JSON for an organization without frameworks and deadlines", async () => {
    expect(await answer()).toEqual({
      status: 200,
      body: JSON.stringify({
        success: true,
        data: { frameworks: [], upcoming_deadlines: [] },
        error: null,
        meta: META,
      }),
    });
  });

  it("answers this exact JSON for an organization with both", async () => {
    await framework({
      framework: "EU_CBAM",
      status: "action_required",
      lastUpdated: "2026-11-08T09:00:00.000Z",
    });
    await framework({ framework: "CCTS", status: "compliant", lastUpdated: "2026-02-01T00:00:00.123Z" });
    await deadline({ framework: "EU_CBAM", title: "Annual CBAM declaration", dueDate: "2027-09-30" });
    await deadline({ framework: "BRSR", title: "Core report", dueDate: "2026-12-31", status: "submitted" });

    expect(await answer()).toEqual({
      status: 200,
      body: JSON.stringify({
        success: true,
        data: {
          frameworks: [
            { framework: "CCTS", status: "compliant", last_updated: "2026-02-01T00:00:00.123Z" },
            { framework: "EU_CBAM", status: "action_required", last_updated: "2026-11-08T09:00:00.000Z" },
          ],
          upcoming_deadlines: [
            { framework: "BRSR", title: "Core report", due_date: "2026-12-31", status: "submitted" },
            {
              framework: "EU_CBAM",
              title: "Annual CBAM declaration",
              due_date: "2027-09-30",
              status: "pending",
            },
          ],
        },
        error: null,
        meta: META,
      }),
    });
  });
});

describe("frameworks of GET /ext/v1/compliance", () => {
  it("have the contract's order, codes and statuses", async () => {
    await framework({ framework: "TCFD", status: "not_applicable" });
    await framework({ framework: "BRSR", status: "action_required" });
    await framework({ framework: "SBTi", status: "action_required" });
    await framework({ framework: "CDP", status: "pending_review" });
    await framework({ framework: "GHG_PROTOCOL", status: "compliant" });
    await framework({ framework: "CCTS", status: "compliant" });
    await framework({ framework: "SG_CCS", status: "not_applicable" });
    await framework({ framework: "EU_CBAM", status: "pending_review" });

    const last_updated = "2026-11-08T09:00:00.000Z";
    expect((await data()).frameworks).toEqual([
      { framework: "CCTS", status: "compliant", last_updated },
      { framework: "BRSR", status: "action_required", last_updated },
      { framework: "EU_CBAM", status: "pending_review", last_updated },
      { framework: "SG_CCS", status: "not_applicable", last_updated },
      { framework: "GHG_PROTOCOL", status: "compliant", last_updated },
      { framework: "SBTi", status: "action_required", last_updated },
      { framework: "CDP", status: "pending_review", last_updated },
      { framework: "TCFD", status: "not_applicable", last_updated },
    ]);
  });

  it("are the ones the tenant is registered for", async () => {
    const rival = await makeOrganization(gateway.database, "Rival");
    await addFramework(gateway.database, rival, { framework: "BRSR" });
    await deadline({ framework: "EU_CBAM" });
    await framework({ framework: "CDP" });

    expect((await data()).frameworks).toEqual([
      { framework: "CDP", status: "compliant", last_updated: "2026-11-08T09:00:00.000Z" },
    ]);
  });
});

describe("deadlines of GET /ext/v1/compliance", () => {
  it("include today's until midnight UTC, and exclude yesterday's", async () => {
    await deadline({ title: "yesterday", dueDate: "2026-11-19" });
    await deadline({ title: "today", dueDate: "2026-11-20" });
    await deadline({ title: "tomorrow", dueDate: "2026-11-21" });
    const titles = async () => (await data()).upcoming_deadlines.map(({ title }) => title);

    expect(await titles()).toEqual(["today", "tomorrow"]);
    gateway.setNow(new Date("2026-11-20T23:59:59.999Z"));
    expect(await titles()).toEqual(["today", "tomorrow"]);
    gateway.setNow(new Date("2026-11-21T00:00:00.000Z"));
    expect(await titles()).toEqual(["tomorrow"]);
  });

  it("are sorted by due date, framework (in the contract's order) and title", async () => {
    await deadline({ framework: "BRSR", title: "a", dueDate: "2027-01-15" });
    await deadline({ framework: "CCTS", title: "b", dueDate: "2027-01-15" });
    await deadline({ framework: "CCTS", title: "a", dueDate: "2027-01-15" });
    await deadline({ framework: "CCTS", title: "Z", dueDate: "2027-01-15" });
    await deadline({ framework: "TCFD", title: "z", dueDate: "2026-12-01" });

    expect((await data()).upcoming_deadlines).toEqual([
      { framework: "TCFD", title: "z", due_date: "2026-12-01", status: "pending" },
      { framework: "CCTS", title: "Z", due_date: "2027-01-15", status: "pending" },
      { framework: "CCTS", title: "a", due_date: "2027-01-15", status: "pending" },
      { framework: "CCTS", title: "b", due_date: "2027-01-15", status: "pending" },
      { framework: "BRSR", title: "a", due_date: "2027-01-15", status: "pending" },
    ]);
  });

  it("are at most the next 10", async () => {
    const days = Array.from({ length: 12 }, (_, index) => `2026-12-${10 + index}`);
    for (const dueDate of days.toReversed()) await deadline({ dueDate });

    expect((await data()).upcoming_deadlines.map(({ due_date }) => due_date)).toEqual(days.slice(0, 10));
  });

  it("show any status as it was recorded", async () => {
    const statuses = ["pending", "Done", "in_progress", "waived (§ 12 Abs. 3)", "延期"];
    for (const [index, status] of statuses.entries()) {
      await deadline({ dueDate: `2026-12-0${index + 1}`, status });
    }

    expect((await data()).upcoming_deadlines.map(({ status }) => status)).toEqual(statuses);
  });

  it("belong to the tenant", async () => {
    const rival = await makeOrganization(gateway.database, "Rival");
    await addDeadline(gateway.database, rival, { title: "the rival's" });
    await deadline({ title: "ours" });

    expect((await data()).upcoming_deadlines.map(({ title }) => title)).toEqual(["ours"]);
  });
});
