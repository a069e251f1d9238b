import { openPostgres } from "./server/postgres.js";
import type { Database, DatabaseOptions } from "./types.js";

/**
 * Opens the server at `url`, or else the embedded database in `dataDir`, for which it throws the same errors as
 * `openEmbedded`.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.url !== undefined) return openPostgres(options.url, options);
  const { openEmbedded } = await import("./embedded/embedded.js");
  return openEmbedded(options.dataDir, options.onLost, options);
}
