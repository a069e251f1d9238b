import { pathToFileURL } from "node:url";
import type * as Served from "../../src/served.js";
import { SERVED } from "./main-file.js";

/** The parts of the server that tests start in their own process, from the built files that users run. */
export const { describeOwnApi, embeddedDatabase, openPostgres, readConfig, startApp }: typeof Served =
  await import(/* @vite-ignore */ pathToFileURL(SERVED).href);
