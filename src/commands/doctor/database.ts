import type { Config } from "../../config.js";
import { readServerState } from "../../data/database/server-state.js";
import type { Database } from "../../data/database/types.js";
import { examineContent } from "./content.js";
import { type Finding, fail, ok, reasonOf } from "./finding.js";
import { examineFolder } from "./folder.js";
import { open } from "./open.js";
import { examineServer } from "./server.js";

export async function examineDatabase(config: Config, clock: () => Date): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) return examineServer(config, clock);
  const { finding, exists } = await examineFolder(config);
  return exists && finding.status === "ok" ? [finding, ...(await examineEmbedded(config, clock))] : [finding];
}

async function examineEmbedded(config: Config, clock: () => Date): Promise<Finding[]> {
  let database: Database | undefined;
  try {
    database = await open(config);
    const { version } = await readServerState(database);
    const next = "The next start of the gateway applies them.";
    return [
      ok("database", `The embedded database opens (PostgreSQL ${version}).`),
      ...(await examineContent(database, config, clock(), next)),
    ];
  } catch (error) {
    return [fail("database", reasonOf(error), "Repair the folder, or restore it from a backup.")];
  } finally {
    await database?.close();
  }
}
