import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Body } from "../../support/answers.js";
import { signUp, type TestPerson } from "../../support/people.js";
import { useGateway } from "../../support/use.js";

const gateway = useGateway();

const run = (sql: string) => gateway.database.transaction(({ script }) => script(sql));

/** Creates an organization with the facilities LON and PUN; PUN is a 40 % joint venture that it operates. */
async function makeGroup({ approach = "operational_control" }: { approach?: string } = {}) {
  const ada = await signUp(gateway);
  const organization = ada.organization.id;
  const [entity, lon, pun] = [randomUUID(), randomUUID(), randomUUID()];
  await run(`
    INSERT INTO inventory_policies (organization_id, from_year, approach, scopes, chosen_at)
      VALUES ('${organization}', 2025, '${approach}', '{scope_1,scope_2}', now());
    INSERT INTO entities (id, organization_id, code, name) VALUES ('${entity}', '${organization}', 'JV', 'Pune Ltd');
    INSERT INTO entity_holdings (organization_id, entity_id, from_month, equity_share, financial_control, operational_control)
      VALUES ('${organization}', '${entity}', '2024-01-01', 0.4, 'joint', true);
    INSERT INTO facilities (id, organization_id, code, name, country, entity_id) VALUES
      ('${lon}', '${organization}', 'LON', 'London', 'GB', NULL), ('${pun}', '${organization}', 'PUN', 'Pune', 'IN', '${entity}');
    INSERT INTO emission_streams (organization_id, scope, category, line, method, activity_uncertainty_pct, factor_uncertainty_pct) VALUES
      ('${organization}', 'scope_1', 'gas', 'stationary_combustion', 'activity_based', 3, 4),
      ('${organization}', 'scope_1', 'diesel', 'mobile_combustion', 'activity_based', 12, 16),
      ('${organization}', 'scope_2', 'electricity', 'purchased_electricity', NULL, NULL, NULL)`);
  const claim = (facility: string, mwh: number) =>
    run(`WITH i AS (
      INSERT INTO energy_instruments (organization_id, reference, kind, market, mwh, rate_kg_per_kwh, generated_from, generated_to,
        registry, certificate_number)
      VALUES ('${organization}', '${randomUUID()}', 'certificate', 'GB', ${mwh}, 0, '2025-01-01', '2025-12-31', 'Ofgem', '${randomUUID()}')
      RETURNING id)
    INSERT INTO energy_claims (organization_id, instrument_id, kind, facility_id, year, mwh, cancelled_on, cancellation, reference)
    SELECT '${organization}', id, 'certificate', '${facility}', 2025, ${mwh}, '2026-01-05', '77', '${randomUUID()}' FROM i`);
  const mix = (region: string, factor: number, unit = "kWh") =>
    run(`INSERT INTO emission_factors (organization_id, activity, region, scope, category, gas, factor, unit, dimension, source,
        source_url, source_year, verified)
      VALUES ('${organization}', 'Residual mix', '${region}', 'scope_2', 'residual_mix', 'CO2e', ${factor}, '${unit}', 'energy',
        'A publication', 'https://example.org', 2024, true)`);
  const records = async (...lines: readonly object[]) => {
    const { status, body } = await ada.call<Body>("/v1/emissions/records", { json: { records: lines } });
    expect(body.error).toBeNull();
    return status;
  };
  return { ada, organization, entity, lon, pun, claim, mix, records };
}

const ELECTRICITY = [
  {
    reference: "e-1",
    facility: "LON",
    recorded_on: "2025-01-31",
    scope: "scope_2",
    category: "electricity",
    co2e_tonnes: "74.34",
    energy_kwh: "420000",
  },
  {
    reference: "e-2",
    facility: "PUN",
    recorded_on: "2025-12-31",
    scope: "scope_2",
    category: "electricity",
    co2e_tonnes: "57.632805",
    energy_kwh: "85000",
  },
];
const FUELS = [
  {
    reference: "f-1",
    facility: "LON",
    recorded_on: "2025-06-30",
    scope: "scope_1",
    category: "gas",
    co2e_tonnes: "2.195520",
  },
  {
    reference: "f-2",
    facility: "LON",
    recorded_on: "2025-06-30",
    scope: "scope_1",
    category: "diesel",
    co2e_tonnes: "3.214810",
  },
];

const read = async (person: TestPerson, query = "") => {
  const { status, body } = await person.call<Body>(`/v1/inventory/2025${query}`);
  expect(body.error).toBeNull();
  expect(status).toBe(200);
  return body.data;
};
const codes = (inventory: Body, facility?: string) =>
  inventory.gaps
    .filter((gap: Body) => facility === undefined || gap.facility === facility)
    .map(({ code }: Body) => code);
const totals = ({ total }: Body) => [total.co2e_tonnes_exact, total.market_based_co2e_tonnes_exact];
const scope2 = ({ scopes }: Body) => {
  const scope = scopes.find(({ scope }: Body) => scope === "scope_2");
  return [scope.co2e_tonnes_exact, scope.market_based_co2e_tonnes_exact];
};

describe("GET /v1/inventory/{year}", () => {
  it("computes location-based and market-based scope 2 to the last digit", async () => {
    const { ada, lon, claim, mix, records } = await makeGroup();
    await records(...ELECTRICITY, ...FUELS);
    await claim(lon, 300);
    await mix("UK", 0.365);
    const inventory = await read(ada);
    expect(scope2(inventory)).toEqual(["131.972805", "101.432805"]);
    expect(totals(inventory)).toEqual(["137.383135", "106.843135"]);
    expect(inventory.ledger_co2e_tonnes).toBe(137.383135);
    expect(inventory.scope_2).toMatchObject({
      consumption_kwh: 505000,
      covered_kwh: 300000,
      unused_mwh: 0,
      instruments: [{ kind: "certificate", mwh: 300, co2e_tonnes: 0 }],
      residual_mix: { kwh: 120000, co2e_tonnes: 43.8 },
      by_location: { kwh: 85000, co2e_tonnes: 57.632805 },
      facilities: [
        {
          facility: "LON",
          market: "GB",
          consumption_kwh: 420000,
          co2e_tonnes: 74.34,
          market_based_co2e_tonnes: 43.8,
        },
        {
          facility: "PUN",
          market: "IN",
          consumption_kwh: 85000,
          co2e_tonnes: 57.632805,
          market_based_co2e_tonnes: 57.632805,
        },
      ],
    });
    expect(inventory.uncertainty).toEqual({
      co2e_tonnes: 0.652266,
      co2e_tonnes_exact: "0.652266",
      pct: 12.06,
      covered_pct: 3.94,
    });
    expect(inventory.completeness).toEqual({
      included: 3,
      not_relevant: 0,
      not_estimated: 0,
      missing: 3,
      complete: false,
    });
    expect(codes(inventory)).toEqual([
      "LINE_UNJUSTIFIED",
      "LINE_UNJUSTIFIED",
      "LINE_UNJUSTIFIED",
      "RESIDUAL_MIX_MISSING",
      "GASES_NOT_SEPARATED",
    ]);
  });

  it.each(["equity_share", "financial_control"])(
    "counts the share of a joint venture under %s",
    async (approach) => {
      const { ada, lon, claim, mix, records } = await makeGroup({ approach });
      await records(...ELECTRICITY);
      await claim(lon, 300);
      await mix("GB", 365, "MWh");
      const inventory = await read(ada);
      expect(scope2(inventory)).toEqual(["97.393122", "66.853122"]);
      expect(inventory.ledger_co2e_tonnes).toBe(131.972805);
    },
  );

  it("leaves out months before the first holding, unless another month's holdings apply", async () => {
    const { ada, organization, entity, records } = await makeGroup({ approach: "equity_share" });
    await records(...ELECTRICITY, {
      ...ELECTRICITY[1],
      reference: "e-3",
      recorded_on: "2025-03-01",
      co2e_tonnes: "100",
    });
    await run(`UPDATE entity_holdings SET from_month = '2025-07-01' WHERE organization_id = '${organization}';
      INSERT INTO entity_holdings (organization_id, entity_id, from_month, equity_share, financial_control, operational_control)
      VALUES ('${organization}', '${entity}', '2026-02-01', 0.6543, 'full', true)`);
    expect(scope2(await read(ada))[0]).toBe("97.393122");
    expect(scope2(await read(ada, "?holdings_as_of=2025-09"))[0]).toBe("137.393122");
    const recast = await read(ada, "?holdings_as_of=2026-03");
    expect(recast.holdings_as_of).toBe("2026-03");
    expect(scope2(recast)[0]).toBe("177.4791443115");
    expect(scope2(await read(ada, "?holdings_as_of=2020-01"))[0]).toBe("74.34");
  });

  it("falls back to location-based factors, and reports claims that exceed consumption", async () => {
    const { ada, lon, claim, records } = await makeGroup();
    await records(...ELECTRICITY);
    await claim(lon, 300);
    const before = await read(ada);
    expect(before.scope_2.facilities[0]).toMatchObject({ market_based_co2e_tonnes_exact: "21.24" });
    expect(codes(before, "LON")).toEqual(["RESIDUAL_MIX_MISSING"]);
    await claim(lon, 150);
    const after = await read(ada);
    expect(after.scope_2).toMatchObject({
      unused_mwh: 30,
      facilities: [{ market_based_co2e_tonnes_exact: "0" }, {}],
    });
    expect(codes(after, "LON")).toEqual(["CLAIMS_EXCEED_CONSUMPTION"]);
  });

  it("has no market-based figure if a claimed facility has a record without kWh", async () => {
    const { ada, lon, claim, records } = await makeGroup();
    const { energy_kwh: _, ...without } = ELECTRICITY[0] as Body;
    await records(...ELECTRICITY, { ...without, reference: "e-3", market_based_tonnes: "1" });
    expect(totals(await read(ada))).toEqual(["206.312805", "206.312805"]);
    await claim(lon, 300);
    const inventory = await read(ada);
    expect(totals(inventory)).toEqual(["206.312805", null]);
    expect(scope2(inventory)[1]).toBeNull();
    expect(codes(inventory, "LON")).toEqual(["ENERGY_MISSING"]);
    expect(codes(inventory)).toContain("TYPED_MARKET_BASED");
  });

  it("counts unmapped records, and those without a facility or category", async () => {
    const { ada, organization, records } = await makeGroup();
    await records(...FUELS, {
      reference: "x",
      recorded_on: "2025-02-01",
      scope: "scope_1",
      co2e_tonnes: "7.000001",
    });
    await run(`INSERT INTO line_judgements (organization_id, year, line, state, reason) VALUES
      ('${organization}', 2025, 'process', 'not_relevant', 'We make nothing.'),
      ('${organization}', 2025, 'mobile_combustion', 'not_estimated', 'There are no data.')`);
    const inventory = await read(ada);
    expect(totals(inventory)).toEqual(["12.410331", "12.410331"]);
    expect(inventory.unmapped).toEqual([
      {
        scope: "scope_1",
        category: null,
        co2e_tonnes: 7.000001,
        co2e_tonnes_exact: "7.000001",
        record_count: 1,
      },
    ]);
    expect(inventory.lines[2]).toMatchObject({
      line: "process",
      state: "not_relevant",
      reason: "We make nothing.",
    });
    expect(inventory.lines[1]).toMatchObject({ line: "mobile_combustion", state: "included", reason: null });
    expect(codes(inventory)).toEqual([
      "STREAM_UNMAPPED",
      "LINE_UNJUSTIFIED",
      "LINE_UNJUSTIFIED",
      "LINE_UNJUSTIFIED",
      "JUDGEMENT_CONTRADICTED",
      "GASES_NOT_SEPARATED",
    ]);
  });

  it("covers 12 months from the policy's first month", async () => {
    const { ada, organization, records } = await makeGroup();
    await records(...ELECTRICITY, ...FUELS, { ...FUELS[0], reference: "next", recorded_on: "2026-05-31" });
    await run(`UPDATE inventory_policies SET year_starts_in = 6 WHERE organization_id = '${organization}'`);
    const inventory = await read(ada);
    expect(inventory.period).toEqual({ from: "2025-06-01", to: "2026-05-31" });
    expect(totals(inventory)[0]).toBe("65.238655");
  });

  it("answers 404 without a policy, and reads only the caller's records", async () => {
    const { records, organization } = await makeGroup();
    await records(...ELECTRICITY);
    const bob = await signUp(gateway);
    const { status, body } = await bob.call<Body>("/v1/inventory/2025");
    expect([status, body.error.code]).toEqual([404, "NOT_FOUND"]);
    await run(`INSERT INTO inventory_policies (organization_id, from_year, approach, scopes, chosen_at)
      SELECT '${bob.organization.id}', from_year, approach, scopes, chosen_at FROM inventory_policies
      WHERE organization_id = '${organization}'`);
    expect(totals(await read(bob))).toEqual(["0", "0"]);
    expect((await bob.call<Body>("/v1/inventory/2024")).status).toBe(404);
  });
});
