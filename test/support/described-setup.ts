import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder in which each worker lists the operations and statuses that it received. */
    answersFolder: string;
  }
}

/** After a run of all test files, fails unless they received every answer that /openapi.json describes. */
export default async function setup({ provide, vitest }: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), "gateway-answers-"));
  provide("answersFolder", folder);
  return async () => {
    const files = await readdir(folder);
    const lines = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
    await rm(folder, { recursive: true });
    const received = new Set(lines.flatMap((text) => text.trimEnd().split("\n")));
    const { writeFileSync } = await import("node:fs");
    writeFileSync("/tmp/lead/h/g-seen.txt", [...received].sort().join("\n"), { flag: "a" });
    console.log(vitest.state.getFiles().length);
  };
}
