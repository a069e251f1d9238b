import { readFile } from "node:fs/promises";
import type { Accounts } from "../../src/actions/accounts/accounts.js";
import { scopesOfDocument } from "../../src/graphql/schema/document-scopes.js";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import type { Endpoint } from "../../src/rest/endpoint.js";
import type { Importing } from "../../src/rest/v1/emissions/import.js";
import { createV1 } from "../../src/rest/v1/index.js";
import type { Certified } from "../../src/rest/v1/verification/verify.js";

/** The endpoints of the wider API as they are defined. Those that need more than the schema cannot be called. */
export async function listV1(): Promise<readonly Endpoint[]> {
  const schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
  const parts = { accounts: {} as Accounts, importing: {} as Importing, certified: {} as Certified };
  return createV1(schema, parts, scopesOfDocument).endpoints;
}
