import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

export interface ReplacedFile {
  readonly bytes: number;
  /** SHA-256 of its content, in hexadecimal. */
  readonly sha256: string;
}

/**
 * Replaces a file atomically: writes a temporary file next to it, then renames that. If it rejects, the existing file
 * is unchanged. Only this user may read the file, because it holds an organization's data.
 */
export async function replaceFile(
  path: string,
  chunks: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<ReplacedFile> {
  const unfinished = `${path}.${randomUUID()}.partial`;
  const sha256 = createHash("sha256");
  let bytes = 0;
  const file = await open(unfinished, "wx", 0o600);
  try {
    try {
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        sha256.update(chunk);
        bytes += chunk.length;
        await file.writeFile(chunk);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    return { bytes, sha256: sha256.digest("hex") };
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
