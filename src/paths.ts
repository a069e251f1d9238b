import { fileURLToPath } from "node:url";

// From src/ and from dist/ alike, these lie one folder up.
const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export const PACKAGE_FILE = fromRoot("package.json");
export const SCHEMA_FILE = fromRoot("schema.graphql");
export const MIGRATIONS_FOLDER = fromRoot("prisma/migrations");
export const SAMPLE_FOLDER = fromRoot("prisma/sample");
