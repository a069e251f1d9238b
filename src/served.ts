// Exports of the built server for tests, which start it in their own process.
export { startApp } from "./app.js";
export { readConfig } from "./config.js";
export { embeddedDatabase } from "./data/database/embedded/embedded.js";
export { openPostgres } from "./data/database/server/postgres.js";
