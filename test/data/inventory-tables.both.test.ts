import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addOrganization, readAuditTrail } from "../support/audit.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addTenantData } from "../support/fixtures.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const run = (sql: string) => database.transaction(({ script }) => script(sql));

/** Adds an organization with an entity, a facility, an unclaimed certificate of 300 MWh, and an issue; returns the ids. */
async function makeRows() {
  const organization = await addOrganization(database);
  const [entity, facility, instrument] = [randomUUID(), randomUUID(), randomUUID()];
  await run(`
    INSERT INTO entities (id, organization_id, code, name) VALUES ('${entity}', '${organization}', 'PUN', 'Pune');
    INSERT INTO facilities (id, organization_id, code, name, country, entity_id)
      VALUES ('${facility}', '${organization}', 'PUN', 'Pune', 'IN', '${entity}');
    INSERT INTO energy_instruments (id, organization_id, reference, kind, market, mwh, claimed_mwh, rate_kg_per_kwh,
        generated_from, generated_to, registry, certificate_number)
      VALUES ('${instrument}', '${organization}', 'C', 'certificate', 'IN', 300, 7, 0, '2025-01-01', '2025-12-31', 'I-REC', '1');
    INSERT INTO inventory_issues (organization_id, year, issue, basis, statement, digest, issued_at)
      VALUES ('${organization}', 2025, 1, 'reported', '{}', repeat('0', 64), now())`);
  const claim = (mwh: number, reference: string = randomUUID()) =>
    run(`INSERT INTO energy_claims (organization_id, instrument_id, kind, facility_id, year, mwh, cancelled_on, cancellation, reference)
      VALUES ('${organization}', '${instrument}', 'certificate', '${facility}', 2025, ${mwh}, '2026-01-05', '77', '${reference}')`);
  const claimed = async () => {
    const { claimedMwh } = await database.prisma.energyInstrument.findFirstOrThrow({
      where: { id: instrument },
    });
    return claimedMwh.toString();
  };
  return { organization, entity, facility, instrument, claim, claimed };
}

describe("an issue of an inventory", () => {
  it("is never changed or deleted, except with its organization", async () => {
    const { organization, claim } = await makeRows();
    await claim(1);
    const its = `WHERE organization_id = '${organization}'`;
    for (const change of ["UPDATE inventory_issues SET note = 'x'", "DELETE FROM inventory_issues"]) {
      await expect(run(`${change} ${its}`)).rejects.toThrow("an issue of an inventory stays as it was");
    }
    await run(`DELETE FROM organizations WHERE id = '${organization}'`);
    expect(await database.prisma.inventoryIssue.count({ where: { organizationId: organization } })).toBe(0);
  });

  it("can be restated with a reason once it was reported", async () => {
    const { organization } = await makeRows();
    const issue = (number: number, basis: string, reasons: string) =>
      run(`INSERT INTO inventory_issues (organization_id, year, issue, basis, reasons, statement, digest, issued_at)
        VALUES ('${organization}', 2025, ${number}, '${basis}', '${reasons}', '{}', repeat('0', 64), now())`);
    await expect(issue(2, "reported", "{}")).rejects.toThrow("inventory_issues_first_is_reported");
    await expect(issue(2, "restated", "{}")).rejects.toThrow("inventory_issues_restated_has_reasons");
    await issue(2, "restated", "{method,error}");
    await expect(issue(2, "restated", "{method}")).rejects.toThrow("duplicate key");
  });

  it("belongs to the organization of the verification that names it", async () => {
    const slug = randomUUID().slice(0, 8);
    await addTenantData(database, { name: slug.toUpperCase(), digits: 1, framework: "CDP" });
    await makeRows();
    const name = `UPDATE verification_requests SET inventory_year = 2025, inventory_issue = 1
      WHERE organization_id = (SELECT id FROM organizations WHERE slug = '${slug}')`;
    await expect(run(name)).rejects.toThrow("verification_requests_inventory_fkey");
  });
});

describe("an energy instrument", () => {
  it("is never claimed beyond its energy, even by concurrent claims", async () => {
    const { claim, claimed } = await makeRows();
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => claim(10)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(30);
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    for (const error of refused) expect(String(error)).toContain("energy_instruments_claimed_mwh_available");
    expect(await claimed()).toBe("300");
  });

  it("keeps the correct sum of its claims, whatever is written to it, and the trail has each claim", async () => {
    const { organization, instrument, claim, claimed } = await makeRows();
    expect(await claimed()).toBe("0");
    await claim(100.000001, "a");
    await claim(50, "b");
    await run(
      `UPDATE energy_claims SET mwh = 60 WHERE organization_id = '${organization}' AND reference = 'b'`,
    );
    await run(`DELETE FROM energy_claims WHERE organization_id = '${organization}' AND reference = 'a'`);
    await run(`UPDATE energy_instruments SET claimed_mwh = 1 WHERE id = '${instrument}'`);
    expect(await claimed()).toBe("60");
    const actions = (await readAuditTrail(database, organization)).map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith("energy_"))).toEqual([
      "energy_instrument.created",
      ...["created", "created", "updated", "deleted"].map((verb) => `energy_claim.${verb}`),
    ]);
  });

  it("must be cancelled if it is a certificate, and is claimed once per facility and year if it is a supplier rate", async () => {
    const { organization, facility, instrument } = await makeRows();
    const rates = [randomUUID(), randomUUID()];
    for (const id of rates) {
      await run(`INSERT INTO energy_instruments (id, organization_id, reference, kind, market, rate_kg_per_kwh, generated_from,
          generated_to, evidence)
        VALUES ('${id}', '${organization}', '${id}', 'supplier_rate', 'IN', 0.2, '2025-01-01', '2025-12-31', 'Bill')`);
    }
    const claim = (id: string, kind: string, mwh: number | null) =>
      run(`INSERT INTO energy_claims (organization_id, instrument_id, kind, facility_id, year, mwh, reference)
        VALUES ('${organization}', '${id}', '${kind}', '${facility}', 2025, ${mwh}, gen_random_uuid())`);
    await expect(claim(instrument, "certificate", 1)).rejects.toThrow("energy_claims_cancelled");
    // A claim cannot state a different kind than its instrument's.
    await expect(claim(instrument, "contract", 1)).rejects.toThrow("energy_claims_instrument_fkey");
    await claim(rates[0] ?? "", "supplier_rate", null);
    await expect(claim(rates[1] ?? "", "supplier_rate", null)).rejects.toThrow(
      "energy_claims_supplier_rate_key",
    );
  });
});

describe("a stream", () => {
  it("is mapped once, even without a category, and only to a line of its scope", async () => {
    const { organization } = await makeRows();
    const map = (scope: string, line: string) =>
      run(
        `INSERT INTO emission_streams (organization_id, scope, line) VALUES ('${organization}', '${scope}', '${line}')`,
      );
    await map("scope_1", "fugitive");
    await expect(map("scope_1", "process")).rejects.toThrow("duplicate key");
    await expect(map("scope_2", "fugitive")).rejects.toThrow("emission_streams_line_of_scope");
    await expect(map("scope_3", "purchased_heat")).rejects.toThrow("emission_streams_line_of_scope");
    await map("scope_2", "purchased_heat");
    await map("scope_3", "purchased_goods_and_services");
  });
});

describe("an entity", () => {
  it("is held and holds facilities within one organization", async () => {
    const [own, other] = [await makeRows(), await makeRows()];
    const its = `WHERE organization_id = '${own.organization}'`;
    await expect(run(`UPDATE entities SET parent_id = '${other.entity}' ${its}`)).rejects.toThrow(
      "entities_organization_id_parent_id_fkey",
    );
    await expect(run(`UPDATE facilities SET entity_id = '${other.entity}' ${its}`)).rejects.toThrow(
      "facilities_organization_id_entity_id_fkey",
    );
    await expect(run(`UPDATE entities SET parent_id = id ${its}`)).rejects.toThrow("entities_not_own_parent");
  });
});
