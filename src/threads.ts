import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Piscina } from "piscina";
import { once } from "./domain/once.js";

export interface ThreadsOptions {
  readonly maxThreads: number;
  /** Time without work in milliseconds after which a thread ends, with everything that it remembers. */
  readonly idleMs: number;
}

const isBuilt = import.meta.url.endsWith(".js");

/** Option of Node.js to load TypeScript, which sources are. `--import tsx` does nothing in a thread. */
function loadTypeScript(): string[] {
  const api = pathToFileURL(createRequire(import.meta.url).resolve("tsx/esm/api")).href.replace(
    /cjs$/,
    "mjs",
  );
  return ["--import", `data:text/javascript,import{register}from"${api}";register()`];
}

/**
 * Creates a pool of threads, started on first use, that run the functions which `module` exports. `module` is the URL of
 * an entry of .config/vite-server.ts in its built form, such as `new URL("matching.js", import.meta.url)`. On Linux the
 * threads have a lower priority than the one that serves requests.
 */
export const createThreads = (module: URL, { maxThreads, idleMs }: ThreadsOptions): (() => Piscina) =>
  once(
    () =>
      new Piscina({
        filename: isBuilt ? module.href : module.href.replace(/\.js$/, ".ts"),
        ...(!isBuilt && { execArgv: loadTypeScript() }),
        minThreads: 0,
        maxThreads,
        idleTimeout: idleMs,
        niceIncrement: 5,
      }),
  );
