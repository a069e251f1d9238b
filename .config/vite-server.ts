import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

/**
 * Escapes characters that V8 stores in two bytes. V8 keeps the source of each file while the server runs, and one such
 * character doubles its size.
 */
const inOneByte: Plugin = {
  name: "in-one-byte",
  renderChunk: (code) => ({
    code: code.replace(
      /[\u0100-\uFFFF]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
    map: null,
  }),
};

/** Removes the files of earlier builds. dist/ also contains the console and the prepared database. */
const removeOthers: Plugin = {
  name: "remove-others",
  writeBundle({ dir = "" }, bundle) {
    for (const file of readdirSync(dir)) {
      if (/\.js(\.map)?$/.test(file) && !(file in bundle)) rmSync(join(dir, file));
    }
  },
};

/** Writes the commit into dist/commit, for src/paths.ts. Without Git, there is no such file. */
const recordCommit: Plugin = {
  name: "record-commit",
  writeBundle({ dir = "" }) {
    const file = join(dir, "commit");
    rmSync(file, { force: true });
    try {
      const run = (...args: string[]) =>
        execFileSync("git", args, { encoding: "utf8", stdio: "pipe" }).trim();
      // A folder inside another project's repository is not built from a commit of that project.
      if (run("rev-parse", "--show-prefix") !== "") return;
      const changed = run("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+changes";
      writeFileSync(file, `${run("rev-parse", "--short=12", "HEAD")}${changed}\n`);
    } catch {
      // Not a repository, or Git is not installed.
    }
  },
};

/** Packages that load their own files at run time: native code, WebAssembly, data, pages or workers. */
const LOADED_AS_INSTALLED = [
  "@electric-sql/pglite",
  "@node-rs/argon2",
  "@prisma/adapter-pg",
  "@prisma/client",
  "altair-static",
  "pglite-prisma-adapter",
  "pg",
  "pg-copy-streams",
  "pino",
  "pino-pretty",
  "piscina",
];

/** Bundles the server and most packages into a few files, which start in half the time that 3,000 modules take. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  publicDir: false,
  plugins: [inOneByte, removeOthers, recordCommit],
  build: {
    ssr: true,
    target: "node20",
    outDir: "dist",
    emptyOutDir: false,
    sourcemap: true,
    rolldownOptions: {
      input: {
        main: "src/main.ts",
        program: "src/commands/program.ts",
        served: "src/served.ts",
        hashing: "src/access/secrets/hashing.js",
        matching: "src/actions/imports/activities/matching.ts",
        writing: "src/actions/emissions/export/writing.ts",
      },
      // Directly in dist/, because src/paths.ts looks one folder up.
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        keepNames: true,
        comments: false,
        minify: false,
        sourcemapExcludeSources: true,
        // Otherwise a chunk runs its ES modules before its CommonJS modules, such as a polyfill that they need.
        strictExecutionOrder: true,
      },
      // Both would drop a call that is made only because it may throw, such as decodeURIComponent(path).
      treeshake: false,
      checks: { pluginTimings: false },
    },
  },
  ssr: { noExternal: true, external: LOADED_AS_INSTALLED },
});
