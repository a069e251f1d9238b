import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Body, refused } from "../support/answers.js";
import { signUp, type TestPerson } from "../support/people.js";
import { useGateway } from "../support/use.js";
import { completeStep, draft, prepareVerification } from "../support/verification.js";

const PATH = "/v1/emissions/records/delete";
const RECORDS = "/v1/emissions/records";
const REASON = "entered twice";

const gateway = useGateway();

/** Adds a record for each amount. */
async function add(person: TestPerson, ...tonnes: number[]): Promise<Body[]> {
  const json = tonnes.map((co2e_tonnes, index) => ({
    recorded_on: `2025-03-0${index + 1}`,
    scope: "scope_1",
    co2e_tonnes,
    reference: `r-${index}`,
  }));
  const { body } = await person.call<Body>(RECORDS, { json: { records: json } });
  return body.data.records;
}

const remove = (person: TestPerson, ids: readonly string[], reason = REASON) =>
  person.call<Body>(PATH, { json: { record_ids: ids, reason } });

const listed = async (person: TestPerson) =>
  (await person.call<Body>(RECORDS)).body.data.items.map(({ id }: { id: string }) => id);

describe("POST /v1/emissions/records/delete", () => {
  it("deletes records together, returns them in the order of the ids, and audits each", async () => {
    const ada = await signUp(gateway);
    const [one, two, three] = await add(ada, 1, 2, 3);
    const { status, body } = await remove(ada, [three.id, one.id.toUpperCase()]);
    expect([status, body.error]).toEqual([200, null]);
    expect(body.data.records.map(({ id, co2e_tonnes, note }: Body) => [id, co2e_tonnes, note])).toEqual([
      [three.id, 3, REASON],
      [one.id, 1, REASON],
    ]);
    expect(await listed(ada)).toEqual([two.id]);
    const trail = await ada.graphql(`{ auditLog { entries(filter: { action: "emission_record.deleted" }) {
      nodes { targetId actorName } } } }`);
    expect(
      trail.body.data.auditLog.entries.nodes.map(({ targetId }: { targetId: string }) => targetId).sort(),
    ).toEqual([one.id, three.id].sort());
  });

  it("skips deleted records, so that the request can be sent again", async () => {
    const ada = await signUp(gateway);
    const [one, two] = await add(ada, 1, 2);
    await remove(ada, [one.id]);
    const { status, body } = await remove(ada, [one.id, two.id], "again");
    expect([status, body.data.records.map(({ id }: Body) => id)]).toEqual([200, [two.id]]);
    expect((await remove(ada, [one.id, two.id])).body.data.records).toEqual([]);
  });

  it("frees the references of deleted records", async () => {
    const ada = await signUp(gateway);
    const [one] = await add(ada, 1);
    await remove(ada, [one.id]);
    const [again] = await add(ada, 5);
    expect([again.reference, again.co2e_tonnes]).toEqual(["r-0", 5]);
    expect(await listed(ada)).toEqual([again.id]);
  });

  it("names every locked record, and deletes none", async () => {
    const { ada, vera, records } = await prepareVerification(gateway);
    const { request, path } = await draft(ada, vera, { scopes: ["scope_1", "scope_2"] });
    await completeStep(ada, path, "submit");
    const before = await listed(ada);
    const [one, two, free] = records.map(({ id }) => id) as [string, string, string];
    const message = (day: string, id: string) =>
      `The record of ${day} with the id ${id} is locked by verification request ${request.number}.`;
    await refused(remove(ada, [free, one, two]), 409, {
      "record_ids[1]": message("2025-01-01", one),
      "record_ids[2]": message("2025-12-31", two),
    });
    expect(await listed(ada)).toEqual(before);
    expect((await remove(ada, [free])).status).toBe(200);
  });

  it("refuses unknown ids and another organization's alike, and names each", async () => {
    const [ada, eve] = [await signUp(gateway), await signUp(gateway)];
    const [[mine], [theirs]] = [await add(ada, 1), await add(eve, 1)];
    const unknown = randomUUID();
    await refused(remove(ada, [mine.id, mine.id, theirs.id, unknown]), 422, {
      "record_ids[2]": `There is no emission record with the id ${theirs.id}.`,
      "record_ids[3]": `There is no emission record with the id ${unknown}.`,
    });
    expect(await listed(ada)).toEqual([mine.id]);
  });

  it("refuses no ids, over 100 ids and a blank reason", async () => {
    const ada = await signUp(gateway);
    await refused(remove(ada, []), 422, ["record_ids"]);
    const many = Array.from({ length: 101 }, () => randomUUID());
    await refused(remove(ada, many), 422, ["record_ids"]);
    await refused(remove(ada, [], " "), 422, ["record_ids", "reason"]);
  });
});

describe("recordIds filter", () => {
  it("lists and sums only the given records", async () => {
    const ada = await signUp(gateway);
    const [one, , three] = await add(ada, 1, 2, 3);
    const ids = JSON.stringify([three.id, one.id.toUpperCase()]);
    const { body } = await ada.graphql(`{
      emissionRecords(filter: { recordIds: ${ids} }) { totalCount nodes { co2eTonnes } }
      emissions(range: { from: "2025-01-01", to: "2025-12-31" }, filter: { recordIds: ${ids} }) { totalCo2eTonnes recordCount }
    }`);
    expect(body.data).toEqual({
      emissionRecords: { totalCount: 2, nodes: [{ co2eTonnes: 3 }, { co2eTonnes: 1 }] },
      emissions: { totalCo2eTonnes: 4, recordCount: 2 },
    });
  });
});
