import { pathToFileURL } from "node:url";
import * as sources from "../../src/served.js";
import { SERVED } from "./main-file.js";

/** The parts of the server that tests start in their own process. */
export type Served = typeof sources;

/** Loads the parts from the sources, or from the built files that users run. */
export async function loadServed(isBuilt: boolean): Promise<Served> {
  return isBuilt ? await import(/* @vite-ignore */ pathToFileURL(SERVED).href) : sources;
}
