import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Body } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/facilities";
const gateway = useGateway();

const FACILITY = { code: "HAM-1", name: "Hamburg works", country: "DE" };

const post = (person: TestPerson, json: unknown) => person.call<Body>(PATH, { json });
const patch = (person: TestPerson, id: string, json: unknown, headers = {}) =>
  person.call<Body>(`${PATH}/${id}`, { method: "PATCH", json, headers });
const archive = (person: TestPerson, id: string) => person.call<Body>(`${PATH}/${id}`, { method: "DELETE" });
const codes = async (person: TestPerson, query = "") =>
  (await person.call<Body>(PATH + query)).body.data.items.map(({ code }: Body) => code);
const refusal = ({ status, body }: { status: number; body: Body }) => [
  status,
  body.error?.code,
  body.error?.details?.map(({ path }: { path: string }) => path),
];

describe("/v1/facilities", () => {
  it("refuses a 20,001st facility of an organization, also in a file", async () => {
    const ada = await signUp(gateway);
    await gateway.database.prisma.$executeRaw`
      INSERT INTO facilities (id, organization_id, code, name)
      SELECT gen_random_uuid(), ${ada.organization.id}::uuid, 'F' || n, 'F' || n FROM generate_series(1, 19999) AS n`;
    const importing = (codes: readonly string[]) =>
      ada.call<Body>("/v1/emissions/import?dry_run=true&create_facilities=true&country=DE", {
        method: "POST",
        body: [
          "recorded_on,scope,co2e_tonnes,facility",
          ...codes.map((code) => `2026-03-01,1,1,${code}`),
        ].join("\n"),
        headers: { "Content-Type": "text/csv" },
      });
    expect((await importing(["F1", "new-1"])).body.data.facilities_created).toBe(1);
    expect((await importing(["new-1", "new-2"])).body.error.details).toEqual([
      {
        path: "line 3, column facility",
        message: 'expected at most 20,000 facilities in an organization, got one more, "new-2"',
      },
    ]);
    expect((await post(ada, FACILITY)).status).toBe(201);
    expect((await post(ada, FACILITY)).status).toBe(200);
    const { status, body } = await post(ada, { ...FACILITY, code: "HAM-2" });
    expect([status, body.error.code]).toEqual([422, "VALIDATION_FAILED"]);
    expect(body.error.message).toMatch(/^An organization can have at most 20000 facilities/);
  });

  it("reads a country by its code in any case, by a common abbreviation or by its name", async () => {
    const ada = await signUp(gateway);
    const found = [];
    for (const [index, country] of ["in", "UK", "Deutschland"].entries())
      found.push((await post(ada, { ...FACILITY, code: `F${index}`, country })).body.data.country);
    expect(found).toEqual(["IN", "GB", "DE"]);
  });

  it("adds, changes, archives and restores a facility, and audits each step", async () => {
    const ada = await signUp(gateway);
    const { status, headers, body } = await post(ada, FACILITY);
    const facility = {
      id: expect.any(String),
      ...FACILITY,
      entity: null,
      electricity_market: null,
      archived_at: null,
      version: 1,
    };
    expect([status, headers.get("etag"), body.data]).toEqual([201, '"1"', facility]);
    const { id } = body.data;
    expect(headers.get("location")).toBe(`${PATH}/${id}`);
    const read = await ada.call<Body>(`${PATH}/${id}`);
    expect([read.status, read.headers.get("etag"), read.body.data]).toEqual([200, '"1"', body.data]);

    const renamed = await patch(ada, id, { name: "Harburg works", country: null }, { "If-Match": '"1"' });
    expect([renamed.status, renamed.body.data]).toEqual([
      200,
      { ...body.data, name: "Harburg works", country: null, version: 2 },
    ]);
    expect(refusal(await patch(ada, id, { name: "Late" }, { "If-Match": '"1"' }))).toEqual([
      409,
      "CONFLICT",
      ["version"],
    ]);
    const archived = await archive(ada, id);
    expect([archived.status, archived.body.data.archived_at]).toEqual([200, NOW.toISOString()]);
    expect((await archive(ada, id)).body.data).toEqual(archived.body.data);
    expect([await codes(ada), await codes(ada, "?include_archived=true")]).toEqual([[], ["HAM-1"]]);
    const back = await patch(ada, id, { archived: false });
    expect(back.body.data).toEqual({ ...renamed.body.data, version: 4 });
    const trail = await readAuditTrail(gateway.database, ada.organization.id);
    expect(trail.slice(-4).map(({ action }) => action)).toEqual([
      "facility.created",
      "facility.updated",
      "facility.archived",
      "facility.restored",
    ]);
  });

  it("returns the facility with the same code, or 409 if it differs or is archived", async () => {
    const ada = await signUp(gateway);
    const [one, two] = await Promise.all([post(ada, FACILITY), post(ada, FACILITY)]);
    expect([one.status, two.status].toSorted()).toEqual([200, 201]);
    expect(two.body.data).toEqual(one.body.data);
    expect(refusal(await post(ada, { code: "HAM-1", name: "Bremen" }))).toEqual([
      409,
      "CONFLICT",
      ["name", "country"],
    ]);
    await archive(ada, one.body.data.id);
    expect(refusal(await post(ada, FACILITY))).toEqual([409, "CONFLICT", ["archived"]]);
  });

  it("reports all problems together, and refuses an empty change", async () => {
    const ada = await signUp(gateway);
    expect(refusal(await post(ada, { code: " ", name: "x".repeat(201) }))).toEqual([
      422,
      "VALIDATION_FAILED",
      ["code", "name"],
    ]);
    const { body } = await post(ada, FACILITY);
    const { id } = body.data;
    for (const json of [{}, { name: "" }, { code: "HAM-2" }])
      expect(refusal(await patch(ada, id, json)).slice(0, 2)).toEqual([422, "VALIDATION_FAILED"]);
  });

  it("lets editors and above write, but no viewer or API key", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    const { body } = await post(await addMember(gateway, slug, "editor"), FACILITY);
    const viewer = await addMember(gateway, slug, "viewer");
    const { key } = await makeKey(gateway.database, slug);
    const headers = { "X-API-Key": key, "Content-Type": "application/json" };
    for (const [method, path, json] of [
      ["POST", PATH, FACILITY],
      ["PATCH", `${PATH}/${body.data.id}`, { name: "x" }],
      ["DELETE", `${PATH}/${body.data.id}`, {}],
    ] as const) {
      expect(refusal(await viewer.call<Body>(path, { method, json }))).toEqual([403, "FORBIDDEN", undefined]);
      const answer = await gateway.call<Body>(path, { method, headers, body: JSON.stringify(json) });
      expect(refusal(answer)).toEqual([401, "INVALID_KEY", undefined]);
    }
    expect((await gateway.call<Body>(PATH, { headers })).body.data.items).toEqual([body.data]);
  });

  it("answers alike for unknown ids and another organization's ids", async () => {
    const [ada, bob] = [await signUp(gateway), await signUp(gateway)];
    const { body } = await post(bob, FACILITY);
    const messagesOf = async (id: string) => {
      const calls = [ada.call<Body>(`${PATH}/${id}`), patch(ada, id, { name: "x" }), archive(ada, id)];
      const answers = await Promise.all(calls);
      return answers.map((answer) => [...refusal(answer), answer.body.error.message.replace(id, "…")]);
    };
    expect(await messagesOf(body.data.id)).toEqual(await messagesOf(randomUUID()));
    expect((await post(ada, FACILITY)).status).toBe(201);
    expect((await bob.call<Body>(`${PATH}/${body.data.id}`)).body.data).toEqual(body.data);
  });
});
