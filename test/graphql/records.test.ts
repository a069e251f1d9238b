import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { addFactor } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { createClient, type Gateway, makeKey, startGateway } from "../support/server.js";

let gateway: Gateway;
/** A gateway that shares only the database with the first one, like another process. */
let other: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  other = await startGateway({ database: gateway.database });
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});
afterAll(async () => {
  await other.stop();
  await gateway.stop();
});

const FIELDS = `id reference co2eTonnesExact version note activity { amount amountExact unit factorId gas gwp selector { activity year } }
  calculation { co2eKgExact formula reason notices factor { activity region sourceYear factorExact unit source sourceUrl } }`;
const CREATE = `mutation ($input: [EmissionRecordInput!]!) {
  createEmissionRecords(input: $input) { createdCount records { ${FIELDS} } } }`;
const UPDATE = `mutation ($input: UpdateEmissionRecordInput!) {
  updateEmissionRecord(input: $input) { emissionRecord { ${FIELDS} } } }`;
const TOTAL = "{ emissions { totalCo2eTonnesExact recordCount } }";

const RECORD = { recordedOn: "2026-11-01", scope: "SCOPE_1" };
const uk = (activity: string, more = {}) => ({ activity, region: "UK", ...more });
const gas = (amount: string) => ({
  amount,
  unit: "kWh (gross CV)",
  selector: uk("Natural gas", { scope: "SCOPE_1" }),
});

async function created(person: TestPerson, ...input: object[]) {
  const { body } = await person.graphql(CREATE, { input });
  expect(body.errors).toBeUndefined();
  return body.data.createEmissionRecords.records;
}
async function updated(person: TestPerson, id: string, changes: object) {
  const { body } = await person.graphql(UPDATE, { input: { id, ...changes } });
  expect(body.errors).toBeUndefined();
  return body.data.updateEmissionRecord.emissionRecord;
}
async function refused(person: TestPerson, mutation: string, variables: object) {
  const { body } = await person.graphql(mutation, variables);
  const [error] = body.errors ?? [];
  const { code, details } = error?.extensions ?? {};
  return [code, details?.map(({ path }: { path: string }) => path)];
}

describe("emission records in the graph", () => {
  it("keep the activity, the factor as it was, and the formula of their amount", async () => {
    const ada = await signUp(gateway);
    const [record] = await created(ada, { ...RECORD, recordedOn: "2025-06-30", activity: gas("12000") });
    expect(record).toEqual({
      id: expect.any(String),
      reference: null,
      co2eTonnesExact: "2.19552",
      version: 1,
      note: null,
      activity: {
        amount: 12000,
        amountExact: "12000",
        unit: "kWh (gross CV)",
        factorId: null,
        gas: null,
        gwp: "AR6",
        selector: { activity: "Natural gas", year: null },
      },
      calculation: {
        co2eKgExact: "2195.52",
        notices: [],
        reason: "the latest up to 2025, of Natural gas in UK",
        formula: "12000 kWh (gross CV) × 0.18296 kg CO2e per kWh (gross CV) = 2195.52 kg CO2e",
        factor: {
          activity: "Natural gas",
          region: "UK",
          sourceYear: 2025,
          factorExact: "0.18296",
          unit: "kWh (gross CV)",
          source: expect.stringContaining("DESNZ"),
          sourceUrl: expect.any(String),
        },
      },
    });
  });

  it("have the calculated amounts to the last digit", async () => {
    const ada = await signUp(gateway);
    const activities = [
      { amount: "1250.5", unit: "l", selector: uk("diesel (average biofuel blend)", { scope: "SCOPE_1" }) },
      { amount: "2.5", unit: "kg", selector: uk("R-410A release") },
      {
        amount: "85000",
        unit: "kWh",
        selector: { activity: "Grid electricity, India", region: "India", year: 2026 },
      },
      { amount: "10", unit: "kg", gas: "CH4" },
      { amount: "0.0000004", unit: "tonne", gas: "CO2" },
      { amount: "0.0000005", unit: "tonne", gas: "CO2" },
    ];
    const records = await created(
      ada,
      ...activities.map((activity) => ({ ...RECORD, recordedOn: "2025-12-01", activity })),
    );
    const found = records.map(({ co2eTonnesExact, calculation }: (typeof records)[0]) => [
      co2eTonnesExact,
      calculation.co2eKgExact,
      calculation.notices.join(),
    ]);
    expect(found).toEqual([
      ["3.21481", "3214.81041", ""],
      ["4.81", "4810", ""],
      ["57.632805", "57632.805", "CO2_ONLY"],
      ["0.27", "270", ""],
      ["0", "0.0004", ""],
      ["0.000001", "0.0005", ""],
    ]);
    expect((await ada.graphql(TOTAL)).body.data.emissions).toEqual({
      totalCo2eTonnesExact: "65.927616",
      recordCount: 6,
    });
  });

  it("are recalculated only from a new activity; only a given amount replaces a calculation", async () => {
    const ada = await signUp(gateway);
    const [{ id, calculation }] = await created(ada, {
      ...RECORD,
      recordedOn: "2025-06-30",
      activity: gas("12000"),
    });
    const moved = await updated(ada, id, { recordedOn: "2026-06-30", note: "Moved" });
    expect([moved.calculation, moved.version]).toEqual([calculation, 2]);
    const doubled = await updated(ada, id, { activity: gas("24000") });
    expect(doubled).toMatchObject({
      co2eTonnesExact: "4.37544",
      calculation: { reason: "the latest up to 2026, of Natural gas in UK" },
    });
    const given = await updated(ada, id, { co2eTonnes: "7.5" });
    expect(given).toMatchObject({ co2eTonnesExact: "7.5", activity: null, calculation: null, note: "Moved" });
    expect((await ada.graphql(TOTAL)).body.data.emissions).toEqual({
      totalCo2eTonnesExact: "7.5",
      recordCount: 1,
    });
    const wrong = { id, co2eTonnes: "1", activity: gas("1"), marketBasedTonnes: "1", note: "" };
    expect(await refused(ada, UPDATE, { input: wrong })).toEqual([
      "VALIDATION_FAILED",
      ["input.note", "input.activity"],
    ]);
    expect(await refused(ada, UPDATE, { input: { id, marketBasedTonnes: "1" } })).toEqual([
      "VALIDATION_FAILED",
      ["input.marketBasedTonnes"],
    ]);
    expect(await refused(ada, UPDATE, { input: { id } })).toEqual(["VALIDATION_FAILED", [""]]);
  });

  it("report a calculation error by its own code, or with the other problems of the input", async () => {
    const [ada, bob] = [await signUp(gateway), await signUp(gateway)];
    const { id: factorId } = await addFactor(gateway.database, bob.organization.slug);
    const one = (activity: object) =>
      refused(ada, CREATE, {
        input: [RECORD, RECORD].map((record, index) => ({
          ...record,
          ...(index ? { activity } : { co2eTonnes: "1" }),
        })),
      });
    const at = ["input[1].activity"];
    const unit = ["input[1].activity.unit"];
    expect(await one({ amount: "1", unit: "kg", factorId })).toEqual(["FACTOR_NOT_FOUND", at]);
    expect(await one({ amount: "1", unit: "km", gas: "CO2" })).toEqual(["UNIT_MISMATCH", unit]);
    expect(await one({ amount: "1", unit: "wagons", selector: uk("Natural gas") })).toEqual([
      "FACTOR_NOT_FOUND",
      unit,
    ]);
    expect(await one({ ...gas("1"), selector: uk("Natural gas", { year: 2025 }) })).toEqual([
      "AMBIGUOUS_FACTOR",
      at,
    ]);
    expect(await one({ amount: "-1", unit: "kg", gas: "CO2" })).toEqual([
      "VALIDATION_FAILED",
      ["input[1].activity.amount"],
    ]);
    expect(await one({ amount: "1", unit: "kg" })).toEqual(["VALIDATION_FAILED", at]);
    expect(await one({ amount: "999999999999999", unit: "tonne", gas: "SF6" })).toEqual([
      "VALIDATION_FAILED",
      at,
    ]);
    const input = [
      { ...RECORD, activity: { amount: "1", unit: "km", gas: "CO2" } },
      { ...RECORD, co2eTonnes: "0.1234567" },
    ];
    expect(await refused(ada, CREATE, { input })).toEqual([
      "VALIDATION_FAILED",
      ["input[1].co2eTonnes", "input[0].activity.unit"],
    ]);
    const net = {
      amount: "5000",
      unit: "kWh (gross CV)",
      factorId: (
        await gateway.database.prisma.emissionFactor.findFirstOrThrow({
          where: { activity: "Natural gas", region: "Global" },
        })
      ).id,
    };
    expect(await one(net)).toEqual(["UNIT_MISMATCH", unit]);
    expect((await ada.graphql(TOTAL)).body.data.emissions.recordCount).toBe(0);
  });

  it("can be added 1 to 500 at a time, all or none", async () => {
    const ada = await signUp(gateway);
    const input = Array.from({ length: 500 }, () => ({ ...RECORD, co2eTonnes: "0.5" }));
    const wrong = input.with(498, { ...RECORD, co2eTonnes: "-1" });
    expect(await refused(ada, CREATE, { input: wrong })).toEqual([
      "VALIDATION_FAILED",
      ["input[498].co2eTonnes"],
    ]);
    expect(await refused(ada, CREATE, { input: [] })).toEqual(["VALIDATION_FAILED", ["input"]]);
    const many = await ada.graphql(CREATE, { input: [...input, input[0]] });
    expect(many.body.errors?.[0]?.message).toContain("10020 cost points");
    expect((await ada.graphql(TOTAL)).body.data.emissions.recordCount).toBe(0);
    const { body, cost } = await ada.graphql(
      "mutation ($input: [EmissionRecordInput!]!) { createEmissionRecords(input: $input) { createdCount records { id } } }",
      { input },
    );
    expect([body.data.createEmissionRecords.createdCount, cost]).toEqual([500, 10_000]);
    expect((await ada.graphql(TOTAL)).body.data.emissions).toEqual({
      totalCo2eTonnesExact: "250",
      recordCount: 500,
    });
  });

  it("can be read right after a write, in the same process and in another", async () => {
    const ada = await signUp(gateway);
    const { key } = await makeKey(gateway.database, ada.organization.slug);
    const [here, there] = [createClient(gateway.url), createClient(other.url)];
    const totalOf = async ({ graphql }: typeof here) =>
      (await graphql(TOTAL, key)).body.data.emissions.totalCo2eTonnesExact;
    expect([await totalOf(here), await totalOf(there)]).toEqual(["0", "0"]);
    const [{ id }] = await created(ada, { ...RECORD, co2eTonnes: "1" });
    expect(await totalOf(here)).toBe("1");
    await expect.poll(() => totalOf(there)).toBe("1");
    await updated(ada, id, { co2eTonnes: "2" });
    expect(await totalOf(here)).toBe("2");
    await expect.poll(() => totalOf(there)).toBe("2");
    await ada.graphql(
      `mutation { deleteEmissionRecord(input: { id: "${id}", reason: "Twice." }) { emissionRecord { id } } }`,
    );
    expect(await totalOf(here)).toBe("0");
    await expect.poll(() => totalOf(there)).toBe("0");
  });
});
