import { mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PGlite, type Transaction, types } from "@electric-sql/pglite";
import { PrismaPGlite } from "pglite-prisma-adapter";
import { OperatorError } from "../errors.js";
import { createClient, type Database } from "./database.js";
import { lockFolder } from "./folder-lock.js";

/**
 * Opens, and at first creates, the embedded database in `dataDir`. Throws OperatorError where the folder cannot be
 * written or another process holds it.
 */
export async function openEmbedded(dataDir: string, onLockLost: (error: Error) => void): Promise<Database> {
  try {
    await makeFolder(dataDir);
  } catch (error) {
    throw new OperatorError(
      `DATA_DIR (${dataDir}) cannot be created: ${(error as Error).message}. Choose a folder that this user can write, or set DATABASE_URL.`,
    );
  }
  const lock = await lockFolder(dataDir, onLockLost);
  try {
    const pglite = await PGlite.create(join(dataDir, "postgres"));
    return embeddedDatabase(pglite, lock.release);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Makes a folder and those above it, where they are missing. Node's own way loops for ever on `/proc/x`. */
async function makeFolder(path: string): Promise<void> {
  const isFolder = (at: string) =>
    stat(at).then(
      (found) => found.isDirectory(),
      () => false,
    );
  const parent = dirname(path);
  if (parent !== path && !(await isFolder(parent))) await makeFolder(parent);
  await mkdir(path, { mode: 0o700 }).catch(async (error: Error) => {
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

const PARSERS = { [types.INT8]: BigInt };

/** Makes a Database of a PGlite instance; `afterClose` runs when it is closed. */
export function embeddedDatabase(pglite: PGlite, afterClose: () => Promise<void>): Database {
  const prisma = createClient(new PrismaPGlite(pglite));
  return {
    prisma,
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
    async close() {
      await prisma.$disconnect();
      if (!pglite.closed) await pglite.close();
      await afterClose();
    },
  };
}
