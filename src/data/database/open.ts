import { openPostgres } from "./server/postgres.js";
import { withTlsMode } from "./server/tls.js";
import type { Database, DatabaseOptions } from "./types.js";

/**
 * Opens the server at `url`, or else the embedded database in `dataDir`, for which it throws the same errors as
 * `openEmbedded`.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, directUrl, replicaUrls = [] } = options;
  if (url !== undefined)
    return openPostgres(await withTlsMode(url), {
      ...options,
      directUrl: directUrl && (await withTlsMode(directUrl)),
      replicaUrls: await Promise.all(replicaUrls.map(withTlsMode)),
    });
  const { openEmbedded } = await import("./embedded/embedded.js");
  return openEmbedded(options.dataDir, options.onLost, options);
}
