import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// One folder up from both src/ and dist/.
const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export const SCHEMA_FILE = fromRoot("schema.graphql");
export const DOCS_FOLDER = fromRoot("docs");
export const MIGRATIONS_FOLDER = fromRoot("prisma/migrations");
export const REFERENCE_FOLDER = fromRoot("prisma/reference");
export const SAMPLE_FOLDER = fromRoot("prisma/sample");
/** A migrated database with the reference factors, created by `npm run build`. New embedded databases start from it. */
export const PREPARED_DATABASE_FOLDER = fromRoot("dist/database");
/** Output of `npm run build:console`. */
export const CONSOLE_FOLDER = fromRoot("dist/console");

/** Returns the running version. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(fromRoot("package.json"), "utf8")) as { version: string }).version;
}
