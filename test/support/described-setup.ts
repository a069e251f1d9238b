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

/** Operations that only a browser can complete, with passkeys, and a stream, which never ends. */
const NOT_CALLED = /\/passkeys?\b|\/reauthenticate\/options|DELETE \/auth\/password|\/events\/stream/;
/** Modules with these have endpoints of their own; a user without an organization sends no Idempotency-Key to reuse. */
const REFUSED =
  /\/\{module\}\/(forecast|predictions|anomalies|insights) 200$|^DELETE \/admin\/announcements\/\{id\} 422$/;
/** Statuses that an operation lists but that depend on the state of its objects, or on a failing server. */
const OF_A_STATE = /^(403|404|409|410|503|default)$/;

/** Lists the operations of /openapi.json with their statuses, such as `GET /facilities 200`. */
async function listDescribed(): Promise<string[]> {
  const { describeOwnApi } = await import("./served.js");
  const { paths } = await describeOwnApi();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses, security }]) => {
      const isCounted = JSON.stringify(responses).includes('"RateLimit"');
      return Object.keys(responses)
        .filter((status) => status !== "429" || isCounted)
        .filter((status) => status !== "500" || security.length > 0)
        .filter((status) => !OF_A_STATE.test(status))
        .map((status) => `${method.toUpperCase()} ${path} ${status}`);
    }),
  );
}

/** After a complete and successful run of the services suite, fails unless tests received every described answer. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), "gateway-answers-"));
  const { vitest } = project;
  project.provide("answersFolder", folder);
  return async () => {
    const files = await readdir(folder);
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
    await rm(folder, { recursive: true });
    const ran = vitest.state.getFiles();
    const isComplete =
      process.env["TEST_SERVICES"] === "1" &&
      !vitest.config.testNamePattern &&
      ran.length === (await project.globTestFiles()).testFiles.length &&
      ran.every(({ result }) => result?.state === "pass" || result?.state === "skip");
    if (!isComplete) return;
    const received = new Set(texts.flatMap((text) => text.trimEnd().split("\n")));
    const missing = (await listDescribed()).filter(
      (line) => !received.has(line) && !NOT_CALLED.test(line) && !REFUSED.test(line),
    );
    if (missing.length === 0) return;
    vitest.logger.error(`No test received these answers of /openapi.json:\n${missing.join("\n")}`);
    process.exitCode = 1;
  };
}
