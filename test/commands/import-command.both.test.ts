import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { HEADER } from "../support/importing.js";
import { MAIN } from "../support/main-file.js";
import { preload } from "../support/process.js";
import { runCommand } from "../support/run-command.js";
import { useCommandDatabase, useFolder } from "../support/use.js";

const folder = useFolder();
const commands = useCommandDatabase();
beforeAll(async () => {
  await commands.use(async ({ prisma }) => {
    for (const slug of ["acme", "asked", "stopped", "big"])
      await prisma.organization.create({ data: { slug, name: slug } });
  });
});

const gateway = (...args: string[]) => runCommand(args, { env: commands.env, cwd: folder });
const save = (name: string, text: string) => writeFile(join(folder, name), text);
const countOf = (slug: string) =>
  commands.use(({ prisma }) =>
    prisma.emissionRecord.count({ where: { organization: { slug }, deletedAt: null } }),
  );

/** Generates rows for `count` records, in chunks. */
function* generateRows(count: number): Generator<string> {
  for (let from = 0; from < count; from += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => {
      const n = from + index;
      const day = String(1 + (n % 28)).padStart(2, "0");
      return `2026-0${1 + (n % 9)}-${day},scope_${1 + (n % 3)},${n}.5,,category ${n % 5},a meter,\n`;
    });
    yield rows.join("");
  }
}

// Output and memory do not depend on the database, so PostgreSQL is enough.
describe.skipIf(inject("template").kind === "embedded")("gateway import", () => {
  it("exits with 1 and asks about a probable mistake until it is accepted", async () => {
    await save("spend.csv", "recorded_on,scope,Betrag EUR\n2026-03-01,scope_3,1200\n");
    const args = ["import", "spend.csv", "--organization", "asked", "--map", "co2e_tonnes=Betrag EUR"];
    const question = {
      code: "AMOUNT_IS_NOT_CO2E",
      message: 'Amounts are read as emissions in CO2e, but column "Betrag EUR" says currency: "EUR".',
      rows: 1,
      first_lines: [2],
      figures: { column: "Betrag EUR", says: "currency", units: ["EUR"] },
    };
    const text = [
      `AMOUNT_IS_NOT_CO2E: ${question.message} (1 row, first in lines 2)`,
      "If this is correct, import the file with --accept AMOUNT_IS_NOT_CO2E.",
    ];
    const refused = await gateway(...args);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain(`spend.csv was not imported:\n${text.join("\n")}\n`);
    const json = await gateway(...args, "--json");
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toEqual({
      file: "spend.csv",
      organization: "asked",
      questions: [question],
    });
    const dry = await gateway(...args, "--dry-run");
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining(text.join("\n"))]);
    expect((await gateway(...args, "--accept", "all")).code).toBe(2);
    expect(await countOf("asked")).toBe(0);
    const accepted = await gateway(...args, "--accept", "AMOUNT_IS_NOT_CO2E");
    expect([accepted.code, await countOf("asked")]).toEqual([0, 1]);
    const { stdout } = await gateway("import", "list", "--organization", "asked", "--json");
    expect(JSON.parse(stdout)).toMatchObject([{ accepted_questions: ["AMOUNT_IS_NOT_CO2E"] }]);
  });

  it("prints one line, or JSON, on standard output", async () => {
    await save("good.csv", `${HEADER},note\n2026-03-01,scope_1,1,,,,,x\n2026-03-02,scope_1,2,,,,,\n`);
    const first = await gateway("import", "good.csv", "--organization", "acme");
    expect(first.code).toBe(0);
    const ofRows = [
      "3 t CO2e from 2026-03-01 to 2026-03-02: scope_1 3 t, scope_2 0 t, scope_3 0 t",
      "0 facilities",
      "Largest records:",
      "  line 3: 2026-03-02, scope_1, 2 t",
      "  line 2: 2026-03-01, scope_1, 1 t",
    ];
    const undo = expect.stringMatching(
      /^Import ([0-9a-f-]{36})\. To undo it: npm run gateway -- import undo \1$/,
    );
    expect(first.stdout.split("\n")).toEqual([
      expect.stringMatching(/^good\.csv \(acme\): 2 added; 1 column ignored: note \(2 rows in \d+\.\d s\)$/),
      ...ofRows,
      undo,
      "",
    ]);
    const again = await gateway("import", "good.csv", "--organization", "acme", "--json");
    expect([again.code, again.stderr]).toEqual([0, ""]);
    expect(JSON.parse(again.stdout)).toMatchObject({
      file: "good.csv",
      organization: "acme",
      dry_run: false,
      rows: 2,
      added: 0,
      updated: 0,
      unchanged: 2,
      skipped: 0,
      facilities_created: 0,
      ignored_columns: ["note"],
      seconds: expect.any(Number),
    });
    expect((await gateway("import", "good.csv", "--organization", "acme")).stdout).toContain(
      "2 unchanged; nothing new",
    );
    await save("new.csv", `${HEADER}\n2026-03-01,scope_1,1,,,,\n2999-01-01,scope_2,2,N,,,\n`);
    const dry = ["--create-facilities", "--country", "IN", "--dry-run"];
    const { code, stdout } = await gateway("import", "new.csv", "--organization", "acme", ...dry);
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^new\.csv \(acme\): would add 1, 1 unchanged \(2 rows in \d+\.\d s\)$/),
      "3 t CO2e from 2026-03-01 to 2999-01-01: scope_1 1 t, scope_2 2 t, scope_3 0 t",
      "1 facility, 1 would be new",
      "1 record dated after today; not included in figures before that day",
      "Largest records:",
      "  line 3: 2999-01-01, scope_2, 2 t, N",
      "  line 2: 2026-03-01, scope_1, 1 t",
      "Dry run: nothing was changed.",
      "",
    ]);
  });

  it("lists imports and undoes one by its id, even with a file named like a command", async () => {
    await commands.use(({ prisma }) => prisma.organization.create({ data: { slug: "undoing", name: "u" } }));
    const acme = ["--organization", "undoing"];
    expect((await gateway("import", "list", ...acme)).stdout).toBe("undoing has no imports.\n");
    await save("undo", `${HEADER}\n2026-03-01,scope_1,1,,,,\n`);
    const imported = await gateway("import", "./undo", ...acme, "--json");
    const { id } = JSON.parse(imported.stdout) as { id: string };
    const listed = await gateway("import", "list", ...acme);
    expect(listed.stdout).toMatch(new RegExp(`^${id}  20\\S+Z  \\./undo: 1 added, 0 updated\n$`));
    const undone = await gateway("import", "undo", id);
    expect(undone.code).toBe(0);
    expect(undone.stdout).toBe(`Undid import ${id} of ./undo (undoing): 1 record removed.\n`);
    expect(await countOf("undoing")).toBe(0);
    const again = await gateway("import", "undo", id, "--json");
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ id, already_undone: true, removed: 0 });
    expect((await gateway("import", "undo", id)).stdout).toMatch(
      /was already undone on 20\S+; nothing was changed\.\n$/,
    );
  });

  it("exits with 1, lists problems on standard error, with --json on standard output too, and changes nothing", async () => {
    await save("bad.csv", `${HEADER}\n2026-03-09,scope_1,1,,,,\n2026-03-32,scope_1,-1,,,,\n`);
    const before = await countOf("acme");
    const { code, stdout, stderr } = await gateway("import", "bad.csv", "--organization", "acme", "--json");
    expect(code).toBe(1);
    expect(stderr.split("\n")).toEqual([
      "bad.csv has 2 problems; nothing was imported:",
      expect.stringMatching(/^line 3, column "co2e_tonnes": expected .+, got "-1"$/),
      expect.stringMatching(/^line 3, column "recorded_on": expected .+, got "2026-03-32"$/),
      "",
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      file: "bad.csv",
      problem_count: 2,
      problems: [{ line: 3, column: "co2e_tonnes", got: '"-1"' }, { line: 3 }],
    });
    expect(await countOf("acme")).toBe(before);
  });

  it.each(["stdout", "stderr"] as const)("completes even if nobody reads %s", async (stream) => {
    await save("unread.csv", `${HEADER}\n2026-04-01,scope_1,1,,,,${stream}\n`);
    const before = await countOf("acme");
    const child = start(["import", "unread.csv", "--organization", "acme"], { stdout: "pipe" });
    child[stream]?.destroy();
    expect(await finish(child)).toMatchObject({ code: 0, [stream]: "" });
    expect(await countOf("acme")).toBe(before + 1);
  });

  it.skipIf(process.platform !== "linux")(
    "exits with 1 if standard output is full, and says that the import is done",
    async () => {
      await save("full.csv", `${HEADER}\n2026-04-02,scope_1,1,,,,full\n`);
      const before = await countOf("acme");
      const full = await open("/dev/full", "w");
      const command = ["import", "full.csv", "--organization", "acme", "--json"];
      const { code, stderr } = await finish(start(command, { stdout: full.fd }));
      await full.close();
      expect(code).toBe(1);
      expect(stderr).toEqual(
        expect.stringMatching(/^Cannot write to standard output: ENOSPC.* The command continues\.\n$/),
      );
      expect(await countOf("acme")).toBe(before + 1);
    },
  );

  it.each([
    ["without an organization", ["good.csv"], "required option '--organization <slug>' not specified"],
    ["list without an organization", ["list"], "required option '--organization <slug>' not specified"],
    ["undo without an id", ["undo"], "missing required argument 'id'"],
    [
      "with an unknown field",
      ["good.csv", "--organization", "acme", "--map", "x=y"],
      "Expected <field>=<text>",
    ],
    [
      "with a field both mapped and set",
      ["good.csv", "--organization", "acme", "--map", "scope=x", "--set", "scope=scope_1"],
      "both mapped and set",
    ],
  ])("%s is bad usage: 2", async (_what, args, message) => {
    const { code, stdout, stderr } = await gateway("import", ...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  it("imports 200,000 rows in the memory of a few thousand, and verify finds no difference", async () => {
    const path = join(folder, "big.csv");
    await pipeline(Readable.from([`${HEADER}\n`, ...generateRows(200_000)]), createWriteStream(path));
    const { code, stdout } = await finish(
      start(["import", path, "--organization", "big"], {
        node: ["--max-old-space-size=96"],
        stdout: "pipe",
      }),
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining("200000 added")]);
    expect(await countOf("big")).toBe(200_000);
    expect((await gateway("verify")).stdout).toBe("All sums match the emission records.\n");
  });
});

describe("an import", () => {
  it.each<["SIGINT" | "SIGTERM" | "SIGKILL", number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGKILL", 137],
  ])("stopped by %s in the middle leaves nothing, and can be repeated", async (signal, code) => {
    // The import reads everything written to the pipe, and then waits for more until it is stopped.
    const pipe = join(folder, `${signal}.csv`);
    execFileSync("mkfifo", [pipe]);
    const child = start(["import", pipe, "--organization", "stopped"]);
    const ended = finish(child);
    const writer = createWriteStream(pipe);
    writer.on("error", () => undefined);
    for (const part of [`${HEADER}\n`, ...generateRows(20_000)]) {
      if (!writer.write(part)) await once(writer, "drain");
    }
    child.kill(signal);
    const result = await ended;
    writer.destroy();
    expect(result.code).toBe(code);
    if (signal !== "SIGKILL") expect(result.stderr).toMatch(/\nStopped; nothing was changed\.\n$/);
    if (signal === "SIGKILL" && "DATA_DIR" in commands.env) return;
    expect(await countOf("stopped")).toBe(0);
  });

  it("interrupted by Ctrl-C while writing leaves nothing", async () => {
    const path = join(folder, "writing.csv");
    await pipeline(Readable.from([`${HEADER}\n`, ...generateRows(40_000)]), createWriteStream(path));
    const onTerminal = preload("process.stderr.isTTY = true");
    const child = start(["import", path, "--organization", "stopped"], { node: [onTerminal] });
    const ended = finish(child);
    child.stderr?.on("data", (text) => {
      // The signal comes before the statement, during which an embedded database blocks everything else.
      if (String(text).includes("Writing")) child.kill("SIGINT");
    });
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([130, expect.stringContaining("Stopped; nothing was changed.\n")]);
    expect(await countOf("stopped")).toBe(0);
  });

  it("can be repeated after it was stopped", async () => {
    await save("again.csv", `${HEADER}\n2026-03-01,scope_1,1,,,,\n`);
    const { code, stdout } = await gateway("import", "again.csv", "--organization", "stopped");
    expect([code, stdout]).toEqual([0, expect.stringContaining("1 added")]);
    expect(await countOf("stopped")).toBe(1);
  });
});

interface StartOptions {
  /** Arguments of Node.js. */
  readonly node?: readonly string[];
  /** Target of standard output: by default ignored, or an open file. */
  readonly stdout?: "ignore" | "pipe" | number;
}

function start(args: readonly string[], { node = [], stdout = "ignore" }: StartOptions = {}): ChildProcess {
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, [...node, MAIN, ...args], {
    cwd: folder,
    env: { PATH, HOME, ...commands.env },
    stdio: ["ignore", stdout, "pipe"],
  });
}

/** Waits for the process to end; returns the exit code as a shell shows it, and the output except for ignored streams. */
async function finish(child: ChildProcess): Promise<{ code: number; stdout: string; stderr: string }> {
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      printed[stream] += text;
    });
  }
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals];
  return { code: code ?? 128 + constants.signals[signal], ...printed };
}
