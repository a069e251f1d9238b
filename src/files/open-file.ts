import { createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { OperatorError } from "../errors.js";

/** A file that can be read once. */
export interface OpenFile {
  /** In bytes; 0 for a pipe. */
  readonly size: number;
  /**
   * Content in chunks of 64 kB. Throws the signal's reason after an abort, and OperatorError if the file cannot be read
   * or has changed.
   */
  readonly chunks: AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** Opens a file of any size. Throws OperatorError if it does not exist or cannot be read. */
export async function openFile(path: string, signal: AbortSignal): Promise<OpenFile> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  const found = await file.stat();
  if (found.isDirectory()) {
    await file.close();
    throw unreadable(path, { code: "EISDIR" });
  }
  async function* readWhole() {
    yield* readChunks(file, path, signal);
    // While a file is being written, its last line may be cut in the middle of an amount.
    const { size, mtimeMs } = await file.stat();
    if (!found.isFile() || (size === found.size && mtimeMs === found.mtimeMs)) return;
    throw new OperatorError(`${path} changed while it was being read. Try again when it is complete.`);
  }
  return { size: found.size, chunks: readWhole(), close: () => file.close() };
}

async function* readChunks(file: FileHandle, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const chunks = file.createReadStream({ highWaterMark: 64 * 1024, autoClose: false, signal });
  // If the signal was already aborted, the stream fails again after its reader has stopped listening.
  chunks.on("error", () => undefined);
  try {
    yield* chunks;
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(path, error);
  }
}

/**
 * Reads a UTF-8 file of at most `maxBytes`. Throws `tooLarge` if it is larger, and OperatorError if it does not exist,
 * cannot be read or is not UTF-8.
 */
export async function readTextFile(path: string, maxBytes: number, tooLarge: Error): Promise<string> {
  const parts: Buffer[] = [];
  try {
    if ((await stat(path)).size > maxBytes) throw tooLarge;
    let length = 0;
    // The size of a pipe is not known in advance.
    for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length > maxBytes) throw tooLarge;
    }
  } catch (error) {
    throw error === tooLarge ? error : unreadable(path, error);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new OperatorError(`${path} is not valid UTF-8.`);
  }
}

function unreadable(path: string, error: unknown): OperatorError {
  const { code } = error as NodeJS.ErrnoException;
  return new OperatorError(`${path} ${code === "ENOENT" ? "does not exist" : `cannot be read: ${code}`}.`);
}
