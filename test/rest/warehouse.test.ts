import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { addRecord } from "../support/fixtures.js";
import { blocksOf, readPage, sectionOf } from "../support/pages.js";
import { temporaryFolder } from "../support/process.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";

const section = sectionOf(await readPage("docs/integrating.md"), "## Keep a warehouse in sync");

let slug: string;
let key: string;
let records: string[];
const gateway = useGateway();
beforeEach(async () => {
  slug = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, slug));
  records = [];
  for (const co2eTonnes of ["1.5", "2", "3"])
    records.push((await addRecord(gateway.database, slug, { co2eTonnes })).id);
});

const run = (sql: string) => gateway.database.transaction(({ script }) => script(sql));
/** Changes the first record and deletes the second. */
const change = () =>
  run(`UPDATE emission_records SET co2e_tonnes = 10.25 WHERE id = '${records[0]}';
    DELETE FROM emission_records WHERE id = '${records[1]}'`);
const rowsOf = (...tonnes: readonly (string | undefined)[]) =>
  records.flatMap((id, index) => (tonnes[index] === undefined ? [] : [`${id} ${tonnes[index]}`])).toSorted();

describe("the script in docs/integrating.md", () => {
  it("keeps a copy equal to the ledger in Python, even after the cursor expires", async () => {
    const folder = temporaryFolder();
    const [script, copy] = [join(folder, "sync.py"), join(folder, "copy.sqlite")];
    await writeFile(script, blocksOf(section, "python").join(""));
    const env = { ...process.env, GATEWAY_URL: gateway.url, GATEWAY_KEY: key };
    const python = async (...args: string[]) =>
      (await promisify(execFile)("python3", args, { env })).stdout.trim();
    const sync = () => python(script, copy);
    const rows = async () =>
      (
        await python(
          "-c",
          "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute('SELECT id, co2e_tonnes_exact FROM emission_records ORDER BY id'): print(*row)",
          copy,
        )
      ).split("\n");
    expect(await sync()).toMatch(/^equal to the ledger as of entry \d+$/);
    expect(await rows()).toEqual(rowsOf("1.5", "2", "3"));
    await change();
    await sync();
    expect(await rows()).toEqual(rowsOf("10.25", undefined, "3"));

    await run(`DELETE FROM emission_records WHERE id = '${records[2]}';
      UPDATE change_sets SET committed_at = committed_at - interval '91 days'
      WHERE organization_id = (SELECT id FROM organizations WHERE slug = '${slug}')`);
    await sync();
    expect(await rows()).toEqual(rowsOf("10.25"));
  });
});
