import { readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import lockfile from "proper-lockfile";
import { OperatorError } from "../../../errors.js";
import { folderFault, reasonOf } from "./folder-faults.js";

export interface FolderLock {
  release(): Promise<void>;
}

/** A lock not refreshed for this long is stale. Its holder refreshes it four times as often. */
const STALE_MS = 20_000;
/** Locking a folder takes milliseconds, so a process that has not finished after this long has died. */
const QUEUE_STALE_MS = 5_000;

/**
 * Locks a folder for this process. Takes over the lock of a dead process on this machine at once, and any other lock
 * after 20 seconds without a refresh. Calls `onLost` if another process takes over this lock, which can happen if this
 * process was suspended for that long. Throws OperatorError if the folder is in use or cannot be locked.
 */
export async function lockFolder(folder: string, onLost: (error: Error) => void): Promise<FolderLock> {
  const lockPath = join(folder, "lock");
  const ownerPath = join(folder, "lock-owner.json");
  const options = { lockfilePath: lockPath, stale: STALE_MS };
  const onCompromised = ({ message }: Error) =>
    onLost(
      new OperatorError(
        `Another process took over DATA_DIR (${folder}): ${message}. Stopping before the database is damaged.`,
      ),
    );
  /** Locks the folder; undefined if another process holds it. */
  const take = async () => {
    const isTaken = await lockfile.check(folder, options);
    if (isTaken && (await ownerIsAlive(ownerPath))) return undefined;
    // Written before the lock itself, so that a process killed in between does not leave a lock without a known owner.
    await writeFile(ownerPath, JSON.stringify({ pid: process.pid, host: hostname() }));
    if (isTaken) await rm(lockPath, { recursive: true, force: true });
    return lockfile.lock(folder, { ...options, update: STALE_MS / 4, onCompromised });
  };

  let unlock: (() => Promise<void>) | undefined;
  try {
    // One process at a time, since two that find the same dead owner would both take over.
    const done = await queueUp(join(folder, "lock-queue"));
    unlock = await take().finally(done);
  } catch (error) {
    throw folderFault(folder, reasonOf(error));
  }
  if (unlock === undefined) {
    const owner = await readOwner(ownerPath);
    throw new OperatorError(
      `DATA_DIR (${folder}) is in use by another process${owner ? ` (pid ${owner.pid} on ${owner.host})` : ""}. Only one process at a time can use an embedded database. Stop that process, choose another DATA_DIR, or set DATABASE_URL.`,
    );
  }
  // Releasing keeps the owner's file: whether removed before or after the lock, it could be missing when another
  // process needs it.
  return { release: unlock };
}

/** Returns the process that has locked an existing folder; null if apparently none has. Does not lock it. */
export async function findHolder(folder: string): Promise<string | null> {
  const options = { lockfilePath: join(folder, "lock"), stale: STALE_MS };
  const ownerPath = join(folder, "lock-owner.json");
  if (!(await lockfile.check(folder, options)) || !(await ownerIsAlive(ownerPath))) return null;
  const owner = await readOwner(ownerPath);
  return owner ? `pid ${owner.pid} on ${owner.host}` : "another process";
}

/** Waits up to 10 seconds while another process is locking the folder. */
async function queueUp(path: string): Promise<() => Promise<void>> {
  const end = performance.now() + 2 * QUEUE_STALE_MS;
  const options = {
    realpath: false,
    lockfilePath: path,
    stale: QUEUE_STALE_MS,
    onCompromised: () => undefined,
  };
  for (;;) {
    try {
      const leave = await lockfile.lock(path, options);
      return () => leave().catch(() => undefined);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ELOCKED" || performance.now() > end) throw error;
      await setTimeout(20);
    }
  }
}

async function readOwner(path: string): Promise<{ pid: number; host: string } | undefined> {
  try {
    const owner = JSON.parse(await readFile(path, "utf8")) as { pid: number; host: string };
    return Number.isInteger(owner.pid) ? owner : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns true if the owner is alive. Assumes that an unknown owner is alive, and so is one on another machine: their
 * locks become stale unless refreshed.
 */
async function ownerIsAlive(path: string): Promise<boolean> {
  const owner = await readOwner(path);
  if (!owner || owner.host !== hostname()) return true;
  // In a container, every start may get the same process id, so an owner with our own id was a predecessor.
  if (owner.pid === process.pid) return false;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
