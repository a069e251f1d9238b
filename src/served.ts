import { scopesOfDocument } from "./graphql/schema/document-scopes.js";
import { ownSchema } from "./graphql/schema/schema.js";
import { ext } from "./rest/ext/index.js";
import { describeApi } from "./rest/openapi/openapi.js";
import { createV1, type V1Parts } from "./rest/v1/index.js";

// Exports of the built server for tests, which start it in their own process.
export { startApp } from "./app.js";
export { readConfig } from "./config.js";
export { embeddedDatabase } from "./data/database/embedded/embedded.js";
export { openPostgres } from "./data/database/server/postgres.js";

/** Returns /openapi.json of a gateway, without starting one. */
export function describeOwnApi() {
  const parts = { accounts: {}, importing: {}, exporting: {}, certified: {} } as V1Parts;
  return describeApi([ext, createV1(ownSchema(), parts, scopesOfDocument)]);
}
