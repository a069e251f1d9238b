import { describe, expect, it } from "vitest";
import { watchAuditHeads } from "../../src/app/audit-heads.js";
import { addOrganization, addUser } from "../support/audit.js";
import { createTestLog, type LogLine } from "../support/secrets.js";
import { startGateway } from "../support/server.js";
import { useDatabase } from "../support/use.js";

const database = useDatabase();

const headsIn = (lines: readonly LogLine[]) =>
  lines.flatMap(({ msg, audit_head }) => (msg === "audit trail" ? [audit_head] : []));
const headOf = async (organization: string | null) => {
  const [head] = await database.select<{ seq: number; hash: string }>(
    "SELECT seq, hash FROM audit_heads WHERE chain = coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')",
    [organization],
  );
  return { organization, ...head };
};
const rename = (id: string, name: string) =>
  database.transaction(({ execute }) =>
    execute("UPDATE organizations SET name = $2 WHERE id = $1", [id, name]),
  );

describe("the heads of the audit trail", () => {
  it("are logged when the gateway stops", async () => {
    const [one, two] = [await addOrganization(database), await addOrganization(database)];
    await addUser(database);
    const gateway = await startGateway({ database });
    await rename(one, "Moved");
    expect(headsIn(gateway.log())).toEqual([]);
    await gateway.stop();
    const heads = await Promise.all([null, one, two].map(headOf));
    expect(headsIn(gateway.log())).toHaveLength(3);
    expect(headsIn(gateway.log())).toEqual(expect.arrayContaining(heads));
  });

  it("are logged again at every interval if they have moved", async () => {
    const id = await addOrganization(database);
    const { log, lines } = createTestLog();
    const heads = watchAuditHeads({ database, log, intervalMs: 5 });
    heads.begin();
    const isWritten = async () => {
      const head = await headOf(id);
      await expect.poll(() => headsIn(lines())).toContainEqual(head);
    };
    await isWritten();
    for (const name of ["Once", "Twice"]) {
      await rename(id, name);
      await isWritten();
    }
    await heads.stop();
    const written = headsIn(lines()) as { organization: string; seq: number }[];
    const own = written.filter(({ organization }) => organization === id);
    expect(own.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const [sum] = await database.select<{ entries: number }>(
      "SELECT count(*) AS entries FROM audit_entries",
      [],
    );
    expect(heads.countEntries()).toBe(sum?.entries);
  });

  it("that cannot be read cause a warning, and the next attempt continues", async () => {
    await addOrganization(database);
    const { log, lines } = createTestLog();
    let isUnavailable = true;
    const heads = watchAuditHeads({
      database: {
        ...database,
        select: (...statement) =>
          isUnavailable ? Promise.reject(new Error("unavailable")) : database.select(...statement),
      },
      log,
      intervalMs: 5,
    });
    heads.begin();
    await expect
      .poll(() => lines())
      .toContainEqual(
        expect.objectContaining({ level: 40, msg: "failed to read the heads of the audit trail" }),
      );
    expect(heads.countEntries()).toBe(0);
    isUnavailable = false;
    await expect.poll(() => headsIn(lines()).length).toBeGreaterThan(0);
    await heads.stop();
  });
});
