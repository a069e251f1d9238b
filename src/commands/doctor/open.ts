import type { Config } from "../../config.js";
import { openDatabase } from "../../data/database/open.js";
import type { Database } from "../../data/database/types.js";
import { STATEMENT_TIMEOUT_MS } from "../serve/serve.js";

/** Opens the database like `serve`. Exits the process if an embedded database is lost. */
export function open({ databaseUrl: url, databaseDirectUrl: directUrl, dataDir }: Config): Promise<Database> {
  return openDatabase({
    url,
    directUrl,
    dataDir,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onError: () => undefined,
    onLost: (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    },
  });
}
