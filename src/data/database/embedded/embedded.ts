import { chmod, cp, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import { PGlite, type Transaction, types } from "@electric-sql/pglite";
import { PrismaPGlite } from "pglite-prisma-adapter";
import { OperatorError } from "../../../errors.js";
import { createClient } from "../prisma-client.js";
import { BEGIN_SNAPSHOT, createStream } from "../snapshot.js";
import type { Database, DatabaseOptions, Snapshot } from "../types.js";
import { createWriteQueues } from "../write-queues.js";
import { folderFault, reasonOf } from "./folder-faults.js";
import { lockFolder } from "./folder-lock.js";

// Amount of PostgreSQL's code that V8 runs before optimizing it. Node.js 20 starts optimizing after a tenth of that,
// and spends a third of the CPU time of a start or a command on functions that do not run again.
setFlagsFromString("--wasm-tiering-budget=20000000");

/** File mode of a folder that only its owner can access. */
const PRIVATE = 0o700;

/**
 * Opens the embedded database in `dataDir`. Creates it if missing, unless `mayCreate` is false. Calls `onLost` with the
 * reason if another process takes over the folder or PostgreSQL aborts; the process must then exit at once. Throws
 * OperatorError if the folder is not writable, is full, is in use by another process, contains a database that cannot
 * be opened, or lacks one that must not be created.
 */
export async function openEmbedded(
  dataDir: string,
  onLost: (error: Error) => void,
  {
    mayCreate = true,
    prepared,
    onCreated,
    warn,
  }: Pick<DatabaseOptions, "mayCreate" | "prepared" | "onCreated" | "warn"> = {},
): Promise<Database> {
  const folder = postgresFolder(dataDir);
  if (!mayCreate && !(await isFolder(folder))) {
    throw new OperatorError(
      `No database in ${resolve(dataDir)}. Set DATA_DIR to the folder of your database, or DATABASE_URL to its URL. To create one there, set DATA_DIR to it and run npm start, or: npm run gateway -- migrate`,
    );
  }
  try {
    await makeFolder(dataDir);
  } catch (error) {
    throw new OperatorError(
      `DATA_DIR (${dataDir}) cannot be created: ${(error as Error).message}. Choose a folder that this user can write to, or set DATABASE_URL.`,
    );
  }
  const lock = await lockFolder(dataDir, onLost);
  try {
    if (!(await isFolder(folder))) {
      await createCluster(folder, prepared && postgresFolder(prepared));
      onCreated?.();
    }
    // PGlite creates files that everyone can read and write, and `dataDir` may have existed with open access. If this
    // user may not change the mode, the owner's choice applies.
    await chmod(folder, PRIVATE).catch(() => undefined);
    return embeddedDatabase(await start(folder, onLost), lock.release, warn);
  } catch (error) {
    await lock.release();
    throw folderFault(dataDir, reasonOf(error));
  }
}

const postgresFolder = (dataDir: string) => join(dataDir, "postgres");

/**
 * Creates a database atomically, so that an interrupted start does not leave half of one. Copies the prepared one, if
 * any.
 */
async function createCluster(folder: string, prepared: string | undefined): Promise<void> {
  const unfinished = `${folder}-unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: PRIVATE });
  if (prepared !== undefined && (await isFolder(prepared))) {
    await cp(prepared, unfinished, { recursive: true });
  } else {
    const pglite = await PGlite.create(unfinished);
    await pglite.close();
  }
  await rename(unfinished, folder);
}

/** Starts PostgreSQL, which first recovers committed data if its last process was killed. */
async function start(folder: string, onLost: (error: Error) => void): Promise<PGlite> {
  let fatalMessage: string | undefined;
  let isRunning = false;
  // PostgreSQL aborts if it cannot write its log, for example. PGlite does not notice that, and would wait forever.
  const onAbort = () => {
    if (isRunning) onLost(folderFault(dirname(folder), fatalMessage ?? "PostgreSQL has aborted"));
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
        fatalMessage = /(?:FATAL|PANIC): +(.*)/.exec(line)?.[1] ?? fatalMessage;
        return false;
      },
    });
    isRunning = true;
    return pglite;
  } catch (error) {
    throw new Error(fatalMessage ?? reasonOf(error), { cause: error });
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Creates a folder and its missing parents. Node's recursive mkdir loops forever on `/proc/x`. */
async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  if (parent !== path && !(await isFolder(parent))) await makeFolder(parent);
  await mkdir(path, { mode: PRIVATE }).catch(async (error: Error) => {
    if (!(await isFolder(path))) throw error;
  });
}

/** Number of bytes to copy at a time, which takes some ten milliseconds. */
const BLOB_BYTES = 100_000;
const LF = 0x0a;

/** Divides lines into blobs, each of whole lines, since PGlite copies from a file in memory. */
async function* inBlobs(lines: AsyncIterable<string | Buffer>): AsyncGenerator<Blob> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of lines) {
    const bytes = Buffer.concat([rest, Buffer.from(part as string)]);
    let start = 0;
    while (bytes.length - start >= BLOB_BYTES) {
      const last = bytes.lastIndexOf(LF, start + BLOB_BYTES - 1) + 1;
      // A line may be longer than a blob.
      const end = last > start ? last : bytes.indexOf(LF, start) + 1;
      if (end === 0) break;
      yield new Blob([bytes.subarray(start, end)]);
      start = end;
    }
    rest = bytes.subarray(start);
  }
  if (rest.length > 0) yield new Blob([rest]);
}

/** Makes a cursor follow an index: sorting or hashing all rows in its first statement would block the event loop. */
const IN_PAGES = "SET LOCAL enable_sort = off; SET LOCAL enable_hashjoin = off";

const snapshotOf = (tx: Transaction, close: Snapshot["close"]): Snapshot => ({
  query: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
    (await tx.query<Row>(sql, [...parameters], { parsers: PARSERS })).rows,
  stream: createStream(
    async (sql, parameters) =>
      (await tx.query<(string | null)[]>(sql, [...parameters], { rowMode: "array" })).rows,
  ),
  close,
});

/** Longer than on a server: PGlite runs one statement at a time, and no timeout ends a running one. */
const TIME_LIMIT_MS = 10_000;

const PARSERS = { [types.INT8]: Number };

/** Wraps a PGlite instance as a Database. `afterClose` runs once it is closed. */
export function embeddedDatabase(
  pglite: PGlite,
  afterClose: () => Promise<void>,
  warn: Database["warn"] = () => undefined,
): Database {
  const prisma = createClient(new PrismaPGlite(pglite));
  return {
    prisma,
    timeLimitMs: TIME_LIMIT_MS,
    async select<Row>(text: string, values: readonly unknown[]) {
      return (await pglite.query<Row>(text, [...values], { parsers: PARSERS })).rows;
    },
    async listen(channel, { onMessage }) {
      if (pglite.closed) return { isListening: () => false, stop: async () => undefined };
      const stop = await pglite.listen(channel, onMessage);
      return {
        isListening: () => !pglite.closed,
        async stop() {
          if (!pglite.closed) await stop();
        },
      };
    },
    writeQueues: createWriteQueues(),
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
            const { rows } = await tx.query<{ role: string }>("SELECT current_setting('role') AS role");
            // Only a superuser may copy from a file.
            await tx.exec("SET LOCAL ROLE NONE");
            for await (const blob of inBlobs(lines)) {
              await tx.query(`COPY ${target} FROM '/dev/blob'`, [], { blob });
            }
            await tx.query("SELECT set_config('role', $1, true)", [rows[0]?.role]);
          },
        }),
      ),
    openSnapshot: () =>
      new Promise<Snapshot>((resolve, reject) => {
        const over = pglite.transaction(async (tx) => {
          await tx.exec(`${BEGIN_SNAPSHOT}; ${IN_PAGES}`);
          await new Promise<void>((end) => {
            const close = () => {
              end();
              return over;
            };
            resolve(snapshotOf(tx, close));
          });
        });
        over.catch(reject);
      }),
    warn,
    connections: () => null,
    async close() {
      await prisma.$disconnect();
      if (!pglite.closed) await pglite.close();
      await afterClose();
    },
  };
}
