import { describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { signUp, type TestPerson } from "../support/people.js";
import { NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/facilities";
const gateway = useGateway();

const FACILITY = { code: "HAM-1", name: "Hamburg works", country: "DE" };

const post = (person: TestPerson, json: unknown) => person.call<Body>(PATH, { json });
const patch = (person: TestPerson, id: string, json: unknown) =>
  person.call<Body>(`${PATH}/${id}`, { method: "PATCH", json });
const archive = (person: TestPerson, id: string) => person.call<Body>(`${PATH}/${id}`, { method: "DELETE" });
const codes = async (person: TestPerson, query = "") =>
  (await answer(person.call(PATH + query), 200)).items.map(({ code }: Body) => code);

describe("/v1/facilities", () => {
  it("refuses a 20,001st facility of an organization, also in a file", async () => {
    const ada = await signUp(gateway);
    await gateway.database.prisma.$executeRaw`
      INSERT INTO facilities (id, organization_id, code, name)
      SELECT gen_random_uuid(), ${ada.organization.id}::uuid, 'F' || n, 'F' || n FROM generate_series(1, 19999) AS n`;
    const importing = (...codes: readonly string[]) =>
      ada.call<Body>("/v1/emissions/import?dry_run=true&create_facilities=true&country=DE", {
        method: "POST",
        body: [
          "recorded_on,scope,co2e_tonnes,facility",
          ...codes.map((code) => `2026-03-01,1,1,${code}`),
        ].join("\n"),
        headers: { "Content-Type": "text/csv" },
      });
    expect((await answer(importing("F1", "new-1"), 200)).facilities_created).toBe(1);
    const message = 'expected at most 20,000 facilities in an organization, got one more, "new-2"';
    await refused(importing("new-1", "new-2"), 422, { "line 3, column facility": message });
    await answer(post(ada, FACILITY), 201);
    await answer(post(ada, FACILITY), 200);
    const another = post(ada, { ...FACILITY, code: "HAM-2" });
    await refused(another, 422, /^An organization can have at most 20000 facilities/);
  });

  it("reads a country by its code in any case, by a common abbreviation or by its name", async () => {
    const ada = await signUp(gateway);
    const found = [];
    for (const [index, country] of ["in", "UK", "Deutschland"].entries())
      found.push((await answer(post(ada, { ...FACILITY, code: `F${index}`, country }), 201)).country);
    expect(found).toEqual(["IN", "GB", "DE"]);
  });

  it("adds, changes, archives and restores a facility, and audits each step", async () => {
    const ada = await signUp(gateway);
    const facility = await answer(post(ada, FACILITY), 201, {
      id: expect.any(String),
      ...FACILITY,
      entity: null,
      electricity_market: null,
      archived_at: null,
      version: 1,
    });
    const { id } = facility;
    const renamed = { ...facility, name: "Harburg works", country: null, version: 2 };
    await answer(patch(ada, id, { name: "Harburg works", country: null }), 200, renamed);
    const archived = await answer(archive(ada, id), 200);
    expect(archived.archived_at).toBe(NOW.toISOString());
    await answer(archive(ada, id), 200, archived);
    expect([await codes(ada), await codes(ada, "?include_archived=true")]).toEqual([[], ["HAM-1"]]);
    await refused(post(ada, { ...FACILITY, name: "Harburg works", country: null }), 409, ["archived"]);
    await answer(patch(ada, id, { archived: false }), 200, { ...renamed, version: 4 });
    const trail = await readAuditTrail(gateway.database, ada.organization.id);
    const actions = ["created", "updated", "archived", "restored"].map((verb) => `facility.${verb}`);
    expect(trail.slice(-4).map(({ action }) => action)).toEqual(actions);
  });

  it("reports all problems together, and refuses an empty change", async () => {
    const ada = await signUp(gateway);
    await refused(post(ada, { code: " ", name: "x".repeat(201) }), 422, ["code", "name"]);
    const { id } = await answer(post(ada, FACILITY), 201);
    for (const json of [{}, { name: "" }, { code: "HAM-2" }]) await refused(patch(ada, id, json), 422);
  });
});
