import { beforeAll, describe, expect, it } from "vitest";
import { addOrganization } from "../support/audit.js";
import { useCommands } from "../support/commands.js";

describe("gateway audit verify", () => {
  const { database, run, json, ends } = useCommands("audit verify");
  let slug: string;
  beforeAll(async () => {
    slug = await database.use(async (shared) => {
      const id = await addOrganization(shared);
      await addOrganization(shared);
      return (await shared.prisma.organization.findUniqueOrThrow({ where: { id } })).slug;
    });
  });

  it("exits with 0 if every chain is intact", async () => {
    await ends("", 0, /^(a-[\w-]+: 1 entry, all intact\. Last hash: [0-9a-f]{64}\.\n){2}$/);
    expect(await json(`--organization ${slug}`)).toMatchObject({
      ok: true,
      chains: [{ organization: slug, ok: true, entries: 1, first_broken_seq: null, head: { seq: 1 } }],
    });
    await ends("--organization nobody", 1, 'There is no organization "nobody".');
  });

  it("exits with 0 if an earlier noted head exists, else with 1", async () => {
    const { head } = (await json(`--organization ${slug}`)).chains[0];
    for (const where of ["", `--organization ${slug}`]) {
      const noted = `${head.seq}:${head.hash}`;
      await ends(`${where} --head ${noted}`, 0, `\nHead ${noted} is still in the trail.\n`);
      for (const gone of [`2:${head.hash}`, `1:${"0".repeat(64)}`]) {
        const { code, stdout } = await run(`${where} --head ${gone} --json`);
        expect([code, JSON.parse(stdout)]).toMatchObject([1, { ok: false, noted: { found: false } }]);
      }
    }
    const { stdout } = await run(`--head 2:${head.hash}`);
    expect(stdout).toContain(
      `Head 2:${head.hash} is missing from the trail: entries were removed or replaced.`,
    );
    await ends("--head 1", 2);
  });

  it("exits with 1 and names the changed entry", async () => {
    const change = `ALTER TABLE audit_entries DISABLE TRIGGER USER;
      UPDATE audit_entries SET entry = replace(entry, 'Acme', 'Other')
        WHERE organization_id = (SELECT id FROM organizations WHERE slug = '${slug}')`;
    await database.use((shared) => shared.transaction(({ script }) => script(change)));
    const { code, stdout } = await run(`--organization ${slug}`);
    expect([code, stdout]).toEqual([1, `${slug}: entry 1 is broken: its text does not match its hash.\n`]);
    const all = await run("--json");
    expect([all.code, JSON.parse(all.stdout).ok]).toEqual([1, false]);
  });
});
