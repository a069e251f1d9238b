import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../errors.js";

/** Content written to disk. */
export interface Spooled {
  /** 64 kB each. */
  readonly chunks: AsyncIterable<Buffer>;
  close(): Promise<void>;
}

export interface SpoolOptions {
  /** Maximum number of bytes on disk, for all files together. */
  readonly maxBytes: number;
  /** Creates the error for a file that does not fit. */
  readonly refuse: () => Error;
}

/** Opens a file in the folder for temporary files. On Linux and macOS an open file needs no name. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `carbon-gateway-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}

/** Throws the error for a folder that cannot be written. The log has the cause, with the path. */
function refuseStorage(cause: NodeJS.ErrnoException): never {
  const message = `The gateway cannot store files, because its folder for temporary files cannot be written (${cause.code}). Nothing was changed.`;
  throw new AppError("INTERNAL_ERROR", message, { status: 503, headers: { "Retry-After": "30" }, cause });
}

/** Returns why the folder for temporary files cannot be written; null if it can. */
export async function findTemporaryFault(): Promise<string | null> {
  try {
    const file = await openUnnamed();
    await file.writeFile("x").finally(() => file.close());
    return null;
  } catch (error) {
    return `The folder for temporary files (${tmpdir()}) cannot be written: ${(error as Error).message}`;
  }
}

/** Writes chunks to disk, and resolves once all of them have arrived. */
export type Spool = (chunks: AsyncIterable<Buffer>) => Promise<Spooled>;

/**
 * Creates a function that writes chunks to a temporary file. Only this user can read the file, and it disappears when
 * the process ends.
 */
export function createSpool({ maxBytes, refuse }: SpoolOptions): Spool {
  let used = 0;
  return async (chunks) => {
    const file = await openUnnamed().catch(refuseStorage);
    let size = 0;
    const close = async () => {
      await file.close();
      used -= size;
      size = 0;
    };
    // The stream is created on first read, because closing the file would wait for a stream that nobody reads.
    async function* read(): AsyncGenerator<Buffer> {
      yield* file.createReadStream({ start: 0, autoClose: false });
    }
    try {
      for await (const chunk of chunks) {
        if (used + chunk.length > maxBytes) throw refuse();
        used += chunk.length;
        size += chunk.length;
        await file.writeFile(chunk).catch(refuseStorage);
      }
    } catch (error) {
      await close();
      throw error;
    }
    return { chunks: read(), close };
  };
}
