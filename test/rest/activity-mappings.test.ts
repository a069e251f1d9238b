import { beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { MAX_MAPPINGS } from "../../src/domain/ghg/activity-mapping.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { readAuditTrail } from "../support/audit.js";
import { addFactor } from "../support/fixtures.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { type Envelope, makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/emissions/activity-mappings";

const gateway = useGateway();
beforeAll(async () => {
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});

const set = (person: Pick<TestPerson, "call">, ...mappings: object[]) =>
  person.call<Envelope>(PATH, { method: "PUT", json: { mappings } });
const refusal = ({ status, body }: { status: number; body: Envelope }) => [status, body.error];
const mappingsOf = ({ body }: { body: Envelope }) =>
  (body.data as { mappings: Record<string, unknown>[] }).mappings;
const idOf = async (activity: string, region: string, unit: string, sourceYear = 2025) => {
  const { id } = await gateway.database.prisma.emissionFactor.findFirstOrThrow({
    where: { activity, region, unit, sourceYear, organizationId: null },
  });
  return id;
};

describe("/v1/emissions/activity-mappings", () => {
  it("creates, replaces, lists, searches and deletes mappings, and audits each change", async () => {
    const ada = await signUp(gateway);
    const electricity = await idOf("Grid electricity, UK (generation)", "UK", "kWh");
    const gas = await idOf("Natural gas", "UK", "kWh (gross CV)");
    const made = await set(
      ada,
      { text: " Strom Wérk 2 ", unit: "kwh", region: "Großbritannien", factor_id: electricity },
      { text: "Erdgas", unit: "MWh", factor_id: gas, fixed_year: true },
    );
    const [first, second] = mappingsOf(made);
    const { factor: _, ...rest } = first as { factor: object };
    expect([made.status, rest]).toEqual([
      200,
      {
        id: first?.["id"],
        text: "Strom Wérk 2",
        unit: "kWh",
        unit_as: null,
        region: "GB",
        fixed_year: false,
        version: 1,
        created_by: ada.user.id,
        updated_at: NOW.toISOString(),
        record_count: 0,
      },
    ]);
    expect(first).toMatchObject({ factor: { id: electricity, factor_exact: "0.177" } });
    expect(second).toMatchObject({ unit: "MWh", unit_as: "MWh (gross CV)", region: null, fixed_year: true });

    const again = await set(ada, {
      text: "STROM  werk 2",
      unit: "MWh",
      region: "GB",
      factor_id: electricity,
    });
    expect(mappingsOf(again)).toMatchObject([{ id: first?.["id"], text: "Strom Wérk 2", version: 1 }]);
    const changed = await set(ada, {
      text: "STROM  werk 2",
      unit: "MWh",
      region: "GB",
      factor_id: electricity,
      fixed_year: true,
    });
    expect(mappingsOf(changed)).toMatchObject([
      { id: first?.["id"], text: "STROM werk 2", unit: "MWh", version: 2 },
    ]);

    const listed = await ada.call(`${PATH}?q=werk`);
    expect(listed.body.data).toEqual({ items: mappingsOf(changed), next_cursor: null });
    const one = await ada.call(`${PATH}/${first?.["id"]}`);
    expect([one.status, one.headers.get("etag"), one.body.data]).toEqual([
      200,
      expect.stringMatching(/^"2-/),
      mappingsOf(changed)[0],
    ]);
    const remove = (version: string) =>
      ada.call(`${PATH}/${first?.["id"]}`, { method: "DELETE", headers: { "If-Match": version } });
    expect((await remove('"1"')).status).toBe(409);
    expect((await remove('"2"')).status).toBe(200);
    expect((await ada.call(`${PATH}/${first?.["id"]}`)).status).toBe(404);
    const trail = await readAuditTrail(gateway.database, ada.organization.id);
    expect(trail.slice(-4).map(({ action, changes }) => [action, changes])).toEqual([
      ["activity_mapping.created", expect.objectContaining({ text: "Strom Wérk 2", factor_id: electricity })],
      ["activity_mapping.created", expect.objectContaining({ text: "Erdgas", unit_as: "MWh (gross CV)" })],
      [
        "activity_mapping.updated",
        expect.objectContaining({ fixed_year: { from: false, to: true }, unit: { from: "kWh", to: "MWh" } }),
      ],
      ["activity_mapping.deleted", expect.objectContaining({ text: "STROM werk 2" })],
    ]);
  });

  it("reports all problems together, and saves nothing", async () => {
    const ada = await signUp(gateway);
    const electricity = await idOf("Grid electricity, UK (generation)", "UK", "kWh");
    const coal = await idOf("Coal (industrial)", "UK", "tonne");
    const wrong = await set(
      ada,
      { text: "Power", unit: "kWh", factor_id: electricity },
      { text: "power", unit: "MWh", factor_id: electricity },
      { text: "Coal", unit: "ton", factor_id: electricity },
      { text: " ", unit: "kWh", region: "Atlantis", factor_id: "00000000-0000-4000-8000-000000000000" },
      { text: "Coal", unit: "ton", unit_as: "gallon", factor_id: coal },
    );
    const { details } = wrong.body.error as unknown as { details: { path: string; message: string }[] };
    expect([wrong.status, details.map(({ path }) => path)]).toEqual([
      422,
      [
        "mappings[1].text",
        "mappings[2].unit",
        "mappings[3].text",
        "mappings[3].region",
        "mappings[3].factor_id",
        "mappings[4].unit_as",
      ],
    ]);
    expect((await ada.call(PATH)).body.data).toEqual({ items: [], next_cursor: null });
    expect(mappingsOf(await set(ada, { text: "Coal", unit: "ton", factor_id: coal }))).toMatchObject([
      { unit: "ton", unit_as: "tonne" },
    ]);
    expect((await set(ada)).status).toBe(422);
  });

  it("never reads, changes or uses a mapping of another organization", async () => {
    const [ada, ben] = await Promise.all([signUp(gateway), signUp(gateway)]);
    const own = await addFactor(gateway.database, ada.organization.slug);
    const [mapping] = mappingsOf(await set(ada, { text: "Boiler", unit: "kg", factor_id: own.id }));
    const path = `${PATH}/${mapping?.["id"]}`;
    expect((await ben.call(PATH)).body.data).toEqual({ items: [], next_cursor: null });
    expect([(await ben.call(path)).status, (await ben.call(path, { method: "DELETE" })).status]).toEqual([
      404, 404,
    ]);
    expect(refusal(await set(ben, { text: "Boiler", unit: "kg", factor_id: own.id }))).toEqual([
      422,
      {
        code: "VALIDATION_FAILED",
        message: `mappings[0].factor_id must be the id of an emission factor (got ${own.id}).`,
        details: [
          {
            path: "mappings[0].factor_id",
            message: `mappings[0].factor_id must be the id of an emission factor (got ${own.id}).`,
          },
        ],
      },
    ]);
    const electricity = await idOf("Grid electricity, UK (generation)", "UK", "kWh");
    await set(ben, { text: "Boiler", unit: "kWh", factor_id: electricity });
    expect((await ada.call(path)).body.data).toEqual(mapping);
  });

  it("needs read:emissions to read, and a person with write:emissions to write", async () => {
    const ada = await signUp(gateway);
    const viewer = await addMember(gateway, ada.organization.slug, "viewer");
    const electricity = await idOf("Grid electricity, UK (generation)", "UK", "kWh");
    const input = { text: "Power", unit: "kWh", factor_id: electricity };
    const [mapping] = mappingsOf(await set(ada, input));
    expect((await viewer.call(PATH)).body.data).toEqual({ items: [mapping], next_cursor: null });
    expect((await set(viewer, input)).status).toBe(403);
    const { key } = await makeKey(gateway.database, ada.organization.slug);
    const call = (init: RequestInit) =>
      fetch(`${gateway.url}/api/v1/emissions/activity-mappings`, {
        ...init,
        headers: { "X-API-Key": key, "Content-Type": "application/json" },
      });
    expect((await call({})).status).toBe(200);
    expect((await call({ method: "PUT", body: JSON.stringify({ mappings: [input] }) })).status).toBe(401);
  });

  it(`refuses more than ${MAX_MAPPINGS} mappings in an organization`, async () => {
    const ada = await signUp(gateway);
    const electricity = await idOf("Grid electricity, UK (generation)", "UK", "kWh");
    await gateway.database.transaction((sql) =>
      sql.execute(
        `INSERT INTO activity_mappings (organization_id, text, text_key, unit, unit_key, region, factor_id, fixed_year, updated_at)
         SELECT $1::uuid, 'a' || n, 'a' || n, 'kWh', 'energy', '', $2::uuid, false, now() FROM generate_series(1, $3::int) AS n`,
        [ada.organization.id, electricity, MAX_MAPPINGS],
      ),
    );
    const message = `An organization can have at most ${MAX_MAPPINGS} mappings. Delete some that no file needs.`;
    expect(refusal(await set(ada, { text: "One more", unit: "kWh", factor_id: electricity }))).toEqual([
      409,
      { code: "CONFLICT", message, details: [{ path: "mappings", message }] },
    ]);
    expect((await set(ada, { text: "A1", unit: "kWh", factor_id: electricity })).status).toBe(200);
  });
});
