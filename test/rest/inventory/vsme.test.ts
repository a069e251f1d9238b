import { describe, expect, it } from "vitest";
import efrag from "../../domain/inventory/efrag-vsme.json" with { type: "json" };
import type { Body } from "../../support/answers.js";
import { addMetric } from "../../support/fixtures.js";
import { signUp, type TestPerson } from "../../support/people.js";
import { makeKey } from "../../support/server.js";
import { useGateway } from "../../support/use.js";

const gateway = useGateway();

const PATH = "/v1/inventory/2025/vsme";
const LEI = "529900T8BM49AURSDO55";
const MONTHS = Array.from({ length: 12 }, (_, index) => `2025-${String(index + 1).padStart(2, "0")}`);

const sendAs =
  (person: TestPerson) =>
  async (method: string, path: string, json: object): Promise<Body> => {
    const { status, body } = await person.call<Body>(`/v1${path}`, { method, json });
    expect([path, status < 300, body.error]).toEqual([path, true, null]);
    return body.data;
  };

const record = (facility: string, category: string, co2e_tonnes: string, energy_kwh?: string) => ({
  facility,
  scope: category === "Electricity" ? "scope_2" : "scope_1",
  category,
  co2e_tonnes,
  recorded_on: "2025-06-30",
  ...(energy_kwh !== undefined && { energy_kwh }),
});

/** Creates an organization with a facility, a joint venture that it operates, and a year of records with kWh. */
async function makeInventory() {
  const ada = await signUp(gateway);
  const send = sendAs(ada);
  await send("PUT", "/inventory/policy", {
    from_year: 2025,
    approach: "equity_share",
    scopes: ["scope_1", "scope_2"],
  });
  await send("PUT", "/inventory/entities/JV", {
    name: "Pune Ltd",
    holdings: [
      { from: "2025-01", equity_share: "0.4", financial_control: "joint", operational_control: true },
    ],
  });
  await send("POST", "/facilities", { code: "LON", name: "London", country: "GB" });
  const { id } = await send("POST", "/facilities", { code: "PUN", name: "Pune", country: "IN" });
  await send("PATCH", `/facilities/${id}`, { entity: "JV" });
  for (const [scope, category, line, renewable] of [
    ["scope_1", "Gas", "stationary_combustion", false],
    ["scope_1", "Pellets", "stationary_combustion", true],
    ["scope_2", "Electricity", "purchased_electricity", null],
  ]) {
    await send("PUT", "/inventory/streams", { scope, category, line, renewable });
  }
  await send("POST", "/emissions/records", {
    records: [
      record("LON", "Electricity", "74.34", "420000"),
      record("PUN", "Electricity", "57.632805", "85000"),
      record("LON", "Gas", "2.195520", "12000"),
      record("PUN", "Pellets", "1", "2500"),
    ],
  });
  return { ada, send };
}

const read = async (person: TestPerson, query = ""): Promise<Body> => {
  const { status, body } = await person.call<Body>(PATH + query);
  expect([status, body.error]).toEqual([200, null]);
  return body.data;
};

const keyOf = ({ concept, dimensions }: Body) => [concept.slice(5), ...Object.values(dimensions)].join(" ");
const valuesOf = ({ facts }: Body) =>
  Object.fromEntries(facts.map((fact: Body) => [keyOf(fact), fact.value]));
const reasonsOf = ({ absent }: Body) =>
  Object.fromEntries(absent.map((one: Body) => [keyOf(one), one.reason]));

describe("GET /v1/inventory/{year}/vsme", () => {
  it("states energy and emissions by share, and why other figures are absent", async () => {
    const { ada } = await makeInventory();
    const report = await read(ada);
    expect(report).toMatchObject({
      year: 2025,
      entity: { scheme: gateway.url, identifier: ada.organization.slug },
    });
    expect(report.facts[0]).toEqual({
      concept: "vsme:TotalEnergyConsumption",
      value: "467",
      unit: "utr:MWh",
      period: { from: "2025-01-01", to: "2025-12-31" },
      dimensions: {},
      paragraph: "29",
    });
    expect(valuesOf(report)).toEqual({
      TotalEnergyConsumption: "467",
      EnergyConsumptionFromElectricity: "454",
      "EnergyConsumptionFromElectricity vsme:RenewableEnergyMember": "0",
      "EnergyConsumptionFromElectricity vsme:NonRenewableEnergyMember": "454",
      EnergyConsumptionFromFuels: "13",
      "EnergyConsumptionFromFuels vsme:RenewableEnergyMember": "1",
      "EnergyConsumptionFromFuels vsme:NonRenewableEnergyMember": "12",
      GrossScope1GreenhouseGasEmissions: "2.59552",
      GrossLocationBasedScope2GreenhouseGasEmissions: "97.393122",
      TotalGrossLocationBasedScope1AndScope2GHGEmissions: "99.988642",
    });
    expect(reasonsOf(report)).toMatchObject({
      GrossScope3GreenhouseGasEmissions: "The policy excludes scope 3.",
      TotalGrossMarketBasedScope1AndScope2GHGEmissions: "No energy instrument or residual mix was used.",
      Scope1AndScope2GreenhouseGasEmissionsIntensityValueLocationBased:
        "No metric was named as the turnover.",
      GreenhouseGasEmissionReductionTargetYear: "The organization has no absolute reduction target.",
    });
    const concepts = [...report.facts, ...report.absent].map(({ concept }) => concept);
    expect(new Set(concepts)).toEqual(new Set(Object.keys(efrag.concepts)));
  });

  it("counts claimed electricity as renewable, and states market-based scope 2", async () => {
    const { ada, send } = await makeInventory();
    const { id } = await send("POST", "/inventory/instruments", {
      reference: "GO-1",
      kind: "certificate",
      market: "GB",
      mwh: 300,
      rate_kg_per_kwh: 0,
      renewable: true,
      generated_from: "2025-01-01",
      generated_to: "2025-12-31",
      registry: "REGO",
      certificate_number: "G001",
    });
    await send("POST", `/inventory/instruments/${id}/claims`, {
      facility: "LON",
      year: 2025,
      mwh: 300,
      cancelled_on: "2026-02-10",
      cancellation: "CAN-1",
    });
    expect(valuesOf(await read(ada))).toMatchObject({
      "EnergyConsumptionFromElectricity vsme:RenewableEnergyMember": "300",
      "EnergyConsumptionFromElectricity vsme:NonRenewableEnergyMember": "154",
      GrossMarketBasedScope2GreenhouseGasEmissions: "44.293122",
      TotalGrossMarketBasedScope1AndScope2GHGEmissions: "46.888642",
    });
  });

  it("leaves out energy if a combustion record has no kWh, unless its share is 0", async () => {
    const { ada, send } = await makeInventory();
    await send("PUT", "/inventory/entities/NONE", {
      name: "Sold Ltd",
      holdings: [
        { from: "2025-01", equity_share: "0", financial_control: "none", operational_control: false },
      ],
    });
    const { id } = await send("POST", "/facilities", { code: "OLD", name: "Sold", country: "GB" });
    await send("PATCH", `/facilities/${id}`, { entity: "NONE" });
    await send("POST", "/emissions/records", { records: [record("OLD", "Gas", "9")] });
    expect(valuesOf(await read(ada))["TotalEnergyConsumption"]).toBe("467");
    await send("POST", "/emissions/records", { records: [record("LON", "Gas", "1")] });
    const reasons = reasonsOf(await read(ada));
    expect(reasons["TotalEnergyConsumption"]).toBe("1 record has no kWh: stationary combustion.");
    expect(valuesOf(await read(ada))).toMatchObject({ GrossScope1GreenhouseGasEmissions: "3.59552" });
  });

  it("divides by 12 months of turnover in a currency", async () => {
    const { ada } = await makeInventory();
    const { slug } = ada.organization;
    const metric = (name: string, unit: string, months: readonly string[], value: string) =>
      addMetric(gateway.database, slug, months, { name, unit, value });
    await metric("Revenue", "EUR", MONTHS, "100");
    await metric("Sales", "GBP", MONTHS.slice(1), "100");
    await metric("Output", "t", MONTHS, "100");
    const concept = "Scope1AndScope2GreenhouseGasEmissionsIntensityValueLocationBased";
    const report = await read(ada, "?turnover=Revenue");
    expect(valuesOf(report)[concept]).toBe("0.083323868");
    expect(report.facts.find((fact: Body) => keyOf(fact) === concept).unit).toBe("utr:tCO2e/iso4217:EUR");
    expect(reasonsOf(await read(ada, "?turnover=Sales"))[concept]).toBe("Sales has no value for 2025-01.");
    const refusal = async (query: string) => {
      const { status, body } = await ada.call<Body>(PATH + query);
      return [status, body.error.code, body.error.details];
    };
    const turnover = (message: string) => [
      422,
      "VALIDATION_FAILED",
      [{ path: "turnover", message: `turnover ${message}` }],
    ];
    expect(await refusal("?turnover=Output")).toEqual(
      turnover('must be a business metric whose unit is an ISO 4217 code, such as EUR (got "t").'),
    );
    expect(await refusal("?turnover=None")).toEqual(
      turnover('must be the name of a business metric (got "None").'),
    );
    expect((await refusal("?lei=529900T8BM49AURSDO56"))[0]).toBe(422);
  });

  it("states targets with issued figures, and names those the taxonomy has no place for", async () => {
    const { ada, send } = await makeInventory();
    const target = (name: string, json: object) =>
      send("POST", "/inventory/targets", { name, base_year: 2025, target_year: 2030, ...json });
    await target("Both", {
      scopes: ["scope_1", "scope_2"],
      scope_2_method: "location_based",
      reduction_pct: "50",
    });
    await target("Fuels", { scopes: ["scope_1"], target_value: "1.5", actions: "Heat pumps & insulation" });
    await target("Later", { scopes: ["scope_1"], target_year: 2040, reduction_pct: "90" });
    const [one, both] = [
      "GrossScope1GreenhouseGasEmissions",
      "TotalGrossLocationBasedScope1AndScope2GHGEmissions",
    ];
    expect(reasonsOf(await read(ada))[`${one} vsme:BaselineYearMember`]).toBe(
      "No issue of 2025 states scope 1.",
    );
    for (const line of ["mobile_combustion", "process", "fugitive", "purchased_heat"]) {
      await send("PUT", `/inventory/2025/lines/${line}`, { state: "not_relevant", reason: "There is none." });
    }
    await send("POST", "/inventory/2025/issues", { basis: "reported" });
    const report = await read(ada);
    expect(valuesOf(report)).toMatchObject({
      GreenhouseGasEmissionReductionTargetBaseYear: "2025",
      GreenhouseGasEmissionReductionTargetYear: "2030",
      [`${one} vsme:BaselineYearMember`]: "2.59552",
      [`${one} vsme:TargetYearMember`]: "1.5",
      [`${both} vsme:BaselineYearMember`]: "99.988642",
      [`${both} vsme:TargetYearMember`]: "49.994321",
      DisclosureOfListOfMainActionsTheEntitySeeksInOrderToAchieveItsTargets: "Heat pumps & insulation",
    });
    expect(report.absent.at(-1).reason).toBe(
      'The taxonomy has no place for the target "Later" (scope 1, 2025 to 2040).',
    );
    const { body } = await ada.call<Body>(`${PATH}/export`);
    expect(Object.values(body.facts).map(({ value }: Body) => value)).toContain(
      "<p>Heat pumps &amp; insulation</p>",
    );
  });

  it("answers 404 without a policy, and refuses a key without the scope", async () => {
    const { ada } = await makeInventory();
    expect((await ada.call("/v1/inventory/2024/vsme")).status).toBe(404);
    expect((await ada.call("/v1/inventory/2024/vsme/export")).status).toBe(404);
    const { key } = await makeKey(gateway.database, ada.organization.slug, { scopes: ["read:credits"] });
    for (const path of [PATH, `${PATH}/export`]) {
      const { body } = await gateway.call<Body>(path, { headers: { "X-API-Key": key } });
      expect(body.error.message).toBe("The API key lacks the scope read:emissions.");
    }
  });
});

describe("GET /v1/inventory/{year}/vsme/export", () => {
  it("exports bare xBRL-JSON about the organization with the LEI", async () => {
    const { ada } = await makeInventory();
    const report = await read(ada, `?lei=${LEI}`);
    expect(report.entity).toEqual({ scheme: "http://standards.iso.org/iso/17442", identifier: LEI });
    const { status, headers, body } = await ada.call<Body>(`${PATH}/export?lei=${LEI}`);
    expect([status, headers.get("content-type"), headers.get("content-disposition")]).toEqual([
      200,
      "application/json",
      'attachment; filename="vsme-2025.json"',
    ]);
    expect(Object.keys(body)).toEqual(["documentInfo", "facts"]);
    expect(body.documentInfo).toEqual({
      documentType: "https://xbrl.org/2021/xbrl-json",
      namespaces: { ...efrag.namespaces, entity: "http://standards.iso.org/iso/17442" },
      taxonomy: [efrag.entryPoint],
    });
    expect(Object.values(body.facts).map(({ value }: Body) => value)).toEqual(
      report.facts.map(({ value }: Body) => value),
    );
    expect(body.facts.f1).toEqual({
      value: "467",
      dimensions: {
        concept: "vsme:TotalEnergyConsumption",
        entity: `entity:${LEI}`,
        period: "2025-01-01T00:00:00/2026-01-01T00:00:00",
        unit: "utr:MWh",
      },
    });
    const wrong = await ada.call<Body>(`${PATH}/export?lei=529900T8BM49AURSDO56`);
    expect([wrong.status, wrong.body.error.details]).toEqual([
      422,
      [
        {
          path: "lei",
          message:
            'lei must be 20 capital letters and digits with the right check digits (got "529900T8BM49AURSDO56").',
        },
      ],
    ]);
  });
});
