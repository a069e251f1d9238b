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

/** The running version, such as `2.0.0`. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(fromRoot("package.json"), "utf8")) as { version: string }).version;
}

/** Returns the commit that was built; null if the build had no Git, and for sources that are not built. */
export function readCommit(): string | null {
  try {
    return readFileSync(new URL("commit", import.meta.url), "utf8").trim();
  } catch {
    return null;
  }
}

/** Returns the version, with the commit if it is known: `2.0.0 (0123456789ab)`. */
export function describeVersion(): string {
  const commit = readCommit();
  return readVersion() + (commit === null ? "" : ` (${commit})`);
}
