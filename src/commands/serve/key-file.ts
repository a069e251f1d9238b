import { constants } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";

/** The content of a key file. */
export interface KeyFile {
  /** Trimmed. */
  readonly text: string;
  /** True if only its owner can read the file. */
  readonly isPrivate: boolean;
}

/**
 * Flags for opening a key file without following a link, which could point anywhere, or waiting for the writer of a
 * pipe.
 */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads a key file; null if it does not exist or cannot be read. Reads a link or pipe as a file without a key. */
export async function readKeyFile(path: string): Promise<KeyFile | null> {
  try {
    const file = await open(path, OPEN_FLAGS);
    try {
      const found = await file.stat();
      const text = found.isFile() || found.isDirectory() ? await file.readFile("utf8") : "";
      return { text: text.trim(), isPrivate: (found.mode & 0o077) === 0 };
    } finally {
      await file.close();
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ELOOP" ? { text: "", isPrivate: false } : null;
  }
}

/** Writes a key to a file that only its owner can read, atomically replacing an existing file. */
export async function replaceKeyFile(path: string, key: string): Promise<void> {
  const unfinished = `${path}-unfinished`;
  await rm(unfinished, { force: true });
  await writeFile(unfinished, `${key}\n`, { mode: 0o600, flag: "wx" });
  await rename(unfinished, path);
}
