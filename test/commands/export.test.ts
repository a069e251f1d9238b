import { createHash } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { HEADER } from "../support/importing.js";
import { list } from "../support/list.js";
import { runCommand } from "../support/run-command.js";
import { useCommandDatabase, useFolder } from "../support/use.js";

const folder = useFolder();
const commands = useCommandDatabase();
beforeAll(async () => {
  await commands.use(({ prisma }) => prisma.organization.create({ data: { slug: "acme", name: "Acme" } }));
  await writeFile(join(folder, "in.csv"), CSV);
  expect(await gateway("import", "in.csv", "--organization", "acme")).toMatchObject({ code: 0 });
});

const CSV = `${HEADER}\n2026-01-31,scope_1,1.500000,,Gas,,'=1\n2026-02-28,scope_2,2.000000,,Electricity,,A\n`;
const gateway = (...args: string[]) => runCommand(args, { env: commands.env, cwd: folder });
const files = async () => (await readdir(folder)).toSorted();
const contentOf = (name: string) => readFile(join(folder, name), "utf8");

describe("gateway export", () => {
  it("writes a file that an import reads, and summarizes it", async () => {
    await writeFile(join(folder, "out.csv"), "before");
    const { code, stdout } = await gateway(
      ...list("export --organization acme --output out.csv --force --json"),
    );
    expect((await stat(join(folder, "out.csv"))).mode & 0o777).toBe(0o600);
    expect(await contentOf("out.csv")).toBe(CSV.replace("'=1", `"'=1"`));
    const sha256 = createHash("sha256")
      .update(await contentOf("out.csv"))
      .digest("hex");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      file: "out.csv",
      organization: "acme",
      format: "csv",
      rows: 2,
      co2e_tonnes: "3.5",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      bytes: Buffer.byteLength(await contentOf("out.csv")),
      sha256,
      seq: expect.any(Number),
      cursor: expect.any(String),
    });
  });

  it("exports the records that match a filter", async () => {
    const given = ["--organization", "acme", "--format", "ndjson", "--output", "some.ndjson"];
    const { stdout } = await gateway(
      "export",
      ...given,
      "--scope",
      "scope_2",
      "--from",
      "2026-02-01",
      "--q",
      "elec",
    );
    expect(stdout).toMatch(/^some\.ndjson: 1 record, 2 tCO2e\. Digest: [0-9a-f]{64}\.\n$/);
    expect(JSON.parse(await contentOf("some.ndjson"))).toMatchObject({
      reference: "A",
      co2e_tonnes: "2.000000",
    });
  });

  it("leaves the existing file unchanged if it fails, and no other file", async () => {
    const before = [await files(), await contentOf("out.csv")];
    const given = ["--organization", "acme", "--output", "out.csv", "--force"];
    expect(await gateway("export", ...given, "--facility", "NOWHERE")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--facility: expected the code of a facility, got "NOWHERE"'),
    });
    expect(
      await gateway("export", "--organization", "nobody", "--output", "out.csv", "--force"),
    ).toMatchObject({
      code: 1,
    });
    expect(await gateway("export", "--organization", "acme", "--output", "out.csv")).toMatchObject({
      code: 1,
      stderr: "out.csv exists. Choose another file, or overwrite it with --force.\n",
    });
    expect([await files(), await contentOf("out.csv")]).toEqual(before);
  });
});
