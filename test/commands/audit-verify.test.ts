import { beforeAll, describe, expect, it } from "vitest";
import { addOrganization } from "../support/audit.js";
import { runCommand } from "../support/run-command.js";
import { useCommandDatabase } from "../support/use.js";

describe("gateway audit verify, as a process", () => {
  let slug: string;
  const commands = useCommandDatabase();
  beforeAll(async () => {
    slug = await commands.use(async (database) => {
      const id = await addOrganization(database);
      await addOrganization(database);
      return (await database.prisma.organization.findUniqueOrThrow({ where: { id } })).slug;
    });
  });
  const verify = (...args: string[]) => runCommand(["audit", "verify", ...args], { env: commands.env });

  it("exits with 0 if every chain is intact", async () => {
    const { code, stdout } = await verify();
    expect([code, stdout.trim().split("\n")]).toEqual([
      0,
      [1, 2].map(() => expect.stringMatching(/^a-[\w-]+: 1 entry, all intact\. Last hash: [0-9a-f]{64}\.$/)),
    ]);
    const one = await verify("--organization", slug, "--json");
    expect([one.code, JSON.parse(one.stdout)]).toMatchObject([
      0,
      {
        ok: true,
        chains: [{ organization: slug, ok: true, entries: 1, first_broken_seq: null, head: { seq: 1 } }],
      },
    ]);
  });

  it("exits with 0 if an earlier noted head exists, else with 1", async () => {
    const { stdout } = await verify("--organization", slug, "--json");
    const [{ head }] = (JSON.parse(stdout) as { chains: [{ head: { seq: number; hash: string } }] }).chains;
    const noted = `${head.seq}:${head.hash}`;
    for (const where of [[], ["--organization", slug]]) {
      const found = await verify(...where, "--head", noted);
      expect([found.code, found.stdout]).toEqual([
        0,
        expect.stringContaining(`\nHead ${noted} is still in the trail.\n`),
      ]);
      for (const gone of [`2:${head.hash}`, `1:${"0".repeat(64)}`]) {
        const missing = await verify(...where, "--head", gone, "--json");
        expect([missing.code, JSON.parse(missing.stdout)]).toMatchObject([
          1,
          { ok: false, noted: { found: false } },
        ]);
      }
    }
    const said = (await verify("--head", `2:${head.hash}`)).stdout;
    expect(said).toContain(
      `Head 2:${head.hash} is missing from the trail: entries were removed or replaced.`,
    );
    expect((await verify("--head", "1")).code).toBe(2);
  });

  it("exits with 1 for an unknown organization", async () => {
    const { code, stderr } = await verify("--organization", "nobody");
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no organization "nobody".')]);
  });

  it("exits with 1 and names the changed entry", async () => {
    await commands.use((database) =>
      database.transaction(({ script }) =>
        script(`ALTER TABLE audit_entries DISABLE TRIGGER USER;
          UPDATE audit_entries SET entry = replace(entry, 'Acme', 'Other')
          WHERE organization_id = (SELECT id FROM organizations WHERE slug = '${slug}')`),
      ),
    );
    const { code, stdout } = await verify("--organization", slug);
    expect([code, stdout]).toEqual([1, `${slug}: entry 1 is broken: its text does not match its hash.\n`]);
    const all = await verify("--json");
    expect([all.code, (JSON.parse(all.stdout) as { ok: boolean }).ok]).toEqual([1, false]);
  });
});
