import { cp } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { openEmbedded } from "../../src/data/database/embedded/embedded.js";
import { embeddedTestDatabase, openTestDatabase, type TestDatabase } from "./database.js";
import { makeFolder, temporaryFolder } from "./process.js";

/** A migrated database that commands run on as processes of their own. */
export interface CommandDatabase {
  /** The variable that points a command to it. */
  readonly env: { DATABASE_URL: string } | { DATA_DIR: string };
  /** Gives it to `work` in this process; a command that runs meanwhile finds an embedded one held. */
  use<T>(work: (database: TestDatabase) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Makes one; an embedded one in `path`, or a folder of its own. */
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

/** A DATA_DIR that is removed after the test, with a migrated and empty database: `serve` starts sooner on it than on none. */
export async function migratedFolder(): Promise<string> {
  const path = temporaryFolder();
  await copyTemplate(path);
  return path;
}

async function copyTemplate(dataDir: string): Promise<void> {
  const template = inject("template");
  if (template.kind === "embedded") await cp(template.folder, join(dataDir, "postgres"), { recursive: true });
}
