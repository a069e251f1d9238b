import { beforeAll, describe, expect, it } from "vitest";
import { readAuditTrail } from "../support/audit.js";
import { signUp, type TestPerson } from "../support/people.js";
import { useGateway } from "../support/use.js";

let ada: TestPerson;
const gateway = useGateway();
beforeAll(async () => {
  ada = await signUp(gateway);
});

const SELECTOR = { activity: "Grid", region: "Testland", year: 2026, scope: "scope_2" };
const FACTOR = { activity: "Grid", region: "Testland", scope: "scope_2", factor: 0.5, unit: "kg CO2e/kWh" };
const RECORD = { recorded_on: "2026-01-31", scope: "scope_2", co2e_tonnes: 1 };
const activity = (amount: number) => ({ amount, unit: "kWh", selector: SELECTOR });
const PERIOD = {
  entity: "Smelter",
  financial_year: "2025-26",
  target_gei: 13,
  achieved_gei: 14,
  output: 1_000,
  target_source_url: "https://moef.gov.in/",
};

/** Resources to create and change: path, body to create, a change, and a different change. */
const CHANGES: [path: string, created: object, change: object, other: object][] = [
  ["/v1/emissions/records", RECORD, { co2e_tonnes: "2.50", note: "Meter 7" }, { note: null }],
  ["/v1/emissions/records", RECORD, { activity: activity(10) }, { activity: activity(11) }],
  ["/v1/facilities", { code: "A", name: "A" }, { name: "B", country: "DE" }, { country: null }],
  [
    "/v1/emissions/metrics",
    { name: "steel", unit: "t", month: "2026-01", value: 1 },
    { value: "2.0" },
    { value: 3 },
  ],
  [
    "/v1/compliance/deadlines",
    { framework: "CDP", title: "Answer", due_date: "2027-01-31" },
    { due_date: "2027-02-28", recurrence: "annual" },
    { title: "Answers" },
  ],
  ["/v1/compliance/ccts", PERIOD, { output: "2000.0" }, { output: 3_000 }],
  ["/v1/cbam/declarations", { year: 2026 }, { certificates_held: 5 }, { certificates_held: null }],
  ["/v1/api-keys", { name: "ERP", scopes: ["read:market"], tier: "free" }, { name: "BI" }, { name: "X" }],
];

describe("a change that is sent again", () => {
  it.each(CHANGES)("gets the current version at %s", async (list, created, change, other) => {
    if ("activity" in change) {
      const published = { source: "Grid report", source_url: "https://example.org/grid", source_year: 2026 };
      await ada.call("/v1/emission-factors", { json: { ...FACTOR, unit: "kWh", ...published } });
    }
    const made = await ada.call(list, { json: created });
    expect([made.status, made.body.error]).toEqual([201, null]);
    const path = `${list}/${(made.body.data as { id: string }).id}`;
    const send = async (json: object, version: number) => {
      const headers = { "If-Match": `"${version}"` };
      const { status, headers: came, body } = await ada.call(path, { method: "PATCH", json, headers });
      return { status, etag: came.get("etag"), data: body.data, code: body.error?.code };
    };
    const first = await send(change, 1);
    expect(first).toMatchObject({ status: 200, etag: expect.stringMatching(/^"2["-]/) });
    const before = await readAuditTrail(gateway.database, ada.organization.id);
    expect(await send(change, 1)).toEqual(first);
    expect(await send(change, 2)).toEqual(first);
    expect(await readAuditTrail(gateway.database, ada.organization.id)).toEqual(before);
    expect(await send(other, 1)).toMatchObject({ status: 409, code: "CONFLICT" });
    expect(await send(other, 2)).toMatchObject({ status: 200, etag: expect.stringMatching(/^"3["-]/) });
    const { headers } = await ada.call(path);
    const known = { headers: { "If-None-Match": headers.get("etag") ?? "" } };
    expect([headers.get("etag"), (await ada.call(path, known)).status]).toEqual([
      (await send(other, 2)).etag,
      304,
    ]);
  });

  it("gets the current status of a framework, or sets it again without If-Match", async () => {
    const put = (status: string, headers: Record<string, string> = {}) =>
      ada.call("/v1/compliance/frameworks/CDP", { method: "PUT", json: { status }, headers });
    await put("pending_review");
    const first = await put("compliant", { "If-Match": '"1"' });
    const again = await put("compliant", { "If-Match": '"1"' });
    expect([again.status, again.headers.get("etag"), again.body.data]).toEqual([200, '"2"', first.body.data]);
    expect((await put("action_required", { "If-Match": '"1"' })).status).toBe(409);
    expect((await put("compliant")).headers.get("etag")).toBe('"3"');
  });
});
