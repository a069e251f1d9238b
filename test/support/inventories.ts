import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { signUp, type TestPerson } from "./people.js";
import type { Gateway } from "./server.js";

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of its response
type Body = any;

export const INVENTORY = "/v1/inventory/2025";

/** Sends a request, expects success, and returns its data. */
export async function put(person: TestPerson, path: string, json: object, method = "PUT"): Promise<Body> {
  const { status, body } = await person.call<Body>(path, { method, json });
  expect([path, body.error]).toEqual([path, null]);
  expect(status).toBeLessThan(300);
  return body.data;
}

const POLICY = {
  from_year: 2020,
  approach: "operational_control",
  scopes: ["scope_1", "scope_2"],
  base_year: 2025,
  base_year_reason: "First year with complete data.",
  recalculation_threshold_pct: 5,
};

const RECORDS = [
  ["LON", "2025-01-31", "scope_2", "electricity", "74.34", "420000"],
  ["PUN", "2025-12-31", "scope_2", "electricity", "57.632805", "85000"],
  ["LON", "2025-06-30", "scope_1", "gas", "2.195520"],
  ["LON", "2025-06-30", "scope_1", "diesel", "3.214810"],
] as const;

/**
 * Creates an organization that can issue its inventory of 2025: 137.383135 t location-based, 106.843135 t market-based.
 * It operates PUN, a 40 % joint venture. A certificate covers 300 MWh of LON, and a residual mix the rest.
 */
export async function makeInventory(gateway: Gateway, policy: object = {}) {
  const ada = await signUp(gateway);
  await put(ada, "/v1/inventory/policy", { ...POLICY, ...policy });
  const held = { equity_share: "0.4", financial_control: "joint", operational_control: true };
  await put(ada, "/v1/inventory/entities/JV", { name: "Pune Ltd", holdings: [{ from: "2024-01", ...held }] });
  const facilities = new Map<string, string>();
  for (const [code, country] of [
    ["LON", "GB"],
    ["PUN", "IN"],
  ] as const) {
    const { id } = await put(ada, "/v1/facilities", { code, name: code, country }, "POST");
    facilities.set(code, id);
  }
  await put(ada, `/v1/facilities/${facilities.get("PUN")}`, { entity: "JV" }, "PATCH");
  for (const [scope, category, line] of [
    ["scope_1", "gas", "stationary_combustion"],
    ["scope_1", "diesel", "mobile_combustion"],
    ["scope_2", "electricity", "purchased_electricity"],
  ])
    await put(ada, "/v1/inventory/streams", { scope, category, line, method: "activity_based" });
  for (const line of ["process", "fugitive", "purchased_heat"])
    await put(ada, `${INVENTORY}/lines/${line}`, { state: "not_relevant", reason: "There is none." });
  const records = RECORDS.map(([facility, recorded_on, scope, category, co2e_tonnes, energy_kwh]) => ({
    reference: randomUUID(),
    facility,
    recorded_on,
    scope,
    category,
    co2e_tonnes,
    ...(energy_kwh && { energy_kwh }),
  }));
  const { records: added } = await put(ada, "/v1/emissions/records", { records }, "POST");
  await gateway.database.transaction(({ script }) =>
    script(`
      INSERT INTO emission_factors (organization_id, activity, region, scope, category, gas, factor, unit, dimension, source,
          source_url, source_year, verified)
        VALUES ('${ada.organization.id}', 'Residual mix', 'GB', 'scope_2', 'residual_mix', 'CO2e', 0.365, 'kWh', 'energy',
          'A publication', 'https://example.org', 2024, true)`),
  );
  const { id } = await put(
    ada,
    "/v1/inventory/instruments",
    {
      reference: "REGO-1",
      kind: "certificate",
      market: "GB",
      mwh: 300,
      rate_kg_per_kwh: 0,
      generated_from: "2025-01-01",
      generated_to: "2025-12-31",
      registry: "Ofgem",
      certificate_number: "42",
    },
    "POST",
  );
  const cancelled = { cancelled_on: "2026-01-05", cancellation: "77" };
  const claim = { facility: "LON", year: 2025, mwh: 300, ...cancelled };
  await put(ada, `/v1/inventory/instruments/${id}/claims`, claim, "POST");
  return { ada, records: added as readonly { readonly id: string; readonly version: number }[] };
}
