import { describe, expect, it } from "vitest";
import type { Body } from "../../support/answers.js";
import { readAuditTrail } from "../../support/audit.js";
import { addMember, signUp, type TestPerson } from "../../support/people.js";
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
const list = async (person: TestPerson) => (await person.call<Body>(PATH)).body.data.items;
const refusal = ({ status, body }: { status: number; body: Body }) => [status, body.error?.details];

describe("/v1/inventory/entities", () => {
  it("creates an entity, replaces it if If-Match has its version, and lists all by code", async () => {
    const [ada, other] = [await signUp(gateway), await signUp(gateway)];
    const first = await put(ada, "PUN");
    const entity = {
      code: "PUN",
      name: "Pune Joint Venture",
      country: "IN",
      parent: null,
      holdings: [held],
      facility_count: 0,
      version: 1,
    };
    expect([first.status, first.headers.get("etag"), first.body.data]).toEqual([200, '"1"', entity]);
    expect((await put(ada, "PUN", {}, '"7"')).body.data).toEqual(entity);
    expect((await put(ada, "HOLD", { parent: null })).body.data.version).toBe(1);

    const later = { ...HOLDING, from: "2025-07", equity_share: 1, financial_control: "full" };
    const second = await put(
      ada,
      "PUN",
      { parent: "HOLD", country: null, holdings: [later, HOLDING] },
      '"1"',
    );
    const replaced = {
      ...entity,
      country: null,
      parent: "HOLD",
      holdings: [held, { ...later, equity_share_exact: "1" }],
      version: 2,
    };
    expect([second.headers.get("etag"), second.body.data]).toEqual(['"2"', replaced]);
    expect(refusal(await put(ada, "PUN", { name: "Late" }, '"1"'))[0]).toBe(409);
    // Replaces all holdings even if nothing else changes.
    const third = await put(ada, "PUN", { parent: "HOLD", country: null, holdings: [later] });
    expect([third.body.data.version, third.body.data.holdings]).toEqual([
      3,
      [{ ...later, equity_share_exact: "1" }],
    ]);

    expect((await list(ada)).map(({ code }: Body) => code)).toEqual(["HOLD", "PUN"]);
    expect(await list(other)).toEqual([]);
    const entries = (await readAuditTrail(gateway.database, ada.organization.id)).map(({ action }) => action);
    expect(entries.filter((action) => action.startsWith("entity")).join()).toBe(
      "entity.created,entity_holding.created,entity.created,entity_holding.created,entity.updated,entity_holding.created,entity_holding.deleted",
    );
  });

  it("reports all problems together", async () => {
    const ada = await signUp(gateway);
    const wrong = [
      { ...HOLDING, equity_share: "1.00001" },
      { ...HOLDING, equity_share: "0.33333" },
    ];
    expect(refusal(await put(ada, "PUN", { name: " ", parent: "NONE", holdings: wrong }))).toEqual([
      422,
      [
        { path: "name", message: "name must not be blank." },
        {
          path: "holdings[0].equity_share",
          message: "holdings[0].equity_share must be 0 to 1 with at most 4 decimals (got 1.00001).",
        },
        {
          path: "holdings[1].from",
          message: "holdings[1].from must differ from holdings[0].from (got 2025-01).",
        },
        {
          path: "holdings[1].equity_share",
          message: "holdings[1].equity_share must be 0 to 1 with at most 4 decimals (got 0.33333).",
        },
      ],
    ]);
    expect(refusal(await put(ada, "PUN", { parent: "NONE" }))).toEqual([
      422,
      [{ path: "parent", message: "parent must be the code of an entity (got NONE)." }],
    ]);
    const months = Array.from(
      { length: 121 },
      (_, month) => `${2000 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`,
    );
    const history = months.map((from) => ({ ...HOLDING, from }));
    for (const [holdings, count] of [
      [[], 0],
      [history, 121],
    ] as const) {
      const message = `holdings must have 1 to 120 holdings (got ${count}).`;
      expect(refusal(await put(ada, "PUN", { holdings }))).toEqual([422, [{ path: "holdings", message }]]);
    }
    expect((await put(ada, "PUN", { holdings: history.slice(1) })).body.data.holdings).toHaveLength(120);
  });

  it("refuses a circle, and a sixth level", async () => {
    const ada = await signUp(gateway);
    await put(ada, "A");
    for (const [code, parent] of ["BA", "CB", "DC"].map((pair) => [...pair]))
      await put(ada, code as string, { parent });
    const circle = (chain: string, got: string) => [
      422,
      [
        {
          path: "parent",
          message: `ENTITY_CIRCLE: parent must not be held by the entity itself (got ${got}, whose chain is ${chain}).`,
        },
      ],
    ];
    expect(refusal(await put(ada, "A", { parent: "A" }))).toEqual(circle("A, A", "A"));
    expect(refusal(await put(ada, "A", { parent: "C" }))).toEqual(circle("A, C, B, A", "C"));
    expect(refusal(await put(ada, "NEW", { parent: "NEW" }))).toEqual(circle("NEW, NEW", "NEW"));
    await put(ada, "TOP");
    expect((await put(ada, "A", { parent: "TOP" })).status).toBe(200);
    const tooDeep = (got: string, code: string) => [
      422,
      [
        {
          path: "parent",
          message: `parent must leave every entity at most 5 levels deep (got ${got}, with ${code} at level 6).`,
        },
      ],
    ];
    expect(refusal(await put(ada, "E", { parent: "D" }))).toEqual(tooDeep("D", "E"));
    await put(ada, "ABOVE");
    expect(refusal(await put(ada, "TOP", { parent: "ABOVE" }))).toEqual(tooDeep("ABOVE", "D"));
  });

  it("refuses a 2,001st entity in an organization", async () => {
    const ada = await signUp(gateway);
    await gateway.database.prisma.$executeRaw`
      INSERT INTO entities (organization_id, code, name)
      SELECT ${ada.organization.id}::uuid, 'E' || n, 'E' || n FROM generate_series(1, 1999) AS n`;
    expect((await put(ada, "LAST")).status).toBe(200);
    const { status, body } = await put(ada, "TOO-MANY");
    expect([status, body.error.message]).toEqual([422, "An organization can have at most 2000 entities."]);
    expect((await put(ada, "LAST", { parent: "E1" })).body.data.parent).toBe("E1");
  });

  it("refuses one of two concurrent moves that would form a circle", async () => {
    const ada = await signUp(gateway);
    await put(ada, "A");
    await put(ada, "B");
    const answers = await Promise.all([put(ada, "A", { parent: "B" }), put(ada, "B", { parent: "A" })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it("needs the right to request verification to write, but not to read", async () => {
    const ada = await signUp(gateway);
    await put(ada, "PUN");
    const editor = await addMember(gateway, ada.organization.slug, "editor");
    expect((await put(editor, "PUN", { name: "Other" })).status).toBe(403);
    expect(await list(editor)).toHaveLength(1);
  });
});

describe("entity and electricity market of a facility", () => {
  it("are set by their codes and removed by null", async () => {
    const [ada, other] = [await signUp(gateway), await signUp(gateway)];
    await put(ada, "PUN");
    await put(other, "THEIRS");
    const { body } = await ada.call<Body>("/v1/facilities", { json: { code: "P1", name: "Pune works" } });
    const facility = { ...body.data, entity: null, electricity_market: null };
    expect(body.data).toEqual(facility);
    const patch = (json: object) =>
      ada.call<Body>(`/v1/facilities/${facility.id}`, { method: "PATCH", json });
    const moved = { ...facility, entity: "PUN", electricity_market: "US-CAMX", version: 2 };
    expect((await patch({ entity: "PUN", electricity_market: "US-CAMX" })).body.data).toEqual(moved);
    expect((await patch({ entity: "PUN" })).body.data).toEqual(moved);
    expect((await ada.call<Body>(`/v1/facilities/${facility.id}`)).body.data).toEqual(moved);
    expect((await list(ada))[0].facility_count).toBe(1);
    const renamed = { ...moved, name: "Works of Pune", version: 3 };
    expect((await patch({ name: "Works of Pune" })).body.data).toEqual(renamed);

    expect(refusal(await patch({ entity: "THEIRS", electricity_market: "g_b" }))).toEqual([
      422,
      [
        {
          path: "electricity_market",
          message:
            "electricity_market must be a country, or 1 to 20 letters, digits and hyphens, such as GB or US-CAMX (got g_b).",
        },
      ],
    ]);
    expect(refusal(await patch({ entity: "THEIRS" }))).toEqual([
      422,
      [{ path: "entity", message: "entity must be the code of an entity, or null (got THEIRS)." }],
    ]);
    const { data } = (await patch({ entity: null, electricity_market: null })).body;
    expect(data).toEqual({ ...facility, name: "Works of Pune", version: 4 });
  });

  it("cannot change while the facility has claims in its market", async () => {
    const ada = await signUp(gateway);
    const { body } = await ada.call<Body>("/v1/facilities", {
      json: { code: "L1", name: "London", country: "GB" },
    });
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
    const instrument = await ada.call<Body>("/v1/inventory/instruments", { json: contract });
    const claims = `/v1/inventory/instruments/${instrument.body.data.id}/claims`;
    const claim = await ada.call<Body>(claims, { json: { facility: "L1", year: 2025, mwh: 1 } });
    const patch = (json: object) =>
      ada.call<Body>(`/v1/facilities/${body.data.id}`, { method: "PATCH", json });
    const message = (market: string) =>
      `MARKET_MISMATCH: the facility claims energy in the market GB for 2025 with the instrument PPA-1. Withdraw its claims before you move it to ${market}.`;
    expect(refusal(await patch({ country: "DE" }))).toEqual([
      409,
      [{ path: "country", message: message("DE") }],
    ]);
    expect(refusal(await patch({ electricity_market: "FR" }))).toEqual([
      409,
      [{ path: "electricity_market", message: message("FR") }],
    ]);
    expect((await patch({ country: "DE", electricity_market: "GB" })).status).toBe(200);
    const withdrawn = { method: "DELETE", json: { reason: "Sold" } };
    expect((await ada.call<Body>(`/v1/inventory/claims/${claim.body.data.id}`, withdrawn)).status).toBe(200);
    expect((await patch({ electricity_market: null })).body.data.electricity_market).toBeNull();
  });
});
