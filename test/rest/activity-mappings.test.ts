import { beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { MAX_MAPPINGS } from "../../src/domain/ghg/activity-mapping.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { answer, type Body, refused } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { addFactor } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/emissions/activity-mappings";

const gateway = useGateway();
beforeAll(async () => {
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});

const set = (person: TestPerson, ...mappings: object[]) =>
  person.call<Body>(PATH, { method: "PUT", json: { mappings } });
const saved = async (person: TestPerson, ...mappings: object[]): Promise<Body[]> =>
  (await answer(set(person, ...mappings), 200)).mappings;
const none = { items: [], next_cursor: null };
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
    const [first, second] = await saved(
      ada,
      { text: " Strom Wérk 2 ", unit: "kwh", region: "Großbritannien", factor_id: electricity },
      { text: "Erdgas", unit: "MWh", factor_id: gas, fixed_year: true },
    );
    const { factor, ...rest } = first;
    expect(rest).toEqual({
      id: first.id,
      text: "Strom Wérk 2",
      unit: "kWh",
      unit_as: null,
      region: "GB",
      fixed_year: false,
      version: 1,
      created_by: ada.user.id,
      updated_at: NOW.toISOString(),
      record_count: 0,
    });
    expect(factor).toMatchObject({ id: electricity, factor_exact: "0.177" });
    expect(second).toMatchObject({ unit: "MWh", unit_as: "MWh (gross CV)", region: null, fixed_year: true });

    const same = { text: "STROM  werk 2", unit: "MWh", region: "GB", factor_id: electricity };
    expect(await saved(ada, same)).toMatchObject([{ id: first.id, text: "Strom Wérk 2", version: 1 }]);
    const [changed] = await saved(ada, { ...same, fixed_year: true });
    expect(changed).toMatchObject({ id: first.id, text: "STROM werk 2", unit: "MWh", version: 2 });

    await answer(ada.call(`${PATH}?q=werk`), 200, { items: [changed], next_cursor: null });
    const path = `${PATH}/${first.id}`;
    const one = await ada.call(path);
    expect([one.headers.get("etag"), one.body.data]).toEqual([expect.stringMatching(/^"2-/), changed]);
    const remove = (version: string) =>
      ada.call(path, { method: "DELETE", headers: { "If-Match": version } });
    await refused(remove('"1"'), 409);
    await answer(remove('"2"'), 200);
    await refused(ada.call(path), 404);
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
    const wrong = set(
      ada,
      { text: "Power", unit: "kWh", factor_id: electricity },
      { text: "power", unit: "MWh", factor_id: electricity },
      { text: "Coal", unit: "ton", factor_id: electricity },
      { text: " ", unit: "kWh", region: "Atlantis", factor_id: "00000000-0000-4000-8000-000000000000" },
      { text: "Coal", unit: "ton", unit_as: "gallon", factor_id: coal },
    );
    const paths = ["[1].text", "[2].unit", "[3].text", "[3].region", "[3].factor_id", "[4].unit_as"];
    await refused(
      wrong,
      422,
      paths.map((path) => `mappings${path}`),
    );
    await answer(ada.call(PATH), 200, none);
    const [mapping] = await saved(ada, { text: "Coal", unit: "ton", factor_id: coal });
    expect(mapping).toMatchObject({ unit: "ton", unit_as: "tonne" });
    await refused(set(ada), 422);
  });

  it("never uses a factor or mapping of another organization", async () => {
    const [ada, ben] = await Promise.all([signUp(gateway), signUp(gateway)]);
    const own = await addFactor(gateway.database, ada.organization.slug);
    const [mapping] = await saved(ada, { text: "Boiler", unit: "kg", factor_id: own.id });
    await answer(ben.call(PATH), 200, none);
    await refused(set(ben, { text: "Boiler", unit: "kg", factor_id: own.id }), 422, {
      "mappings[0].factor_id": `mappings[0].factor_id must be the id of an emission factor (got ${own.id}).`,
    });
    const electricity = await idOf("Grid electricity, UK (generation)", "UK", "kWh");
    await saved(ben, { text: "Boiler", unit: "kWh", factor_id: electricity });
    await answer(ada.call(`${PATH}/${mapping.id}`), 200, mapping);
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
    const mappings = `An organization can have at most ${MAX_MAPPINGS} mappings. Delete some that no file needs.`;
    await refused(set(ada, { text: "One more", unit: "kWh", factor_id: electricity }), 409, { mappings });
    await saved(ada, { text: "A1", unit: "kWh", factor_id: electricity });
  });
});
