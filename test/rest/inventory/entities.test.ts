import { describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../../support/answers.js";
import { readAuditTrail } from "../../support/audit.js";
import { signUp, type TestPerson } from "../../support/people.js";
import { useGateway } from "../../support/use.js";

const PATH = "/v1/inventory/entities";
const gateway = useGateway();

const HOLDING = {
  from: "2025-01",
  equity_share: "0.40",
  financial_control: "joint",
  operational_control: true,
};
const ENTITY = { name: "Pune Joint Venture", country: "IN", holdings: [HOLDING] };
const held = { ...HOLDING, equity_share: 0.4, equity_share_exact: "0.4" };

const put = (person: TestPerson, code: string, changed: object = {}, version?: string) =>
  person.call<Body>(`${PATH}/${code}`, {
    method: "PUT",
    json: { ...ENTITY, ...changed },
    ...(version !== undefined && { headers: { "If-Match": version } }),
  });
const list = async (person: TestPerson): Promise<Body[]> => (await answer(person.call(PATH), 200)).items;

describe("/v1/inventory/entities", () => {
  it("creates and replaces an entity with its holdings, and lists all by code", async () => {
    const [ada, other] = [await signUp(gateway), await signUp(gateway)];
    const entity = await answer(put(ada, "PUN"), 200, {
      code: "PUN",
      name: "Pune Joint Venture",
      country: "IN",
      parent: null,
      holdings: [held],
      facility_count: 0,
      version: 1,
    });
    await answer(put(ada, "PUN", {}, '"7"'), 200, entity);
    expect((await answer(put(ada, "HOLD", { parent: null }), 200)).version).toBe(1);

    const later = { ...HOLDING, from: "2025-07", equity_share: 1, financial_control: "full" };
    const moved = { parent: "HOLD", country: null };
    const second = put(ada, "PUN", { ...moved, holdings: [later, HOLDING] });
    const both = [held, { ...later, equity_share_exact: "1" }];
    await answer(second, 200, { ...entity, ...moved, holdings: both, version: 2 });
    // Replaces all holdings even if nothing else changes.
    const third = await answer(put(ada, "PUN", { ...moved, holdings: [later] }), 200);
    expect([third.version, third.holdings]).toEqual([3, both.slice(1)]);

    expect((await list(ada)).map(({ code }) => code)).toEqual(["HOLD", "PUN"]);
    expect(await list(other)).toEqual([]);
    const entries = (await readAuditTrail(gateway.database, ada.organization.id)).map(({ action }) => action);
    expect(entries.filter((action) => action.startsWith("entity")).join()).toBe(
      "entity.created,entity_holding.created,entity.created,entity_holding.created,entity.updated,entity_holding.created,entity_holding.deleted",
    );
  });

  it("reports all problems together", async () => {
    const ada = await signUp(gateway);
    const shares = ["1.00001", "0.33333"].map((equity_share) => ({ ...HOLDING, equity_share }));
    const range = "must be 0 to 1 with at most 4 decimals";
    await refused(put(ada, "PUN", { name: " ", parent: "NONE", holdings: shares }), 422, {
      name: "name must not be blank.",
      "holdings[0].equity_share": `holdings[0].equity_share ${range} (got 1.00001).`,
      "holdings[1].from": "holdings[1].from must differ from holdings[0].from (got 2025-01).",
      "holdings[1].equity_share": `holdings[1].equity_share ${range} (got 0.33333).`,
    });
    const parent = "parent must be the code of an entity (got NONE).";
    await refused(put(ada, "PUN", { parent: "NONE" }), 422, { parent });
    const history = Array.from({ length: 121 }, (_, month) => ({
      ...HOLDING,
      from: `${2000 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`,
    }));
    for (const holdings of [[], history]) {
      const message = `holdings must have 1 to 120 holdings (got ${holdings.length}).`;
      await refused(put(ada, "PUN", { holdings }), 422, { holdings: message });
    }
    expect((await answer(put(ada, "PUN", { holdings: history.slice(1) }), 200)).holdings).toHaveLength(120);
  });

  it("refuses a circle, and a sixth level", async () => {
    const ada = await signUp(gateway);
    await put(ada, "A");
    for (const [code, parent] of ["BA", "CB", "DC"].map((pair) => [...pair]))
      await put(ada, code as string, { parent });
    const circle = (chain: string, got: string) => ({
      parent: `ENTITY_CIRCLE: parent must not be held by the entity itself (got ${got}, whose chain is ${chain}).`,
    });
    await refused(put(ada, "A", { parent: "A" }), 422, circle("A, A", "A"));
    await refused(put(ada, "A", { parent: "C" }), 422, circle("A, C, B, A", "C"));
    await refused(put(ada, "NEW", { parent: "NEW" }), 422, circle("NEW, NEW", "NEW"));
    await put(ada, "TOP");
    await answer(put(ada, "A", { parent: "TOP" }), 200);
    const tooDeep = (got: string, code: string) => ({
      parent: `parent must leave every entity at most 5 levels deep (got ${got}, with ${code} at level 6).`,
    });
    await refused(put(ada, "E", { parent: "D" }), 422, tooDeep("D", "E"));
    await put(ada, "ABOVE");
    await refused(put(ada, "TOP", { parent: "ABOVE" }), 422, tooDeep("ABOVE", "D"));
  });

  it("refuses a 2,001st entity in an organization", async () => {
    const ada = await signUp(gateway);
    await gateway.database.prisma.$executeRaw`
      INSERT INTO entities (organization_id, code, name)
      SELECT ${ada.organization.id}::uuid, 'E' || n, 'E' || n FROM generate_series(1, 1999) AS n`;
    await answer(put(ada, "LAST"), 200);
    await refused(put(ada, "TOO-MANY"), 422, "An organization can have at most 2000 entities.");
    expect((await answer(put(ada, "LAST", { parent: "E1" }), 200)).parent).toBe("E1");
  });

  it("refuses one of two concurrent moves that would form a circle", async () => {
    const ada = await signUp(gateway);
    await put(ada, "A");
    await put(ada, "B");
    const answers = await Promise.all([put(ada, "A", { parent: "B" }), put(ada, "B", { parent: "A" })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});

describe("entity and electricity market of a facility", () => {
  it("are set by their codes and removed by null", async () => {
    const [ada, other] = [await signUp(gateway), await signUp(gateway)];
    await put(ada, "PUN");
    await put(other, "THEIRS");
    const made = await answer(ada.call("/v1/facilities", { json: { code: "P1", name: "Pune works" } }), 201);
    const facility = { ...made, entity: null, electricity_market: null };
    expect(made).toEqual(facility);
    const path = `/v1/facilities/${facility.id}`;
    const patch = (json: object) => ada.call<Body>(path, { method: "PATCH", json });
    const moved = { ...facility, entity: "PUN", electricity_market: "US-CAMX", version: 2 };
    await answer(patch({ entity: "PUN", electricity_market: "US-CAMX" }), 200, moved);
    await answer(patch({ entity: "PUN" }), 200, moved);
    await answer(ada.call(path), 200, moved);
    expect((await list(ada))[0].facility_count).toBe(1);
    const name = "Works of Pune";
    await answer(patch({ name }), 200, { ...moved, name, version: 3 });

    await refused(patch({ entity: "THEIRS", electricity_market: "g_b" }), 422, {
      electricity_market:
        "electricity_market must be a country, or 1 to 20 letters, digits and hyphens, such as GB or US-CAMX (got g_b).",
    });
    const unknown = "entity must be the code of an entity, or null (got THEIRS).";
    await refused(patch({ entity: "THEIRS" }), 422, { entity: unknown });
    const removed = { ...facility, name, version: 4 };
    await answer(patch({ entity: null, electricity_market: null }), 200, removed);
  });

  it("cannot change while the facility has claims in its market", async () => {
    const ada = await signUp(gateway);
    const json = { code: "L1", name: "London", country: "GB" };
    const { id } = await answer(ada.call("/v1/facilities", { json }), 201);
    const contract = {
      reference: "PPA-1",
      kind: "contract",
      market: "GB",
      mwh: 5,
      rate_kg_per_kwh: 0,
      generated_from: "2025-01-01",
      generated_to: "2025-12-31",
      evidence: "Contract 1",
    };
    const instrument = await answer(ada.call("/v1/inventory/instruments", { json: contract }), 201);
    const claims = `/v1/inventory/instruments/${instrument.id}/claims`;
    const claim = await answer(ada.call(claims, { json: { facility: "L1", year: 2025, mwh: 1 } }), 201);
    const patch = (json: object) => ada.call<Body>(`/v1/facilities/${id}`, { method: "PATCH", json });
    const message = (market: string) =>
      `MARKET_MISMATCH: the facility claims energy in the market GB for 2025 with the instrument PPA-1. Withdraw its claims before you move it to ${market}.`;
    await refused(patch({ country: "DE" }), 409, { country: message("DE") });
    await refused(patch({ electricity_market: "FR" }), 409, { electricity_market: message("FR") });
    await answer(patch({ country: "DE", electricity_market: "GB" }), 200);
    const withdrawn = { method: "DELETE", json: { reason: "Sold" } };
    await answer(ada.call(`/v1/inventory/claims/${claim.id}`, withdrawn), 200);
    expect((await answer(patch({ electricity_market: null }), 200)).electricity_market).toBeNull();
  });
});
