import { expect, it } from "vitest";
import { listClaimsOfYear } from "../../src/data/inventory/claims-of-year.js";
import { readInTransaction } from "../../src/data/tenant/reader.js";
import { callWith, signUp, type TestCaller, type TestPerson } from "../support/people.js";
import type { Gateway } from "../support/server.js";
import { useDatabase, useGateway } from "../support/use.js";

const database = useDatabase();
const gateways = [useGateway({ database }), useGateway({ database })];

const INSTRUMENT = {
  kind: "certificate",
  market: "GB",
  rate_kg_per_kwh: "0.0125",
  generated_from: "2025-01-01",
  generated_to: "2025-12-31",
  registry: "REGO",
};
const CLAIM = { facility: "LON", year: 2025, cancelled_on: "2026-02-10", cancellation: "CAN-1" };

/** Records a certificate of `mwh`, and returns the path of its claims. */
async function prepare(ada: TestPerson, reference: string, mwh: number): Promise<string> {
  const json = { ...INSTRUMENT, reference, certificate_number: reference, mwh };
  const { body } = await ada.call("/v1/inventory/instruments", { json });
  return `/v1/inventory/instruments/${(body.data as { id: string }).id}/claims`;
}

/** Returns callers of a user, one per gateway. */
const callersOf = ({ session }: TestPerson) =>
  gateways.map((gateway) => callWith(gateway, { Authorization: `Bearer ${session.token}` })) as [
    TestCaller,
    TestCaller,
  ];

it("never exceeds a certificate's MWh in 400 concurrent claims at two gateways", async () => {
  const ada = await signUp(gateways[0] as Gateway);
  await ada.call("/v1/facilities", { json: { code: "LON", name: "London", country: "GB" } });
  const path = await prepare(ada, "GO-1", 250);
  const callers = callersOf(ada);
  const refusals = new Set<string | undefined>();
  let claimed = 0;
  let left = 400;
  const claim = async (_: unknown, index: number) => {
    const caller = callers[index % callers.length];
    while (left > 0) {
      left -= 1;
      let answer = await caller?.call(path, { json: { ...CLAIM, mwh: "1.5" } });
      // On a slow machine, writes may wait too long and be refused.
      while (answer?.status === 429) answer = await caller?.call(path, { json: { ...CLAIM, mwh: "1.5" } });
      if (answer?.status === 201) claimed += 1;
      else refusals.add(answer?.body.error?.message);
    }
  };
  await Promise.all(Array.from({ length: 40 }, claim));
  // 166 × 1.5 = 249
  expect(claimed).toBe(166);
  expect([...refusals]).toEqual(["INSUFFICIENT_MWH: only 1 MWh of the instrument GO-1 are left, got 1.5."]);

  const claims = await database.transaction((sql) =>
    listClaimsOfYear(readInTransaction(sql, ada.organization.id), 2025),
  );
  expect([claims.length, new Set(claims.map(({ mwhExact }) => mwhExact))]).toEqual([166, new Set(["1.5"])]);
});

it("returns withdrawn claims to their instrument while others claim", async () => {
  const ada = await signUp(gateways[0] as Gateway);
  await ada.call("/v1/facilities", { json: { code: "LON", name: "London", country: "GB" } });
  const path = await prepare(ada, "GO-1", 40);
  const callers = callersOf(ada);
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const [one, other] = index % 2 === 0 ? callers : ([callers[1], callers[0]] as const);
      const made = await one.call(path, { json: { ...CLAIM, mwh: 1 } });
      const { id } = made.body.data as { id: string };
      const withdrawal = { method: "DELETE", json: { reason: "Wrong site" } };
      return (await other.call(`/v1/inventory/claims/${id}`, withdrawal)).status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  const { body } = await ada.call(path.replace("/claims", ""));
  expect(body.data).toMatchObject({ left_mwh_exact: "40", claims: [] });
});

it("lists the claims of a year in their order, with their instruments", async () => {
  const [ada, eve] = [await signUp(gateways[0] as Gateway), await signUp(gateways[0] as Gateway)];
  for (const person of [ada, eve])
    await person.call("/v1/facilities", { json: { code: "LON", name: "London", country: "GB" } });
  const [second, first] = [await prepare(ada, "A", 10), await prepare(ada, "B", 10)];
  const others = await prepare(eve, "A", 10);
  for (const [person, path, json] of [
    [ada, first, { ...CLAIM, mwh: 2 }],
    [ada, second, { ...CLAIM, mwh: "0.5" }],
    [ada, second, { ...CLAIM, mwh: 1, year: 2024, reason: "Late" }],
    [eve, others, { ...CLAIM, mwh: 9 }],
  ] as const)
    expect((await person.call(path, { json })).status).toBe(201);
  const claims = await database.transaction((sql) =>
    listClaimsOfYear(readInTransaction(sql, ada.organization.id), 2025),
  );
  const claim = (reference: string, mwhExact: string) => ({
    facilityId: expect.any(String),
    facilityCode: "LON",
    instrumentId: expect.any(String),
    kind: "certificate",
    reference,
    registry: "REGO",
    certificateNumber: reference,
    market: "GB",
    mwhExact,
    rateKgPerKwhExact: "0.0125",
    renewable: null,
    cancelledOn: "2026-02-10",
    cancellation: "CAN-1",
    reason: null,
    generatedFrom: "2025-01-01",
    generatedTo: "2025-12-31",
  });
  expect(claims).toEqual([claim("B", "2"), claim("A", "0.5")]);
});
