import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { Body } from "../../support/answers.js";
import { addMember, signUp, type TestPerson } from "../../support/people.js";
import { type Answer, type Envelope, makeKey, NOW } from "../../support/server.js";
import { useGateway } from "../../support/use.js";

const INSTRUMENTS = "/v1/inventory/instruments";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const refusal = ({ status, body }: Answer<Envelope>) => [status, body.error];
const refused = (status: number, path: string, message: string) => [
  status,
  { code: status === 409 ? "CONFLICT" : "VALIDATION_FAILED", message, details: [{ path, message }] },
];

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

async function record(person: TestPerson, json: object = CERTIFICATE) {
  const answer = await person.call(INSTRUMENTS, { json });
  const instrument: Body = answer.body.data;
  const path = `${INSTRUMENTS}/${instrument?.id}`;
  return {
    ...answer,
    instrument,
    path,
    claim: (changed: object = {}) => person.call(`${path}/claims`, { json: { ...CLAIM, ...changed } }),
    left: async () => ((await person.call(path)).body.data as Body).left_mwh_exact,
  };
}

/** Signs up a person with the facilities LON, in Britain, and NIL, without a country. */
async function prepare(): Promise<TestPerson> {
  const ada = await signUp(gateway);
  for (const json of [
    { code: "LON", name: "London", country: "GB" },
    { code: "NIL", name: "Afloat" },
  ])
    expect((await ada.call("/v1/facilities", { json })).status).toBe(201);
  return ada;
}

describe("POST /v1/inventory/instruments", () => {
  it("adds an instrument once for each reference", async () => {
    const ada = await signUp(gateway);
    const { instrument, path, ...made } = await record(ada);
    expect([made.status, made.headers.get("location")]).toEqual([201, path]);
    expect(instrument).toEqual({
      id: expect.any(String),
      reference: "GO-1",
      kind: "certificate",
      market: "GB",
      mwh: 300,
      mwh_exact: "300",
      claimed_mwh: 0,
      claimed_mwh_exact: "0",
      left_mwh: 300,
      left_mwh_exact: "300",
      rate_kg_per_kwh: 0,
      rate_kg_per_kwh_exact: "0",
      renewable: true,
      generated_from: "2025-01-01",
      generated_to: "2025-12-31",
      registry: "REGO",
      certificate_number: "G001",
      evidence: null,
    });
    const again = await record(ada, { ...CERTIFICATE, mwh: "300.000000" });
    expect([again.status, again.instrument]).toEqual([200, instrument]);
    expect((await ada.call(path)).body.data).toEqual({ ...instrument, claims: [] });
    const other = await record(ada, { ...CERTIFICATE, mwh: 299, renewable: null });
    expect(refusal(other)).toEqual([
      409,
      {
        code: "CONFLICT",
        message: "The reference GO-1 already exists with a different mwh, renewable.",
        details: [
          { path: "mwh", message: "is stored as 300, got 299" },
          { path: "renewable", message: "is stored as true, got nothing" },
        ],
      },
    ]);
    expect(refusal(await record(ada, { ...CERTIFICATE, reference: "GO-2" }))).toEqual(
      refused(
        409,
        "certificate_number",
        "CERTIFICATE_TAKEN: the number G001 of REGO belongs to the instrument GO-1.",
      ),
    );

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
    const first: Body = (await ada.call(`${INSTRUMENTS}?limit=1`)).body.data;
    expect(first).toEqual({ items: [instrument], next_cursor: expect.any(String) });
    expect((await ada.call(`${INSTRUMENTS}?limit=1&cursor=${first.next_cursor}`)).body.data).toEqual({
      items: [rate.instrument],
      next_cursor: null,
    });
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
    expect(refusal(await record(ada, wrong))).toMatchObject([
      422,
      {
        details: [
          {
            path: "market",
            message:
              "market must be a country, or 1 to 20 letters, digits and hyphens, such as GB or US-CAMX (got g_b).",
          },
          { path: "mwh", message: "mwh must be more than 0 except for a supplier's rate (got 0)." },
          { path: "rate_kg_per_kwh" },
          {
            path: "generated_to",
            message: "generated_to must be from 2025-01-01 to 2100-12-31 (got 2024-12-31).",
          },
          { path: "registry", message: "registry is required for a certificate (got nothing)." },
        ],
      },
    ]);
    for (const [json, field] of [
      [{ ...RATE, mwh: 5 }, "mwh"],
      [{ ...RATE, evidence: null }, "evidence"],
      [{ ...RATE, kind: "contract" }, "mwh"],
      [{ ...RATE, kind: "promise" }, "kind"],
      [{ ...CERTIFICATE, mwh: "1e16" }, "mwh"],
      [{ ...CERTIFICATE, mwh: "0.0000001" }, "mwh"],
      [{ ...CERTIFICATE, rate_kg_per_kwh: -1 }, "rate_kg_per_kwh"],
    ] as const)
      expect(refusal(await record(ada, json))).toMatchObject([422, { details: [{ path: field }] }]);
  });
});

describe("POST /v1/inventory/instruments/{id}/claims", () => {
  it("claims energy once for each reference, and withdraws it with a reason", async () => {
    const ada = await prepare();
    const { instrument, path, claim, left } = await record(ada);
    const made = await claim({ reference: "C-1" });
    const claimed: Body = made.body.data;
    expect([made.status, made.headers.get("location")]).toEqual([201, `/v1/inventory/claims/${claimed.id}`]);
    expect(claimed).toEqual({
      id: expect.any(String),
      reference: "C-1",
      facility: "LON",
      year: 2025,
      mwh: 120.5,
      mwh_exact: "120.5",
      cancelled_on: "2026-02-10",
      cancellation: "CAN-1",
      reason: null,
    });
    expect((await ada.call(`/v1/inventory/claims/${claimed.id}`)).body.data).toEqual(claimed);
    const again = await claim({ reference: "C-1" });
    expect([again.status, again.body.data]).toEqual([200, claimed]);
    expect(refusal(await claim({ reference: "C-1", facility: "NIL", mwh: 121 }))).toEqual([
      409,
      {
        code: "CONFLICT",
        message: "The reference C-1 already exists with a different facility, mwh.",
        details: [
          { path: "facility", message: "is stored as LON, got NIL" },
          { path: "mwh", message: "is stored as 120.5, got 121" },
        ],
      },
    ]);
    const rest: Body = (await claim({ mwh: "179.5" })).body.data;
    expect((await ada.call(path)).body.data).toEqual({
      ...instrument,
      claimed_mwh: 300,
      claimed_mwh_exact: "300",
      left_mwh: 0,
      left_mwh_exact: "0",
      claims: [claimed, rest],
    });
    expect(refusal(await claim({ mwh: "0.000001" }))).toEqual(
      refused(409, "mwh", "INSUFFICIENT_MWH: only 0 MWh of the instrument GO-1 are left, got 0.000001."),
    );

    const place = `/v1/inventory/claims/${claimed.id}`;
    const blank = await ada.call(place, { method: "DELETE", json: { reason: " " } });
    expect(refusal(blank)).toMatchObject([422, { details: [{ path: "reason" }] }]);
    const withdrawn = await ada.call(place, { method: "DELETE", json: { reason: "Wrong site" } });
    expect([withdrawn.status, withdrawn.body.data]).toEqual([200, claimed]);
    expect(await left()).toBe("120.5");
    for (const request of [{}, { method: "DELETE", json: { reason: "Wrong site" } }])
      expect(refusal(await ada.call(place, request))).toMatchObject([404, { code: "NOT_FOUND" }]);
    const trail: Body = (await ada.call("/v1/audit/log?target_type=energy_claim")).body.data;
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
      expect(refusal(await claim(changed))).toEqual(refused(status, path, message));
    }
    expect(await left()).toBe("300");
    const explained = await claim({ year: 2024, reason: "Bought late, for the bill of December" });
    expect(explained).toMatchObject({
      status: 201,
      body: { data: { year: 2024, reason: "Bought late, for the bill of December" } },
    });
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
    expect((await claim(facility)).body.error?.message).toContain(
      "VINTAGE_MISMATCH: year 2025 runs from 2025-04-01 to 2026-03-31",
    );
    const late = await record(ada, {
      ...CERTIFICATE,
      reference: "GO-Q1",
      certificate_number: "G002",
      generated_from: "2026-01-01",
      generated_to: "2026-03-31",
    });
    expect((await late.claim(facility)).status).toBe(201);
  });

  it("allows a facility one supplier's rate a year", async () => {
    const ada = await prepare();
    const [one, other] = [await record(ada, RATE), await record(ada, { ...RATE, reference: "TARIFF-2" })];
    const bare = { mwh: null, cancelled_on: null, cancellation: null };
    expect(await one.claim(bare)).toMatchObject({
      status: 201,
      body: { data: { mwh: null, mwh_exact: null } },
    });
    expect(refusal(await other.claim(bare))).toEqual(
      refused(
        409,
        "facility",
        "The facility LON already has a supplier's rate for 2025. Withdraw that claim first.",
      ),
    );
    expect(refusal(await other.claim({ ...bare, mwh: 1 }))).toMatchObject([
      422,
      { details: [{ path: "mwh" }] },
    ]);
  });
});

describe("/v1/inventory/instruments", () => {
  it("answers 404 for unknown ids and another organization's", async () => {
    const [ada, eve] = [await prepare(), await prepare()];
    const { path, claim } = await record(ada);
    const { id } = (await claim()).body.data as Body;
    expect((await record(eve, { ...CERTIFICATE, mwh: 1 })).status).toBe(201);
    for (const place of [path, `/v1/inventory/claims/${id}`, `${INSTRUMENTS}/${randomUUID()}`])
      expect(refusal(await eve.call(place))).toMatchObject([404, { code: "NOT_FOUND" }]);
    expect(refusal(await eve.call(`${path}/claims`, { json: CLAIM }))).toMatchObject([
      404,
      { message: `There is no energy instrument with the id ${path.slice(-36)}.` },
    ]);
    const withdrawal = { method: "DELETE", json: { reason: "Mine" } };
    expect(refusal(await eve.call(`/v1/inventory/claims/${id}`, withdrawal))).toMatchObject([404, {}]);
  });

  it("lets viewers and keys read, but not write", async () => {
    const ada = await prepare();
    const { path, claim } = await record(ada);
    const { id } = (await claim()).body.data as Body;
    const viewer = await addMember(gateway, ada.organization.slug, "viewer");
    const { key } = await makeKey(gateway.database, ada.organization.slug);
    expect((await viewer.call(path)).status).toBe(200);
    expect((await gateway.call<Envelope>(path, { headers: { "X-API-Key": key } })).status).toBe(200);
    const lacks = "The role viewer lacks the scope write:emissions.";
    for (const [place, request] of [
      [INSTRUMENTS, { json: CERTIFICATE }],
      [`${path}/claims`, { json: CLAIM }],
      [`/v1/inventory/claims/${id}`, { method: "DELETE", json: { reason: "No" } }],
    ] as const)
      expect(refusal(await viewer.call(place, request))).toMatchObject([403, { message: lacks }]);
  });
});
