// Prepares a copy of a new embedded database, because creating, migrating and filling one takes most of a first start.
import { chmod, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { loadFactors } from "../src/actions/factors/load-factors.js";
import { openEmbedded } from "../src/data/database/embedded/embedded.js";
import { migrate } from "../src/data/database/schema/migrations.js";
import { MIGRATIONS_FOLDER, PREPARED_DATABASE_FOLDER, REFERENCE_FOLDER } from "../src/paths.js";

const unfinished = `${PREPARED_DATABASE_FOLDER}-unfinished`;
const remove = (folder: string) => rm(folder, { recursive: true, force: true });

await remove(unfinished);
const database = await openEmbedded(unfinished, (error) => {
  throw error;
});
await migrate(database, MIGRATIONS_FOLDER);
await loadFactors(database, REFERENCE_FOLDER);
await database.close();
// PostgreSQL's files are private. Whoever may read the build may copy these.
for (const entry of await readdir(unfinished, { recursive: true, withFileTypes: true }))
  await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
await chmod(unfinished, 0o755);
await remove(PREPARED_DATABASE_FOLDER);
await rename(unfinished, PREPARED_DATABASE_FOLDER);
