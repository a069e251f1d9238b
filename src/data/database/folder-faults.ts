import { OperatorError } from "../../errors.js";

/** Codes of WASI, which the embedded database's failures have in the place of Node's. */
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

/** Why something failed in an embedded database's folder, in the words of the system where it has any. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  const { errno } = error as { errno?: unknown };
  return typeof errno === "number" ? (WASI_CODES[errno] ?? `error ${errno}`) : String(error);
}

/** What keeps the folder of an embedded database from being used, and what to do about it. */
export function folderFault(dataDir: string, reason: string): OperatorError {
  if (IS_FULL.test(reason)) {
    return new OperatorError(
      `DATA_DIR (${dataDir}) has no room left: ${reason}. Free some space there, and run this again. Nothing is lost of what was reported as done.`,
    );
  }
  if (IS_REFUSED.test(reason)) {
    return new OperatorError(
      `DATA_DIR (${dataDir}) cannot be written: ${reason}. Choose a folder that this user can write, or set DATABASE_URL.`,
    );
  }
  return new OperatorError(
    `The database in DATA_DIR (${dataDir}) cannot be used: ${reason}. Run this again; if that does not help, restore a copy of the folder, choose another DATA_DIR, or set DATABASE_URL.`,
  );
}
