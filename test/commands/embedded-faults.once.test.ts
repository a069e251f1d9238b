import { execFile, execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { access, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { PREPARED_DATABASE_FOLDER } from "../../src/paths.js";
import { makeCommandDatabase } from "../support/command-database.js";
import { addRecord } from "../support/fixtures.js";
import { IS_FULL, inShort } from "../support/full.js";
import { MAIN } from "../support/main-file.js";
import { killGateway, makeFolder, runGateway, startProcess, temporaryFolder } from "../support/process.js";
import { expectNoWrites } from "../support/refused-writes.js";
import { runCommand } from "../support/run-command.js";
import { makeKey } from "../support/server.js";

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Saves a bundle of one organization with records of some 200 bytes each; returns its path. */
async function saveBundle(count: number): Promise<string> {
  const emission_records = Array.from({ length: count }, (_, n) => ({
    reference: `record-${n}`,
    recorded_on: "2026-05-01",
    scope: "scope_1",
    co2e_tonnes: n,
    source: "a source of some length, so that the records take up room",
  }));
  const file = join(temporaryFolder(), "bundle.json");
  await writeFile(file, JSON.stringify({ organization: { slug: "acme", name: "Acme" }, emission_records }));
  return file;
}

/** Mounts a disk in memory; returns the reason if that is not possible. */
function mountDisk(path: string, options: string): string | undefined {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return `no disk can be mounted: ${(error as Error).message}`;
  }
}

const unmount = (path: string) => execFileSync("umount", ["--lazy", path]);

function findWhyNoDisk(): string | undefined {
  const { path, remove } = makeFolder();
  const reason = mountDisk(path, "size=1m");
  if (reason === undefined) unmount(path);
  remove();
  return reason;
}

const whyNoDisk = findWhyNoDisk();
if (whyNoDisk) console.warn(`Tests of full disks are skipped: ${whyNoDisk}`);

/** Creates a small disk that can be resized. */
function makeDisk(size: string): { path: string; resize: (size: string) => void } {
  const path = temporaryFolder();
  mountDisk(path, `size=${size},mode=0700`);
  onTestFinished(() => void unmount(path));
  return { path, resize: (to) => execFileSync("mount", ["-o", `remount,size=${to}`, path]) };
}

/** Creates a database with an organization, a record and a key, and removes it after the test. */
async function makeServed() {
  const database = await makeCommandDatabase();
  onTestFinished(() => database.close());
  const env = database.env as { DATA_DIR: string };
  const key = await database.use(async (opened) => {
    await opened.prisma.organization.create({ data: { slug: "acme", name: "Acme" } });
    const recordedOn = `${new Date().toISOString().slice(0, 8)}01`;
    await addRecord(opened, "acme", { recordedOn, co2eTonnes: "12.5" });
    return (await makeKey(opened, "acme")).key;
  });
  return { env, key };
}

const FULL = /^DATA_DIR \(.*\) is full: .*Free some space and run this again\./;

describe("an embedded database", () => {
  it("killed with SIGKILL while serving restarts with everything acknowledged", async () => {
    const { env, key } = await makeServed();
    for (let start = 1; start <= 2; start += 1) {
      const gateway = await startProcess({ env });
      const { status, body } = await gateway.rest("/emissions", key);
      expect([status, body.data]).toMatchObject([200, { record_count: 1, total_co2e_tonnes: 12.5 }]);
      const pending = Array.from({ length: 20 }, () => gateway.graphql("{ organization { slug } }", key));
      await Promise.all([gateway.stop("SIGKILL"), Promise.allSettled(pending)]);
    }
    expect((await runCommand(["verify"], { env })).code).toBe(0);
  });

  it("killed with SIGKILL during its first start is created by the next", async () => {
    const env = { DATA_DIR: temporaryFolder(), PORT: "0" };
    for (const moment of ["postgres-unfinished/PG_VERSION", "postgres-unfinished/base/5", "postgres"]) {
      const { code } = await killGateway(["serve"], { env }, () => isThere(join(env.DATA_DIR, moment)));
      expect([moment, code]).toEqual([moment, null]);
    }
    const gateway = await startProcess({ env });
    expect((await gateway.ready()).status).toBe(200);
    await gateway.stop("SIGKILL");
  });

  it.each(inShort(["load", "import"], (command) => command === "load"))(
    "is consistent after `%s` was killed, and the same command then completes",
    async (command) => {
      const { env } = await makeServed();
      const csv = join(temporaryFolder(), "records.csv");
      const lines = Array.from({ length: 8_000 }, (_, n) => `2026-05-01,scope_1,1,record-${n}`);
      await writeFile(csv, `recorded_on,scope,co2e_tonnes,reference\n${lines.join("\n")}\n`);
      const args =
        command === "load" ? ["load", await saveBundle(8_000)] : ["import", csv, "--organization", "acme"];
      const isHeld = () => isThere(join(env.DATA_DIR, "lock"));
      for (const ms of [400, 800])
        await killGateway(args, { env }, async () => (await isHeld()) && delay(ms, true));
      const again = await runCommand([...args, "--json"], { env });
      // It loads everything, unless the killed command had already finished.
      expect(again.code).toBe(0);
      expect(again.stdout).toEqual(
        expect.stringMatching(/"added":8000\b|"added":0,"updated":0,"unchanged":8000\b/),
      );
      expect((await runCommand(["verify"], { env })).code).toBe(0);
    },
  );
});

describe.runIf(whyNoDisk === undefined)("a disk", () => {
  it("that is full at the first start is reported, and the gateway starts once there is space", async () => {
    const { path, resize } = makeDisk("1m");
    const migrate = () => runGateway(["migrate"], { env: { DATA_DIR: join(path, "data") } });
    for (const size of ["1m", "30m"]) {
      resize(size);
      const { code, stderr } = await migrate();
      expect([size, code, stderr]).toEqual([size, 1, expect.stringMatching(FULL)]);
    }
    resize("200m");
    expect((await migrate()).code).toBe(0);
  });

  it("that fills up during a load is reported, and everything loads once there is space", async () => {
    const { path, resize } = makeDisk("300m");
    const { env } = await makeCommandDatabase(path);
    const count = IS_FULL ? 40_000 : 10_000;
    const args = ["load", await saveBundle(count)];
    for (const left of inShort([2, 14], (megabytes) => megabytes === 2)) {
      const used = Number(execFileSync("du", ["-sk", path]).toString().split("\t")[0]);
      resize(`${used + left * 1024}k`);
      const { code, stderr } = await runGateway(args, { env });
      expect([left, code, stderr]).toEqual([left, 1, expect.stringMatching(/is full|is out of disk space/)]);
      resize("300m");
      const { stdout } = await runCommand(["organizations", "list", "--json"], { env });
      expect(JSON.parse(stdout)).toEqual([]);
    }
    expect((await runCommand([...args, "--json"], { env })).stdout).toContain(`"added":${count}`);
    expect((await runCommand(["verify"], { env })).code).toBe(0);
  });

  it("that is full blocks no reads, is reported by readiness and writes, and the gateway restarts with all data", async () => {
    const { path, resize } = makeDisk("300m");
    const env = { DATA_DIR: join(path, "data") };
    const gateway = await startProcess({ env });
    const key = /Demo key +(\S+)/.exec(gateway.stdout())?.[1] ?? "";
    const used = Number(execFileSync("du", ["-sk", path]).toString().split("\t")[0]);
    resize(`${used}k`);
    const before = await gateway.rest("/emissions", key);
    await expectNoWrites(gateway, "its disk is full");
    expect(await gateway.ready()).toMatchObject({
      status: 200,
      body: { status: "degraded", database: "up", writes: "disk_full" },
    });
    for (const path of ["/emissions", "/compliance", "/credits", "/benchmarks", "/market"]) {
      expect([path, (await gateway.rest(path, key)).status]).toEqual([path, 200]);
    }
    await gateway.stop("SIGKILL");
    resize("300m");
    const again = await startProcess({ env });
    expect((await again.rest("/emissions", key)).body.data).toEqual(before.body.data);
    await again.stop("SIGKILL");
  });

  it("that is read-only is reported", async () => {
    const { path } = makeDisk("300m");
    const { env } = await makeCommandDatabase(path);
    execFileSync("mount", ["-o", "remount,ro", path]);
    const { code, stderr } = await runGateway(["serve"], { env });
    expect(code).toBe(1);
    expect(stderr).toEqual(
      expect.stringMatching(
        /^DATA_DIR \(.*\) cannot be written: EROFS.*Choose a folder that this user can write/,
      ),
    );
  });
});

/** The oldest supported Node.js: newer ones get along with less. */
const OLDEST = process.env["TEST_NODES"]?.split(delimiter)[0];

it.skipIf(!OLDEST)("blames the limit when the process gets no more memory", async () => {
  const env = { ...process.env, DATA_DIR: temporaryFolder() };
  for (const kilobytes of [20_000_000, 28_000_000]) {
    const command = `ulimit -v ${kilobytes}; exec ${OLDEST} ${MAIN} serve`;
    await expect(promisify(execFile)("bash", ["-c", command], { env })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The process gets no more memory: .*Raise its limit/),
    });
  }
});

it("lets every user copy the prepared database", () => {
  const entries = readdirSync(PREPARED_DATABASE_FOLDER, { recursive: true, withFileTypes: true });
  const unreadable = entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => (statSync(path).mode & 0o004) === 0);
  expect([entries.length > 0, unreadable]).toEqual([true, []]);
});
