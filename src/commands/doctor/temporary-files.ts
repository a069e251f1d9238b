import { findTemporaryFault } from "../../files/spool.js";
import { type Finding, fail, ok } from "./finding.js";

/** Checks that imports and exports can store their files. */
export async function examineTemporaryFiles(): Promise<Finding[]> {
  const check = "temporary files";
  const fault = await findTemporaryFault();
  if (fault === null) return [ok(check, "The folder for temporary files is writable.")];
  const mend =
    "Set TMPDIR to a folder on disk that this user can write to. Until then, imports and exports fail.";
  return [fail(check, `${fault}.`, mend)];
}
