import { chmod, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { PGlite, type Transaction, types } from "@electric-sql/pglite";
import { PrismaPGlite } from "pglite-prisma-adapter";
import { OperatorError } from "../../errors.js";
import { folderFault, reasonOf } from "./folder-faults.js";
import { lockFolder } from "./folder-lock.js";
import { createClient } from "./prisma-client.js";
import type { Database, DatabaseOptions } from "./types.js";

/** The mode of folders that only their owner may look into. */
const PRIVATE = 0o700;

/**
 * Opens the embedded database in `dataDir`, and creates it if there is none, unless `mayCreate` is false. `onLost` is
 * told why it cannot go on, be it that another process has taken the folder or that PostgreSQL has given up: the process
 * has to end then, at once. Throws OperatorError if the folder cannot be written, has no room, is held by another process,
 * or holds no database that could be opened.
 */
export async function openEmbedded(
  dataDir: string,
  onLost: (error: Error) => void,
  { mayCreate = true, onCreated }: Pick<DatabaseOptions, "mayCreate" | "onCreated"> = {},
): Promise<Database> {
  const folder = join(dataDir, "postgres");
  if (!mayCreate && !(await isFolder(folder))) {
    throw new OperatorError(
      `There is no database in ${resolve(dataDir)}. Set DATA_DIR to the folder of your database, or DATABASE_URL to its URL. To create one there, run npm start, or: npm run gateway -- migrate`,
    );
  }
  try {
    await makeFolder(dataDir);
  } catch (error) {
    throw new OperatorError(
      `DATA_DIR (${dataDir}) cannot be created: ${(error as Error).message}. Choose a folder that this user can write, or set DATABASE_URL.`,
    );
  }
  const lock = await lockFolder(dataDir, onLost);
  try {
    if (!(await isFolder(folder))) {
      await createCluster(folder);
      onCreated?.();
    }
    // PGlite lets everybody read and write its files, and `dataDir` may have been there, open to all. Who may not change
    // that goes on with what whoever may has chosen.
    await chmod(folder, PRIVATE).catch(() => undefined);
    return embeddedDatabase(await start(folder, onLost), lock.release);
  } catch (error) {
    await lock.release();
    throw folderFault(dataDir, reasonOf(error));
  }
}

/** Makes a new database all at once, so that a start which is cut off leaves none that is half there. */
async function createCluster(folder: string): Promise<void> {
  const unfinished = `${folder}-unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: PRIVATE });
  const pglite = await PGlite.create(unfinished);
  await pglite.close();
  await rename(unfinished, folder);
}

/** Starts PostgreSQL, which first repeats what was committed and had not come to the tables when its process was killed. */
async function start(folder: string, onLost: (error: Error) => void): Promise<PGlite> {
  let complaint: string | undefined;
  let isRunning = false;
  // PGlite does not notice that PostgreSQL has given up, as it does when it cannot log a change, and asks it for ever.
  const onAbort = () => {
    if (isRunning) onLost(folderFault(dirname(folder), complaint ?? "PostgreSQL has given up"));
  };
  try {
    const pglite = await PGlite.create(folder, {
      extensions: {
        abort: {
          name: "abort",
          setup: async (_pglite, options) => ({ emscriptenOpts: { ...options, onAbort } }),
        },
      },
      onStderr(line) {
        complaint = /(?:FATAL|PANIC): +(.*)/.exec(line)?.[1] ?? complaint;
        return false;
      },
    });
    isRunning = true;
    return pglite;
  } catch (error) {
    throw new Error(complaint ?? reasonOf(error), { cause: error });
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Makes a folder and those above it, where they are missing. Node's own way loops for ever on `/proc/x`. */
async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  if (parent !== path && !(await isFolder(parent))) await makeFolder(parent);
  await mkdir(path, { mode: PRIVATE }).catch(async (error: Error) => {
    if (!(await isFolder(path))) throw error;
  });
}

/** PGlite copies from a file in memory: a few megabytes at a time keep that small. */
async function* inBlobs(lines: AsyncIterable<string>): AsyncGenerator<Blob> {
  let parts: string[] = [];
  let length = 0;
  for await (const part of lines) {
    parts.push(part);
    length += part.length;
    if (length < 4_000_000) continue;
    yield new Blob(parts);
    [parts, length] = [[], 0];
  }
  if (length > 0) yield new Blob(parts);
}

/** It does one thing at a time, and no time limit ends what it is at. */
const TIME_LIMIT_MS = 10_000;

const PARSERS = { [types.INT8]: Number };

/** Makes a Database of a PGlite instance; `afterClose` runs when it is closed. */
export function embeddedDatabase(pglite: PGlite, afterClose: () => Promise<void>): Database {
  const prisma = createClient(new PrismaPGlite(pglite));
  return {
    prisma,
    timeLimitMs: TIME_LIMIT_MS,
    async select<Row>(text: string, values: readonly unknown[]) {
      return (await pglite.query<Row>(text, [...values], { parsers: PARSERS })).rows;
    },
    async listen(channel, { onMessage }) {
      if (pglite.closed) return { isHearing: () => false, stop: async () => undefined };
      const stop = await pglite.listen(channel, onMessage);
      return {
        isHearing: () => !pglite.closed,
        async stop() {
          if (!pglite.closed) await stop();
        },
      };
    },
    transaction: (work) =>
      pglite.transaction((tx: Transaction) =>
        work({
          async script(sql) {
            await tx.exec(sql);
          },
          async query<Row>(sql: string, parameters: readonly unknown[] = []) {
            return (await tx.query<Row>(sql, [...parameters])).rows;
          },
          async execute(sql, parameters = []) {
            return (await tx.query(sql, [...parameters])).affectedRows ?? 0;
          },
          async copy(target, lines) {
            for await (const blob of inBlobs(lines)) {
              await tx.query(`COPY ${target} FROM '/dev/blob'`, [], { blob });
            }
          },
        }),
      ),
    connections: () => null,
    async close() {
      await prisma.$disconnect();
      if (!pglite.closed) await pglite.close();
      await afterClose();
    },
  };
}
