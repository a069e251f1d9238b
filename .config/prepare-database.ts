// Prepares a copy of a new embedded database, because creating, migrating and filling one takes most of a first start.
import { rename, rm } from "node:fs/promises";
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
await remove(PREPARED_DATABASE_FOLDER);
await rename(unfinished, PREPARED_DATABASE_FOLDER);
