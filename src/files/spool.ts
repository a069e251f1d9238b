import { randomUUID } from "node:crypto";
import { open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

/** Writes chunks to disk, and resolves once all of them have arrived. */
export type Spool = (chunks: AsyncIterable<Buffer>) => Promise<Spooled>;

/**
 * Creates a function that writes chunks to a temporary file. Only this user can read the file, and it disappears when
 * the process ends.
 */
export function createSpool({ maxBytes, refuse }: SpoolOptions): Spool {
  let used = 0;
  return async (chunks) => {
    const path = join(tmpdir(), `carbon-gateway-${randomUUID()}`);
    const file = await open(path, "wx+", 0o600);
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
      // On Linux and macOS an open file needs no name.
      await unlink(path);
      for await (const chunk of chunks) {
        if (used + chunk.length > maxBytes) throw refuse();
        used += chunk.length;
        size += chunk.length;
        await file.writeFile(chunk);
      }
    } catch (error) {
      await close();
      throw error;
    }
    return { chunks: read(), close };
  };
}
