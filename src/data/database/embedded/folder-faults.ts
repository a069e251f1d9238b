import { OperatorError } from "../../../errors.js";

/** WASI error numbers, which errors of the embedded database have instead of Node's codes. */
const WASI_CODES: Readonly<Record<number, string>> = {
  2: "EACCES",
  19: "EDQUOT",
  22: "EFBIG",
  29: "EIO",
  33: "EMFILE",
  51: "ENOSPC",
  63: "EPERM",
  69: "EROFS",
};

const IS_FULL = /ENOSPC|EDQUOT|EFBIG|no space left|quota exceeded|file too large/i;
const IS_REFUSED = /EACCES|ENOENT|EPERM|EROFS|permission denied|not permitted|read-only/i;

/** V8's and Emscripten's words. */
const IS_OUT_OF_MEMORY = /out of memory|could not allocate memory|cannot (allocate|enlarge) memory/i;

/** Returns the advice for a process that gets no more memory; undefined for other failures. */
export const findMemoryFault = (reason: string): string | undefined =>
  IS_OUT_OF_MEMORY.test(reason)
    ? `The process gets no more memory: ${reason}. No completed change was lost. Raise its limit (of the container, or ulimit -v), or set DATABASE_URL to run without the embedded database.`
    : undefined;

/** Returns the reason why an operation in an embedded database's folder failed, in the system's words if possible. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  const { errno } = error as { errno?: unknown };
  return typeof errno === "number" ? (WASI_CODES[errno] ?? `error ${errno}`) : String(error);
}

/** Creates the error for a folder that the embedded database cannot use. */
export function folderFault(dataDir: string, reason: string): OperatorError {
  const memoryFault = findMemoryFault(reason);
  if (memoryFault !== undefined) return new OperatorError(memoryFault);
  if (IS_FULL.test(reason)) {
    return new OperatorError(
      `DATA_DIR (${dataDir}) is full: ${reason}. Free some space and run this again. No completed change was lost.`,
    );
  }
  if (IS_REFUSED.test(reason)) {
    return new OperatorError(
      `DATA_DIR (${dataDir}) cannot be written: ${reason}. Choose a folder that this user can write to, or set DATABASE_URL.`,
    );
  }
  return new OperatorError(
    `Cannot use the database in DATA_DIR (${dataDir}): ${reason}. Run this again. If that does not help, restore a backup of the folder, choose another DATA_DIR, or set DATABASE_URL.`,
  );
}
