import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../../config.js";
import { findHolder } from "../../data/database/embedded/folder-lock.js";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.js";

/** Checks the folder of an embedded database without changing it. */
export async function examineFolder({
  dataDir,
  mayCreateDatabase,
}: Pick<Config, "dataDir" | "mayCreateDatabase">): Promise<{ finding: Finding; exists: boolean }> {
  const check = "data folder";
  const mend = "Choose a folder that this user can write to, or set DATABASE_URL.";
  const kind = await kindOf(dataDir);
  const exists = kind === "folder" && (await kindOf(join(dataDir, "postgres"))) === "folder";
  if (kind === "file")
    return { finding: fail(check, `DATA_DIR (${dataDir}) is not a folder.`, mend), exists };
  const nearest = kind === "folder" ? dataDir : await findParent(resolve(dataDir));
  try {
    if ((await kindOf(nearest)) !== "folder") throw new Error(`${nearest} is not a folder`);
    await access(nearest, constants.W_OK | constants.X_OK);
  } catch (error) {
    return {
      finding: fail(check, `DATA_DIR (${dataDir}) cannot be written: ${reasonOf(error)}.`, mend),
      exists,
    };
  }
  if (!exists && !mayCreateDatabase) {
    const finding = fail(
      check,
      "DATABASE_URL is not set, and there is no embedded database. In production, only a DATA_DIR that is set gets one.",
      "Set DATABASE_URL, or DATA_DIR to create an embedded database.",
    );
    return { finding, exists };
  }
  if (kind === "absent") {
    return {
      finding: ok(check, `DATA_DIR (${dataDir}) does not exist yet; the first start creates it.`),
      exists,
    };
  }
  const holder = await findHolder(dataDir);
  if (holder !== null) {
    const finding = warn(
      check,
      `DATA_DIR (${dataDir}) is in use by ${holder}, so the database in it was not checked.`,
      "This is normal while the gateway runs. Otherwise stop that process, or choose another folder.",
    );
    return { finding, exists };
  }
  const what = exists ? "is writable and not in use" : "is writable and contains no database yet";
  return { finding: ok(check, `DATA_DIR (${dataDir}) ${what}.`), exists };
}

async function kindOf(path: string): Promise<"folder" | "file" | "absent"> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch {
    return "absent";
  }
}

/** Returns the nearest existing parent folder. */
async function findParent(path: string): Promise<string> {
  const parent = dirname(path);
  return parent === path || (await kindOf(parent)) !== "absent" ? parent : findParent(parent);
}
