import { readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import lockfile from "proper-lockfile";
import { OperatorError } from "../../errors.js";
import { folderFault, reasonOf } from "./folder-faults.js";

export interface FolderLock {
  release(): Promise<void>;
}

/** A lock that nobody has refreshed for so long is left over; its holder refreshes it four times as often. */
const STALE_MS = 20_000;
/** Taking a folder lasts milliseconds; whoever has not finished after so long has died doing it. */
const TAKING_STALE_MS = 5_000;

/**
 * Takes a folder for this process alone. A lock left over by a process of this machine that has died is taken over at
 * once; one of another machine when it has not been refreshed for 20 seconds. `onLost` is called when somebody takes
 * the lock away, which a pause of that length makes possible. Throws OperatorError where the folder is held or cannot
 * be written.
 */
export async function lockFolder(folder: string, onLost: (error: Error) => void): Promise<FolderLock> {
  const lockPath = join(folder, "lock");
  const ownerPath = join(folder, "lock-owner.json");
  const options = { lockfilePath: lockPath, stale: STALE_MS };
  const onCompromised = ({ message }: Error) =>
    onLost(
      new OperatorError(
        `DATA_DIR (${folder}) is not this process's any more (${message}): stopping before the database is damaged.`,
      ),
    );
  /** Undefined where another process holds the folder. */
  const take = async () => {
    const isTaken = await lockfile.check(folder, options);
    if (isTaken && (await ownerIsAlive(ownerPath))) return undefined;
    // Before the lock itself: killed in between, this process must not leave one that nobody can tell the owner of.
    await writeFile(ownerPath, JSON.stringify({ pid: process.pid, host: hostname() }));
    if (isTaken) await rm(lockPath, { recursive: true, force: true });
    return lockfile.lock(folder, { ...options, update: STALE_MS / 4, onCompromised });
  };

  let unlock: (() => Promise<void>) | undefined;
  try {
    // One at a time from the first look to the lock, or two that find the same dead owner both take over.
    const done = await queueUp(join(folder, "lock-queue"));
    unlock = await take().finally(done);
  } catch (error) {
    throw folderFault(folder, reasonOf(error));
  }
  if (unlock === undefined) {
    const owner = await readOwner(ownerPath);
    throw new OperatorError(
      `DATA_DIR (${folder}) is held by another process${owner ? ` (pid ${owner.pid} on ${owner.host})` : ""}, and an embedded database serves one process at a time. Stop that process, choose another DATA_DIR, or set DATABASE_URL.`,
    );
  }
  // The owner's name stays: taken away before the lock or after it, it could be missing where it is needed.
  return { release: unlock };
}

/** Who holds a folder that exists, as far as it can be known without taking it; null when nobody does. */
export async function findHolder(folder: string): Promise<string | null> {
  const options = { lockfilePath: join(folder, "lock"), stale: STALE_MS };
  const ownerPath = join(folder, "lock-owner.json");
  if (!(await lockfile.check(folder, options)) || !(await ownerIsAlive(ownerPath))) return null;
  const owner = await readOwner(ownerPath);
  return owner ? `pid ${owner.pid} on ${owner.host}` : "another process";
}

/** Waits, for 10 seconds at most, while another process is taking the folder. */
async function queueUp(path: string): Promise<() => Promise<void>> {
  const end = performance.now() + 2 * TAKING_STALE_MS;
  const options = {
    realpath: false,
    lockfilePath: path,
    stale: TAKING_STALE_MS,
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

/** An owner on another machine, or one that cannot be read, counts as alive: only time can tell. */
async function ownerIsAlive(path: string): Promise<boolean> {
  const owner = await readOwner(path);
  if (!owner || owner.host !== hostname()) return true;
  // In a container every start may have the same process id, so one's own is a predecessor's.
  if (owner.pid === process.pid) return false;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
