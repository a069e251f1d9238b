import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { lockFolder } from "../../src/data/database/embedded/folder-lock.js";
import { temporaryFolder } from "../support/process.js";

const TSX = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const SOURCE = new URL("../../src/data/database/embedded/folder-lock.ts", import.meta.url).href;

/** Prints "ready", locks the folder on the first line of input, prints the result, and keeps the lock. */
const TAKER = `
  const { lockFolder } = await import(${JSON.stringify(SOURCE)});
  console.log("ready");
  process.stdin.once("data", () => {
    lockFolder(process.argv[1], () => console.log("lost")).then(() => console.log("taken"), (e) => console.log(e.message));
  });
  process.stdin.on("end", () => process.exit(0));`;

const unexpected = (error: Error) => {
  throw error;
};

interface Taker {
  readonly child: ChildProcess;
  /** Lets the process lock the folder; resolves to the result. */
  take(): Promise<string>;
}

/** Starts a process that is ready to lock `folder`. */
async function startTaker(folder: string): Promise<Taker> {
  const child = spawn(process.execPath, ["--import", TSX, "--input-type=module", "-e", TAKER, folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const line = async () => String((await once(child.stdout, "data"))[0]).trim();
  expect(await line()).toBe("ready");
  return {
    child,
    take() {
      child.stdin.write("take\n");
      return line();
    },
  };
}

/** Leaves a lock like a process that was killed. */
async function leaveLock(folder: string, owner: object) {
  await mkdir(join(folder, "lock"));
  await writeFile(join(folder, "lock-owner.json"), JSON.stringify(owner));
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["--version"]);
  await once(child, "exit");
  return child.pid ?? 0;
}

describe("lockFolder", () => {
  it("locks a folder until it is released, when another process can lock it", async () => {
    const folder = temporaryFolder();
    const lock = await lockFolder(folder, unexpected);
    const other = await startTaker(folder);
    expect(await other.take()).toContain(
      `DATA_DIR (${folder}) is in use by another process (pid ${process.pid} on ${hostname()})`,
    );
    await lock.release();
    expect(await readdir(folder)).toEqual(["lock-owner.json"]);

    const third = await startTaker(folder);
    expect(await third.take()).toBe("taken");
  });

  it("is refused while another process holds the lock, and takes over once that process is killed", async () => {
    const folder = temporaryFolder();
    const other = await startTaker(folder);
    expect(await other.take()).toBe("taken");
    await expect(lockFolder(folder, unexpected)).rejects.toThrow(`(pid ${other.child.pid} on ${hostname()})`);

    other.child.kill("SIGKILL");
    await once(other.child, "exit");
    await (await lockFolder(folder, unexpected)).release();
  });

  it("gives the lock of a dead process to exactly one of several processes at once", async () => {
    const pid = await deadPid();
    const folders = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    for (const folder of folders) {
      await leaveLock(folder, { pid, host: hostname() });
      const takers = await Promise.all([1, 2, 3].map(() => startTaker(folder)));
      const ends = await Promise.all(takers.map((taker) => taker.take()));
      expect(ends.filter((end) => end === "taken")).toHaveLength(1);
      expect(ends.filter((end) => end.includes("is in use by another process"))).toHaveLength(2);
      for (const { child } of takers) child.kill("SIGKILL");
    }
  });

  it("takes over immediately from a process killed before it had the lock or after it released it", async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, "lock-owner.json"), JSON.stringify({ pid: 1, host: hostname() }));
    await (await lockFolder(folder, unexpected)).release();
  });

  it("takes over from an earlier process with the same process id, as in a container", async () => {
    const folder = temporaryFolder();
    await leaveLock(folder, { pid: process.pid, host: hostname() });
    await (await lockFolder(folder, unexpected)).release();
  });

  it.each([
    ["on another machine", async () => ({ pid: await deadPid(), host: `not-${hostname()}` })],
    ["that cannot be read", async () => ({})],
  ])("is refused while the lock is fresh and has an owner %s", async (_, owner) => {
    const folder = temporaryFolder();
    await leaveLock(folder, await owner());
    await expect(lockFolder(folder, unexpected)).rejects.toThrow("is in use by another process");
  });

  it("is refused for a missing folder, with the reason", async () => {
    const folder = join(temporaryFolder(), "missing");
    await expect(lockFolder(folder, unexpected)).rejects.toThrow(
      new RegExp(`^DATA_DIR \\(${folder}\\) cannot be written: ENOENT`),
    );
  });
});
