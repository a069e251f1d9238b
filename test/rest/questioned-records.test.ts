import { describe, expect, it } from "vitest";
import type { Body } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { addFacility } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/emissions/records";
const gateway = useGateway();

const post = (person: TestPerson, json: unknown) => person.call<Body>(PATH, { json });
const record = (tonnes: number, more: object = {}) => ({
  recorded_on: "2026-10-31",
  scope: "scope_1",
  co2e_tonnes: tonnes,
  category: "heat",
  ...more,
});
const days = (count: number, month = "2026-09") =>
  Array.from({ length: count }, (_, day) => `${month}-${String(day + 1).padStart(2, "0")}`);

/** Signs up a person whose organization has 0.1 t of heat on each of `count` days. */
async function withHistory(count = 5) {
  const ada = await signUp(gateway);
  const records = days(count).map((recorded_on) => record(0.1, { recorded_on }));
  expect((await post(ada, { records })).status).toBe(201);
  return ada;
}

const QUESTION = {
  code: "RECORD_UNUSUAL",
  message:
    "A record is at least 10 times the median of its facility and category: record 1 has 1.2 t, which is 12 times 0.1 t.",
  rows: 1,
  first_lines: [1],
  figures: [{ tonnes: 1.2, median_tonnes: 0.1, ratio: 12 }],
};
const countOf = ({ organization: { id: organizationId } }: TestPerson) =>
  gateway.database.prisma.emissionRecord.count({ where: { organizationId } });

describe("a record of at least 10 times the median of its facility and category", () => {
  it("is stored only if RECORD_UNUSUAL is accepted, with an audit entry that says so", async () => {
    const ada = await withHistory();
    const { status, body } = await post(ada, record(1.2));
    expect([status, body]).toEqual([
      422,
      {
        success: false,
        data: null,
        error: {
          code: "CONFIRMATION_REQUIRED",
          message: `Nothing was stored. ${QUESTION.message}`,
          questions: [QUESTION],
        },
        meta: expect.anything(),
      },
    ]);
    expect(await countOf(ada)).toBe(5);
    const accepted = await post(ada, { ...record(1.2), accept: ["RECORD_UNUSUAL"] });
    expect([accepted.status, accepted.body.data.co2e_tonnes]).toEqual([201, 1.2]);
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      action: "emission_record.created",
      changes: { co2e_tonnes: 1.2, accepted: ["RECORD_UNUSUAL"] },
    });
  });

  it("is found among the records of one request, and only its audit entry says so", async () => {
    const ada = await signUp(gateway);
    const records = [
      ...days(6).map((recorded_on) => record(2, { recorded_on })),
      record(20, { reference: "x" }),
    ];
    const { status, body } = await post(ada, { records });
    expect([status, body.error.questions[0].first_lines, body.error.questions[0].figures]).toEqual([
      422,
      [7],
      [{ tonnes: 20, median_tonnes: 2, ratio: 10 }],
    ]);
    expect((await post(ada, { records, accept: ["RECORD_UNUSUAL"] })).status).toBe(201);
    const entries = await readAuditTrail(gateway.database, ada.organization.id);
    const marked = entries.filter(({ changes }) => "accepted" in changes);
    expect(marked.map(({ changes }) => changes["reference"])).toEqual(["x"]);
    // The record exists, so the request asks nothing.
    expect((await post(ada, record(20, { reference: "x" }))).status).toBe(200);
  });

  it("is compared only with five or more non-zero records of the last 24 months", async () => {
    const few = await withHistory(4);
    expect((await post(few, { records: [record(0), record(1.2)] })).status).toBe(201);

    const old = await signUp(gateway);
    const records = days(5, "2024-09").map((recorded_on) => record(0.1, { recorded_on }));
    expect((await post(old, { records })).status).toBe(201);
    expect((await post(old, record(1.2, { recorded_on: "2026-11-01" }))).status).toBe(201);
    expect((await post(old, record(1.2, { recorded_on: "2026-08-31" }))).status).toBe(422);
    expect((await post(old, record(1.2, { recorded_on: "2026-08-31", category: "fleet" }))).status).toBe(201);
    const { code } = await addFacility(gateway.database, old.organization.slug, {
      code: "H",
      name: "Hamburg",
    });
    expect((await post(old, record(1.2, { recorded_on: "2026-08-31", facility: code }))).status).toBe(201);
  });

  it("is questioned when its amount changes, but not when its note does", async () => {
    const ada = await withHistory();
    const { id } = (await post(ada, record(0.2))).body.data;
    const patch = (json: unknown) => ada.call<Body>(`${PATH}/${id}`, { method: "PATCH", json });
    const { status, body } = await patch({ co2e_tonnes: 1.2 });
    expect([status, body.error.questions]).toEqual([422, [QUESTION]]);
    const accepted = await patch({ co2e_tonnes: 1.2, accept: ["RECORD_UNUSUAL"] });
    expect([accepted.status, accepted.body.data.version]).toEqual([200, 2]);
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      action: "emission_record.updated",
      changes: { co2e_tonnes: { from: 0.2, to: 1.2 }, accepted: ["RECORD_UNUSUAL"] },
    });
    expect((await patch({ note: "Checked." })).status).toBe(200);
  });

  it("is questioned in GraphQL with an extension of the error", async () => {
    const ada = await withHistory();
    const input = { recordedOn: "2026-10-31", scope: "SCOPE_1", co2eTonnes: "1.2", category: "heat" };
    const send = (accept?: string) =>
      ada.graphql(
        `mutation ($input: [EmissionRecordInput!]!) {
          createEmissionRecords(input: $input${accept ? `, accept: [${accept}]` : ""}) { createdCount }
        }`,
        { input: [input] },
      );
    const { first_lines: firstLines, ...question } = QUESTION;
    const figures = [{ tonnes: 1.2, medianTonnes: 0.1, ratio: 12 }];
    expect((await send()).body.errors?.[0]?.extensions).toMatchObject({
      code: "CONFIRMATION_REQUIRED",
      questions: [{ ...question, firstLines, figures }],
    });
    expect((await send("EVERYTHING")).body.errors?.[0]?.extensions?.["code"]).toBe(
      "GRAPHQL_VALIDATION_FAILED",
    );
    expect((await send("RECORD_UNUSUAL")).body.data).toEqual({ createEmissionRecords: { createdCount: 1 } });
  });

  it("gets 400 for accepting an unknown question", async () => {
    const ada = await withHistory();
    const { id } = (await post(ada, record(0.1))).body.data;
    const answers = [
      await post(ada, { ...record(1.2), accept: ["all"] }),
      await post(ada, { records: [record(1.2)], accept: ["all"] }),
      await ada.call<Body>(`${PATH}/${id}`, { method: "PATCH", json: { co2e_tonnes: 1.2, accept: ["all"] } }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error.code, body.error.message]).toEqual([
        400,
        "BAD_REQUEST",
        expect.stringContaining("body.accept[0]: expected one of"),
      ]);
    }
  });
});
