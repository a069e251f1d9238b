import { openPostgres } from "./server/postgres.js";
import type { Database, DatabaseOptions } from "./types.js";

/**
 * Opens the server at `url`, or else the embedded database in `dataDir`. Throws OperatorError if another process uses
 * the folder, if it is not writable, or if it contains no database and `mayCreate` is false.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.url !== undefined) return openPostgres(options.url, options);
  const { openEmbedded } = await import("./embedded/embedded.js");
  return openEmbedded(options.dataDir, options.onLost, options);
}
