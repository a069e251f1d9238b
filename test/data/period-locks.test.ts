import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadText } from "../../src/actions/bundle/load.js";
import { undoImport } from "../../src/actions/imports/undo-import.js";
import { removeOrganization } from "../../src/actions/people/organizations.js";
import { HEADER, importCsv, saveCsv } from "../support/importing.js";
import { makeFolder } from "../support/process.js";
import { type Answer, type Envelope, type Gateway, NOW, startGateway } from "../support/server.js";
import { completeStep, draft, prepareVerification, step, submitTo, verify } from "../support/verification.js";

// biome-ignore lint/suspicious/noExplicitAny: what an endpoint answers is for its test to say
type Body = any;

const RECORDS = "/v1/emissions/records";
const folder = makeFolder();
afterAll(() => folder.remove());

describe.each(["whole", "partitioned"])(
  "a period that is submitted for verification, with %s tables",
  (kind) => {
    let gateway: Gateway;
    beforeAll(async () => {
      gateway = await startGateway();
      if (kind === "partitioned") {
        const script = await readFile("prisma/partition-by-organization.sql", "utf8");
        await gateway.database.transaction((sql) =>
          sql.script(`SET LOCAL gateway.partitions = 2; ${script}`),
        );
      }
    });
    afterAll(() => gateway.stop());

    const run = (...statements: string[]) =>
      gateway.database.transaction(async (sql) => {
        for (const statement of statements) await sql.script(statement);
      });
    const ledgerOf = async (organizationId: string) => {
      const { prisma } = gateway.database;
      const rows = await prisma.emissionRecord.findMany({
        where: { organizationId },
        orderBy: { id: "asc" },
      });
      return [rows, await prisma.import.findMany({ where: { organizationId }, orderBy: { id: "asc" } })];
    };
    const locked = (message: string) => [
      409,
      { code: "CONFLICT", message, details: [{ path: "period", message }] },
    ];
    const refusal = ({ status, body }: Answer<Envelope>) => [status, body.error];

    /** Submits scopes 1 and 2 of 2025 of an organization with records within and outside of them. */
    async function submit() {
      const { ada, vera, owner } = await prepareVerification(gateway);
      const add = async (json: object): Promise<Body> => {
        const { status, body } = await owner.call(RECORDS, { json });
        expect([status, body.error]).toEqual([201, null]);
        return body.data;
      };
      const record = { recorded_on: "2025-05-05", scope: "scope_1", co2e_tonnes: 1 };
      const [within, gone, outside] = [
        await add(record),
        await add({ ...record, reference: "gone" }),
        await add({ ...record, scope: "scope_3", reference: "out" }),
      ];
      await owner.call(`${RECORDS}/${gone.id}`, { method: "DELETE", json: { reason: "Twice." } });
      const { slug } = owner.organization;
      const file = await saveCsv(
        folder.path,
        `${HEADER}\n2025-07-01,scope_2,5,,,,imported\n2025-07-01,scope_3,5,,,,\n`,
      );
      const { id: importId } = await importCsv(gateway.database, file, slug);
      const { path, request } = await draft(ada, vera, { scopes: ["scope_1", "scope_2"] });
      await submitTo(ada, vera, path);
      const message = `2025-01-01 to 2025-12-31 of scope_1, scope_2 is locked by verification request ${request.number}. Nothing was changed.`;
      return { owner, ada, vera, path, within, gone, outside, slug, importId: importId ?? "", message };
    }

    it("cannot be written by any request, file or command", async () => {
      const { owner, within, outside, slug, importId, message } = await submit();
      const before = await ledgerOf(owner.organization.id);
      const record = { recorded_on: "2025-01-01", scope: "scope_1", co2e_tonnes: 1 };
      const patch = (id: string, json: object) => owner.call(`${RECORDS}/${id}`, { method: "PATCH", json });
      const requests = [
        () => owner.call(RECORDS, { json: record }),
        () => owner.call(RECORDS, { json: { records: [{ ...record, recorded_on: "2026-01-01" }, record] } }),
        // This would restore a deleted record by its reference.
        () => owner.call(RECORDS, { json: { ...record, recorded_on: "2025-05-05", reference: "gone" } }),
        () => patch(within.id, { note: "Nothing else." }),
        () => patch(within.id, { recorded_on: "2026-01-01" }),
        () => patch(within.id, { scope: "scope_3" }),
        () => patch(outside.id, { scope: "scope_2" }),
        () => owner.call(`${RECORDS}/${within.id}`, { method: "DELETE", json: { reason: "Wrong." } }),
        () => owner.call(`/v1/emissions/imports/${importId}/undo`, { method: "POST" }),
        () =>
          owner.call("/v1/emissions/import", {
            method: "POST",
            headers: { "Content-Type": "text/csv" },
            body: `${HEADER}\n2026-03-01,scope_1,1,,,,\n2025-12-31,scope_2,1,,,,\n`,
          }),
        () =>
          owner.call("/v1/emissions/import", {
            method: "POST",
            headers: { "Content-Type": "text/csv" },
            body: `${HEADER}\n2026-07-01,scope_2,5,,,,imported\n`,
          }),
      ];
      for (const request of requests) expect(refusal(await request())).toEqual(locked(message));
      const changed = await owner.graphql(
        `mutation { deleteEmissionRecord(input: { id: "${within.id}", reason: "Wrong." }) { emissionRecord { id } } }`,
      );
      expect(changed.body.errors?.[0]).toMatchObject({ message, extensions: { code: "CONFLICT" } });

      const file = await saveCsv(folder.path, `${HEADER}\n2025-12-31,scope_1,1,,,,\n`);
      await expect(importCsv(gateway.database, file, slug)).rejects.toThrow(message);
      await expect(undoImport(gateway.database, importId, NOW)).rejects.toThrow(message);
      const bundle = {
        organization: { slug, name: slug },
        emission_records: [{ ...record, reference: "bundled" }],
      };
      await expect(loadText(gateway.database, "bundle", JSON.stringify(bundle), NOW)).rejects.toThrow(
        message,
      );
      expect(await ledgerOf(owner.organization.id)).toEqual(before);
    });

    it("locks the code, name and country of its records' facilities", async () => {
      const { owner, ada, slug, path } = await submit();
      await completeStep(ada, path, "withdraw");
      const add = async (code: string): Promise<Body> =>
        (await owner.call("/v1/facilities", { json: { code, name: code, country: "IN" } })).body.data;
      const [used, other] = [await add("USED"), await add("OTHER")];
      const record = { recorded_on: "2025-05-05", scope: "scope_1", co2e_tonnes: 1 };
      for (const json of [
        { ...record, facility: "USED" },
        { ...record, facility: "OTHER", scope: "scope_3" },
        { ...record, facility: "OTHER", recorded_on: "2026-01-01" },
      ]) {
        expect((await owner.call(RECORDS, { json })).status).toBe(201);
      }
      const { prisma } = gateway.database;
      const vera = (await prepareVerification(gateway)).vera;
      const next = await draft(ada, vera, { scopes: ["scope_1"] });
      await completeStep(ada, next.path, "submit");
      const message = `Facility USED keeps its code, name and country: 2025-01-01 to 2025-12-31 of scope_1 is locked by verification request ${next.request.number}. Nothing was changed.`;
      const patch = (id: string, json: object) =>
        owner.call(`/v1/facilities/${id}`, { method: "PATCH", json });
      for (const [field, value] of [
        ["name", "Famous works"],
        ["country", "US"],
        ["country", null],
      ]) {
        expect(refusal(await patch(used.id, { [field ?? ""]: value }))).toEqual([
          409,
          { code: "CONFLICT", message, details: [{ path: field, message }] },
        ]);
      }
      const { body } = await owner.graphql(
        `mutation { updateFacility(input: { id: "${used.id}", name: "Famous works" }) { facility { id } } }`,
      );
      expect(body.errors?.[0]).toMatchObject({ message, extensions: { code: "CONFLICT" } });
      const bundle = (name: string) =>
        JSON.stringify({
          organization: { slug, name: slug },
          facilities: [{ code: "USED", name, country: "IN" }],
        });
      await expect(loadText(gateway.database, "bundle", bundle("Famous works"), NOW)).rejects.toThrow(
        message,
      );
      for (const change of ["code = 'X'", "name = 'X'", "country = NULL"]) {
        const statement = `UPDATE facilities SET ${change} WHERE id = '${used.id}'`;
        expect([change, await run(statement).catch(String)]).toEqual([change, `error: ${message}`]);
        const asReplica = run("SET LOCAL session_replication_role = replica", statement);
        expect([change, await asReplica.catch(String)]).toEqual([change, `error: ${message}`]);
      }
      expect(await prisma.facility.findFirst({ where: { id: used.id } })).toMatchObject({
        code: "USED",
        name: "USED",
        country: "IN",
      });

      // Allowed: the same values, archiving, and changes of facilities without records in the period.
      await loadText(gateway.database, "bundle", bundle("USED"), NOW);
      expect((await patch(used.id, { archived: true })).status).toBe(200);
      expect((await patch(other.id, { name: "Renamed", country: "US" })).status).toBe(200);
      await completeStep(ada, next.path, "withdraw");
      expect((await patch(used.id, { name: "Renamed" })).status).toBe(200);
    });

    it("cannot be written by any SQL statement", async () => {
      const { owner, within, outside, gone, message } = await submit();
      const { id } = owner.organization;
      const before = await ledgerOf(id);
      const stranger = (await prepareVerification(gateway)).owner.organization.id;
      const [{ partition = "" } = {}] = await gateway.database.select<{ partition: string }>(
        "SELECT tableoid::regclass::text AS partition FROM emission_records WHERE id = $1::uuid",
        [within.id],
      );
      const own = `organization_id = '${id}'`;
      const values = `'${id}', '2025-06-06', 'scope_2', 1`;
      const columns = "(organization_id, recorded_on, scope, co2e_tonnes)";
      const statements = [
        `INSERT INTO emission_records ${columns} VALUES (${values})`,
        `INSERT INTO ${partition} ${columns} VALUES (${values})`,
        `UPDATE emission_records SET note = note WHERE ${own} AND id = '${within.id}'`,
        `UPDATE ${partition} SET co2e_tonnes = 2 WHERE id = '${within.id}'`,
        `UPDATE emission_records SET recorded_on = '2026-01-01' WHERE id = '${within.id}'`,
        `UPDATE emission_records SET recorded_on = recorded_on - 365 WHERE ${own}`,
        `UPDATE emission_records SET scope = 'scope_1' WHERE id = '${outside.id}'`,
        `UPDATE emission_records SET deleted_at = NULL WHERE id = '${gone.id}'`,
        `UPDATE emission_records SET organization_id = '${stranger}' WHERE id = '${within.id}'`,
        `UPDATE emission_records SET organization_id = '${id}'
         WHERE organization_id = '${stranger}' AND recorded_on = '2025-01-01'`,
        `DELETE FROM emission_records WHERE id = '${within.id}'`,
        `DELETE FROM ${partition} WHERE ${own}`,
        `WITH gone AS (DELETE FROM emission_records WHERE id = '${within.id}' RETURNING *) SELECT FROM gone`,
        `MERGE INTO emission_records AS r USING (SELECT '${within.id}'::uuid AS id) AS s ON r.id = s.id
         WHEN MATCHED THEN UPDATE SET category = 'x'`,
        `INSERT INTO emission_records (id, organization_id, recorded_on, scope, co2e_tonnes)
         VALUES ('${within.id}', '${id}', '2026-01-01', 'scope_3', 1)
         ON CONFLICT (organization_id, id) DO UPDATE SET recorded_on = excluded.recorded_on`,
      ];
      for (const statement of statements) {
        await expect([statement, await run(statement).catch(String)]).toEqual([
          statement,
          `error: ${message}`,
        ]);
        const asReplica = run("SET LOCAL session_replication_role = replica", statement);
        expect([statement, await asReplica.catch(String)]).toEqual([statement, `error: ${message}`]);
      }
      const copied = gateway.database.transaction(({ copy }) =>
        copy(
          `emission_records ${columns}`,
          (async function* () {
            yield `${id}\t2025-06-06\tscope_1\t1\n`;
          })(),
        ),
      );
      await expect(copied).rejects.toThrow(message);
      await expect(run("TRUNCATE emission_records CASCADE")).rejects.toThrow("is refused");
      await expect(
        run(
          `UPDATE period_locks SET period_to = '2024-12-31' WHERE ${own}; DELETE FROM verification_requests WHERE ${own}`,
        ),
      ).rejects.toThrow();
      expect(await ledgerOf(id)).toEqual(before);
      // Records outside of the period or its scopes can be written.
      await run(
        `INSERT INTO emission_records ${columns} VALUES ('${id}', '2025-06-06', 'scope_3', 1), ('${id}', '2026-01-01', 'scope_1', 1)`,
        `UPDATE emission_records SET note = 'x' WHERE id = '${outside.id}'`,
        `DELETE FROM emission_records WHERE ${own} AND recorded_on >= '2026-01-01'`,
      );
    });

    it("is unlocked only by a request for changes, a withdrawal, a rejection or an admin", async () => {
      const { owner, ada, vera, path, within } = await submit();
      const change = async () =>
        (await owner.call(`${RECORDS}/${within.id}`, { method: "PATCH", json: { note: randomUUID() } }))
          .status;
      await completeStep(vera, path, "start");
      expect(await change()).toBe(409);
      await completeStep(vera, path, "request-changes");
      expect(await change()).toBe(200);
      await completeStep(ada, path, "resubmit");
      expect(await change()).toBe(409);
      await completeStep(vera, path, "start");
      const { certificate_number } = await completeStep(vera, path, "decide", {
        opinion: "modified",
        statement: "But one.",
      });
      const answer = await owner.call(`${RECORDS}/${within.id}`, {
        method: "DELETE",
        json: { reason: "Wrong." },
      });
      expect(refusal(answer)).toEqual(
        locked(
          `2025-01-01 to 2025-12-31 of scope_1, scope_2 is locked by certificate ${certificate_number}. Nothing was changed.`,
        ),
      );
      await completeStep(ada, path, "reopen");
      expect(await change()).toBe(200);
      await completeStep(ada, path, "resubmit");
      expect(await change()).toBe(409);
      await completeStep(ada, path, "withdraw");
      expect(await change()).toBe(200);

      const other = (await draft(ada, vera, { scopes: ["scope_1"] })).path;
      await submitTo(ada, vera, other);
      await completeStep(vera, other, "start");
      expect(await change()).toBe(409);
      await completeStep(vera, other, "decide", { opinion: "disclaimed", statement: "No evidence." });
      expect(await change()).toBe(200);
    });

    it("never overlaps another one with the same scopes", async () => {
      const { ada, vera, message } = await submit();
      const overlapping = await draft(ada, vera, {
        scopes: ["scope_2", "scope_3"],
        period: { from: "2025-12-31", to: "2026-01-31" },
      });
      expect(refusal(await step(ada, overlapping.path, "submit"))).toEqual(locked(message));
      const otherScope = await draft(ada, vera, { scopes: ["scope_3"] });
      await completeStep(ada, otherScope.path, "submit");
      const otherDays = await draft(ada, vera, { period: { from: "2026-01-01", to: "2026-01-31" } });
      await completeStep(ada, otherDays.path, "submit");
      await expect(
        run(
          `UPDATE period_locks SET period_from = '2025-12-31' WHERE request_id = '${otherDays.request.id}'`,
        ),
      ).rejects.toThrow("is locked by verification request");
    });

    it("keeps its history unchanged, but is deleted with its organization", async () => {
      const { owner, ada, vera } = await prepareVerification(gateway);
      const { request } = await verify(ada, vera);
      const { id, slug } = owner.organization;
      const own = `organization_id = '${id}'`;
      for (const statement of [
        `UPDATE verification_status_changes SET note = 'x' WHERE ${own}`,
        `DELETE FROM verification_status_changes WHERE ${own}`,
        `UPDATE verification_snapshots SET digest = repeat('0', 64) WHERE ${own}`,
        `DELETE FROM verification_snapshots WHERE ${own}`,
        `UPDATE certificates SET statement = '{}' WHERE ${own}`,
        `UPDATE certificates SET number = 'CGW-2026-999998' WHERE ${own}`,
        `DELETE FROM certificates WHERE ${own}`,
        `DELETE FROM verification_requests WHERE ${own}`,
      ]) {
        expect([statement, await run(statement).catch(String)]).toEqual([
          statement,
          expect.stringContaining("is refused: what happened in a verification stays as it was"),
        ]);
      }
      await run(`UPDATE certificates SET status = 'revoked' WHERE ${own}`);
      const { number } = await gateway.database.prisma.certificate.findFirstOrThrow({
        where: { organizationId: id },
      });
      const shown = await gateway.call<Envelope>(`/v1/verification/certificates/${number}/verify`);
      expect(shown.body.data).toMatchObject({ status: "revoked" });
      await removeOrganization(gateway.database, slug, async () => undefined);
      expect(await gateway.database.prisma.periodLock.count({ where: { requestId: request.id } })).toBe(0);
      expect((await gateway.call(`/certificates/${number}`)).status).toBe(404);
    });
  },
);
