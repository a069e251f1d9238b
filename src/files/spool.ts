import { randomUUID } from "node:crypto";
import { open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What was put aside on disk. */
export interface Spooled {
  /** 64 kB at a time. */
  readonly chunks: AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** Puts chunks aside in a temporary file, which only this user can read and which a crash removes, too. */
export async function spool(chunks: AsyncIterable<Buffer>): Promise<Spooled> {
  const path = join(tmpdir(), `carbon-gateway-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  try {
    // On Linux and macOS an open file needs no name.
    await unlink(path);
    for await (const chunk of chunks) await file.writeFile(chunk);
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    chunks: file.createReadStream({ start: 0, autoClose: false }),
    close: () => file.close(),
  };
}
