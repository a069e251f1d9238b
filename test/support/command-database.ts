import { cp } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { openEmbedded } from "../../src/data/database/embedded/embedded.js";
import { embeddedTestDatabase, openTestDatabase, type TestDatabase } from "./database.js";
import { makeFolder, temporaryFolder } from "./process.js";

/** A migrated database for commands that run as separate processes. */
export interface CommandDatabase {
  /** The environment variable that points a command to it. */
  readonly env: { DATABASE_URL: string } | { DATA_DIR: string };
  /** Opens it for `work` in this process; an embedded one is locked for commands in the meantime. */
  use<T>(work: (database: TestDatabase) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Creates a database. An embedded one is in `path`, by default a new folder. */
export async function makeCommandDatabase(path?: string): Promise<CommandDatabase> {
  const template = inject("template");
  if (template.kind === "postgres") {
    const database = await openTestDatabase();
    return {
      env: { DATABASE_URL: database.url ?? "" },
      use: (work) => work(database),
      close: () => database.close(),
    };
  }
  const folder = path === undefined ? makeFolder() : { path, remove: () => undefined };
  await copyTemplate(folder.path);
  return {
    env: { DATA_DIR: folder.path },
    async use(work) {
      const database = await openEmbedded(folder.path, (error) => {
        throw error;
      });
      try {
        return await work(embeddedTestDatabase(database));
      } finally {
        await database.close();
      }
    },
    async close() {
      folder.remove();
    },
  };
}

/** Returns a DATA_DIR with a migrated, empty database, so that `serve` starts faster. Removed after the test. */
export async function migratedFolder(): Promise<string> {
  const path = temporaryFolder();
  await copyTemplate(path);
  return path;
}

async function copyTemplate(dataDir: string): Promise<void> {
  const template = inject("template");
  if (template.kind === "embedded") await cp(template.folder, join(dataDir, "postgres"), { recursive: true });
}
