import { beforeEach, describe, expect, it } from "vitest";
import { addRecord } from "../support/fixtures.js";
import { requestRaw } from "../support/raw.js";
import { makeKey, makeOrganization, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const REQUEST_ID = "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d11";
const META = { request_id: REQUEST_ID, timestamp: "2026-11-20T10:00:00.000Z", version: "1.0" };

let acme: string;
let key: string;

const gateway = useGateway();
beforeEach(async () => {
  gateway.setNow(NOW);
  acme = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, acme));
});

const add = (overrides: Parameters<typeof addRecord>[2]) => addRecord(gateway.database, acme, overrides);
const data = async () => (await gateway.rest("/emissions", key)).body.data;

describe.each(["/api/v1/ext/v1", "/ext/v1"])("GET %s/emissions", (prefix) => {
  const answer = async () => {
    const headers = [["X-API-Key", key] as const, ["X-Request-Id", REQUEST_ID] as const];
    const { status, body } = await requestRaw(`${gateway.url}${prefix}/emissions`, { headers });
    return { status, body };
  };

  it("answers this exact JSON for an organization without records", async () => {
    expect(await answer()).toEqual({
      status: 200,
      body: JSON.stringify({
        success: true,
        data: {
          period: "last_12_months",
          total_co2e_tonnes: 0,
          record_count: 0,
          latest_record: null,
          scope_breakdown: [
            { scope: "scope_1", co2e_tonnes: 0 },
            { scope: "scope_2", co2e_tonnes: 0 },
            { scope: "scope_3", co2e_tonnes: 0 },
          ],
        },
        error: null,
        meta: META,
      }),
    });
  });

  it("answers this exact JSON for an organization with records", async () => {
    await add({ recordedOn: "2026-03-31", scope: "scope_3", co2eTonnes: 300 });
    await add({ recordedOn: "2026-10-31", scope: "scope_1", co2eTonnes: "200.25" });
    await add({ recordedOn: "2026-01-01", scope: "scope_2", co2eTonnes: "34.25" });
    await add({ recordedOn: "2026-06-30", scope: "scope_2", co2eTonnes: "700" });

    expect(await answer()).toEqual({
      status: 200,
      body: JSON.stringify({
        success: true,
        data: {
          period: "last_12_months",
          total_co2e_tonnes: 1234.5,
          record_count: 4,
          latest_record: "2026-10-31",
          scope_breakdown: [
            { scope: "scope_1", co2e_tonnes: 200.25 },
            { scope: "scope_2", co2e_tonnes: 734.25 },
            { scope: "scope_3", co2e_tonnes: 300 },
          ],
        },
        error: null,
        meta: META,
      }),
    });
  });
});

describe("period of GET /ext/v1/emissions", () => {
  it.each([
    // now, the day before the window, its first day, today, tomorrow
    ["2026-11-20T10:00:00.000Z", "2025-11-20", "2025-11-21", "2026-11-20", "2026-11-21"],
    ["2024-02-29T12:00:00.000Z", "2023-02-28", "2023-03-01", "2024-02-29", "2024-03-01"],
    ["2025-02-28T12:00:00.000Z", "2024-02-28", "2024-02-29", "2025-02-28", "2025-03-01"],
    ["2024-03-31T12:00:00.000Z", "2023-03-31", "2023-04-01", "2024-03-31", "2024-04-01"],
    ["2026-12-31T23:59:59.999Z", "2025-12-31", "2026-01-01", "2026-12-31", "2027-01-01"],
    ["2027-01-01T00:00:00.000Z", "2026-01-01", "2026-01-02", "2027-01-01", "2027-01-02"],
    ["2027-01-01T23:59:59.999Z", "2026-01-01", "2026-01-02", "2027-01-01", "2027-01-02"],
  ])(
    "at %s leaves out %s, covers %s to %s, and leaves out %s",
    async (now, before, first, today, tomorrow) => {
      gateway.setNow(new Date(now));
      await add({ recordedOn: before, scope: "scope_1", co2eTonnes: 1 });
      await add({ recordedOn: first, scope: "scope_1", co2eTonnes: 10 });
      await add({ recordedOn: today, scope: "scope_2", co2eTonnes: 100 });
      await add({ recordedOn: tomorrow, scope: "scope_3", co2eTonnes: 1_000 });

      expect(await data()).toEqual({
        period: "last_12_months",
        total_co2e_tonnes: 110,
        record_count: 2,
        latest_record: today,
        scope_breakdown: [
          { scope: "scope_1", co2e_tonnes: 10 },
          { scope: "scope_2", co2e_tonnes: 100 },
          { scope: "scope_3", co2e_tonnes: 0 },
        ],
      });
    },
  );

  it("includes tomorrow's record from midnight UTC", async () => {
    await add({ recordedOn: "2026-11-21", co2eTonnes: 5 });
    expect(await data()).toMatchObject({ total_co2e_tonnes: 0, record_count: 0, latest_record: null });

    gateway.setNow(new Date("2026-11-20T23:59:59.999Z"));
    expect(await data()).toMatchObject({ total_co2e_tonnes: 0, record_count: 0, latest_record: null });

    gateway.setNow(new Date("2026-11-21T00:00:00.000Z"));
    expect(await data()).toMatchObject({
      total_co2e_tonnes: 5,
      record_count: 1,
      latest_record: "2026-11-21",
    });
  });

  it("drops a record once it is older than 12 months", async () => {
    await add({ recordedOn: "2025-11-21", co2eTonnes: 5 });
    expect(await data()).toMatchObject({
      total_co2e_tonnes: 5,
      record_count: 1,
      latest_record: "2025-11-21",
    });

    gateway.setNow(new Date("2026-11-21T00:00:00.000Z"));
    expect(await data()).toMatchObject({ total_co2e_tonnes: 0, record_count: 0, latest_record: null });
  });
});

describe("amounts of GET /ext/v1/emissions", () => {
  it("are exact within a scope: 0.1 + 0.2 is 0.3", async () => {
    await add({ scope: "scope_2", co2eTonnes: "0.1" });
    await add({ scope: "scope_2", co2eTonnes: "0.2" });

    expect(await data()).toEqual({
      period: "last_12_months",
      total_co2e_tonnes: 0.3,
      record_count: 2,
      latest_record: "2026-11-01",
      scope_breakdown: [
        { scope: "scope_1", co2e_tonnes: 0 },
        { scope: "scope_2", co2e_tonnes: 0.3 },
        { scope: "scope_3", co2e_tonnes: 0 },
      ],
    });
  });

  it("add up to the total over the scopes: 0.1 + 0.2 + 0.3 is 0.6", async () => {
    await add({ scope: "scope_1", co2eTonnes: "0.1" });
    await add({ scope: "scope_2", co2eTonnes: "0.2" });
    await add({ scope: "scope_3", co2eTonnes: "0.3" });

    expect(await data()).toMatchObject({
      total_co2e_tonnes: 0.6,
      scope_breakdown: [
        { scope: "scope_1", co2e_tonnes: 0.1 },
        { scope: "scope_2", co2e_tonnes: 0.2 },
        { scope: "scope_3", co2e_tonnes: 0.3 },
      ],
    });
  });

  it("keep 6 decimals next to large amounts", async () => {
    await add({ scope: "scope_1", co2eTonnes: "0.000001" });
    await add({ scope: "scope_3", co2eTonnes: "123456789.123456" });

    expect(await data()).toMatchObject({
      total_co2e_tonnes: 123456789.123457,
      scope_breakdown: [
        { scope: "scope_1", co2e_tonnes: 0.000001 },
        { scope: "scope_2", co2e_tonnes: 0 },
        { scope: "scope_3", co2e_tonnes: 123456789.123456 },
      ],
    });
  });

  it("belong to the tenant", async () => {
    const rival = await makeOrganization(gateway.database, "Rival");
    await addRecord(gateway.database, rival, { recordedOn: "2026-11-19", co2eTonnes: 7 });
    await add({ recordedOn: "2026-11-01", co2eTonnes: 5 });

    expect(await data()).toMatchObject({
      total_co2e_tonnes: 5,
      record_count: 1,
      latest_record: "2026-11-01",
    });
  });
});
