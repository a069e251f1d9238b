import { openPostgres } from "./server/postgres.js";
import type { Database, DatabaseOptions } from "./types.js";

/**
 * Opens the database: the server at `url`, or else the embedded one in `dataDir`. Throws OperatorError if the folder is
 * in use by another process or cannot be written, or if it holds no database and none may be created.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.url !== undefined) return openPostgres(options.url, options);
  const { openEmbedded } = await import("./embedded/embedded.js");
  return openEmbedded(options.dataDir, options.onLost, options);
}
