import { beforeEach, describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../../support/answers.js";
import { signUp, type TestPerson } from "../../support/people.js";
import { NOW } from "../../support/server.js";
import { useGateway } from "../../support/use.js";

const INSTRUMENTS = "/v1/inventory/instruments";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const CERTIFICATE = {
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
};
const RATE = {
  reference: "TARIFF",
  kind: "supplier_rate",
  market: "GB",
  rate_kg_per_kwh: "0.123456789012",
  generated_from: "2025-01-01",
  generated_to: "2025-12-31",
  evidence: "Contract 77",
};
const CLAIM = {
  facility: "LON",
  year: 2025,
  mwh: "120.5",
  cancelled_on: "2026-02-10",
  cancellation: "CAN-1",
};

const post = (person: TestPerson, json: object) => person.call<Body>(INSTRUMENTS, { json });
/** Adds an instrument; returns it with its URL, and how to claim it. */
async function record(person: TestPerson, json: object = CERTIFICATE) {
  const instrument = await answer(post(person, json), 201);
  const path = `${INSTRUMENTS}/${instrument.id}`;
  return {
    instrument,
    path,
    claim: (changed: object = {}) => person.call<Body>(`${path}/claims`, { json: { ...CLAIM, ...changed } }),
    left: async () => (await answer(person.call(path), 200)).left_mwh_exact,
  };
}

/** Signs up a person with the facilities LON, in Britain, and NIL, without a country. */
async function prepare(): Promise<TestPerson> {
  const ada = await signUp(gateway);
  for (const json of [
    { code: "LON", name: "London", country: "GB" },
    { code: "NIL", name: "Afloat" },
  ])
    await answer(ada.call("/v1/facilities", { json }), 201);
  return ada;
}

describe("POST /v1/inventory/instruments", () => {
  it("adds an instrument once for each reference and certificate", async () => {
    const ada = await signUp(gateway);
    const { instrument, path } = await record(ada);
    expect(instrument).toEqual({
      id: expect.any(String),
      ...CERTIFICATE,
      mwh_exact: "300",
      claimed_mwh: 0,
      claimed_mwh_exact: "0",
      left_mwh: 300,
      left_mwh_exact: "300",
      rate_kg_per_kwh_exact: "0",
      evidence: null,
    });
    await answer(ada.call(path), 200, { ...instrument, claims: [] });
    await refused(post(ada, { ...CERTIFICATE, mwh: 299, renewable: null }), 409, {
      mwh: "is stored as 300, got 299",
      renewable: "is stored as true, got nothing",
    });
    await refused(post(ada, { ...CERTIFICATE, reference: "GO-2" }), 409, {
      certificate_number: "CERTIFICATE_TAKEN: the number G001 of REGO belongs to the instrument GO-1.",
    });
    await record(await signUp(gateway));

    const rate = await record(ada, RATE);
    expect(rate.instrument).toMatchObject({
      mwh: null,
      mwh_exact: null,
      left_mwh: null,
      left_mwh_exact: null,
      rate_kg_per_kwh: 0.123456789012,
      rate_kg_per_kwh_exact: "0.123456789012",
      renewable: null,
      evidence: "Contract 77",
    });
    const { items, next_cursor } = await answer(ada.call(`${INSTRUMENTS}?limit=1`), 200);
    expect(items).toEqual([instrument]);
    const second = { items: [rate.instrument], next_cursor: null };
    await answer(ada.call(`${INSTRUMENTS}?limit=1&cursor=${next_cursor}`), 200, second);
  });

  it("reports all problems of an instrument together", async () => {
    const ada = await signUp(gateway);
    const wrong = {
      ...CERTIFICATE,
      market: "g_b",
      mwh: 0,
      rate_kg_per_kwh: "0.0000000000001",
      generated_to: "2024-12-31",
      registry: null,
    };
    await refused(post(ada, wrong), 422, {
      market:
        "market must be a country, or 1 to 20 letters, digits and hyphens, such as GB or US-CAMX (got g_b).",
      mwh: "mwh must be more than 0 except for a supplier's rate (got 0).",
      rate_kg_per_kwh: expect.any(String),
      generated_to: "generated_to must be from 2025-01-01 to 2100-12-31 (got 2024-12-31).",
      registry: "registry is required for a certificate (got nothing).",
    });
    for (const [json, field] of [
      [{ ...RATE, mwh: 5 }, "mwh"],
      [{ ...RATE, evidence: null }, "evidence"],
      [{ ...RATE, kind: "contract" }, "mwh"],
      [{ ...RATE, kind: "promise" }, "kind"],
      [{ ...CERTIFICATE, mwh: "1e16" }, "mwh"],
      [{ ...CERTIFICATE, mwh: "0.0000001" }, "mwh"],
      [{ ...CERTIFICATE, rate_kg_per_kwh: -1 }, "rate_kg_per_kwh"],
    ] as const)
      expect((await refused(post(ada, json), 422)).details[0].path).toBe(field);
  });
});

describe("POST /v1/inventory/instruments/{id}/claims", () => {
  it("claims energy once for each reference, and withdraws it with a reason", async () => {
    const ada = await prepare();
    const { instrument, path, claim, left } = await record(ada);
    const claimed = await answer(claim({ reference: "C-1" }), 201, {
      id: expect.any(String),
      reference: "C-1",
      ...CLAIM,
      mwh: 120.5,
      mwh_exact: "120.5",
      reason: null,
    });
    await refused(claim({ reference: "C-1", facility: "NIL", mwh: 121 }), 409, {
      facility: "is stored as LON, got NIL",
      mwh: "is stored as 120.5, got 121",
    });
    const rest = await answer(claim({ mwh: "179.5" }), 201);
    const whole = { claimed_mwh: 300, claimed_mwh_exact: "300", left_mwh: 0, left_mwh_exact: "0" };
    await answer(ada.call(path), 200, { ...instrument, ...whole, claims: [claimed, rest] });
    const none = "INSUFFICIENT_MWH: only 0 MWh of the instrument GO-1 are left, got 0.000001.";
    await refused(claim({ mwh: "0.000001" }), 409, { mwh: none });

    const place = `/v1/inventory/claims/${claimed.id}`;
    const withdraw = (reason: string) => ada.call<Body>(place, { method: "DELETE", json: { reason } });
    await refused(withdraw(" "), 422, ["reason"]);
    await answer(withdraw("Wrong site"), 200, claimed);
    expect(await left()).toBe("120.5");
    for (const call of [ada.call<Body>(place), withdraw("Wrong site")]) await refused(call, 404);
    const trail = await answer(ada.call("/v1/audit/log?target_type=energy_claim"), 200);
    expect(trail.items.slice(0, 2)).toMatchObject([
      { action: "energy_claim.deleted" },
      { action: "energy_claim.withdrawn", changes: { reason: { from: null, to: "Wrong site" } } },
    ]);
  });

  it("refuses a claim that fails a quality criterion of the Scope 2 Guidance", async () => {
    const ada = await prepare();
    const { claim, left } = await record(ada);
    const cancelled =
      "NOT_CANCELLED: the registry must have cancelled certificate GO-1. Send the date and number of the cancellation";
    for (const [changed, path, message] of [
      [{ cancelled_on: null }, "cancelled_on", `${cancelled} (got no date).`],
      [{ cancellation: null }, "cancellation", `${cancelled} (got no number).`],
      [
        { facility: "NIL" },
        "facility",
        "MARKET_MISMATCH: instrument GO-1 belongs to the electricity market GB, but facility NIL has neither a market nor a country.",
      ],
      [
        { year: 2024 },
        "year",
        "VINTAGE_MISMATCH: year 2024 runs from 2024-01-01 to 2024-12-31, but GO-1 was generated from 2025-01-01 to 2025-12-31. Send a reason to claim it anyway.",
      ],
      [
        { mwh: "300.000001" },
        "mwh",
        "INSUFFICIENT_MWH: only 300 MWh of the instrument GO-1 are left, got 300.000001.",
      ],
      [
        { cancelled_on: "2026-11-21" },
        "cancelled_on",
        "cancelled_on must be from 2025-01-01, when the generation began, to today, 2026-11-20 in UTC (got 2026-11-21).",
      ],
      [
        { cancelled_on: "2024-12-31" },
        "cancelled_on",
        "cancelled_on must be from 2025-01-01, when the generation began, to today, 2026-11-20 in UTC (got 2024-12-31).",
      ],
      [{ facility: "PAR" }, "facility", "facility must be the code of a facility (got PAR)."],
      [{ year: 1989 }, "year", "year must be from 1990 to 2100 (got 1989)."],
      [{ mwh: null }, "mwh", "mwh must be more than 0 except for a supplier's rate (got nothing)."],
    ] as const) {
      const status = message.startsWith("INSUFFICIENT") ? 409 : 422;
      await refused(claim(changed), status, { [path]: message });
    }
    expect(await left()).toBe("300");
    const reason = "Bought late, for the bill of December";
    expect(await answer(claim({ year: 2024, reason }), 201)).toMatchObject({ year: 2024, reason });
  });

  it("checks the facility's own market, and the policy's year", async () => {
    const ada = await prepare();
    const { database } = gateway;
    await database.prisma.facility.updateMany({
      where: { organizationId: ada.organization.id, code: "NIL" },
      data: { electricityMarket: "GB" },
    });
    await database.prisma.inventoryPolicy.create({
      data: {
        organizationId: ada.organization.id,
        fromYear: 2025,
        approach: "operational_control",
        scopes: ["scope_1", "scope_2"],
        yearStartsIn: 4,
        chosenAt: NOW,
      },
    });
    const { claim } = await record(ada);
    const facility = { facility: "NIL", mwh: 1 };
    await refused(claim(facility), 422, /VINTAGE_MISMATCH: year 2025 runs from 2025-04-01 to 2026-03-31/);
    const late = await record(ada, {
      ...CERTIFICATE,
      reference: "GO-Q1",
      certificate_number: "G002",
      generated_from: "2026-01-01",
      generated_to: "2026-03-31",
    });
    await answer(late.claim(facility), 201);
  });

  it("allows a facility one supplier's rate a year", async () => {
    const ada = await prepare();
    const [one, other] = [await record(ada, RATE), await record(ada, { ...RATE, reference: "TARIFF-2" })];
    const bare = { mwh: null, cancelled_on: null, cancellation: null };
    const claimed = { mwh: null, mwh_exact: null };
    await answer(one.claim(bare), 201, expect.objectContaining(claimed));
    const facility = "The facility LON already has a supplier's rate for 2025. Withdraw that claim first.";
    await refused(other.claim(bare), 409, { facility });
    await refused(other.claim({ ...bare, mwh: 1 }), 422, ["mwh"]);
  });
});
