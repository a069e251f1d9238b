import { afterAll, beforeAll } from "vitest";
import { type CommandDatabase, makeCommandDatabase } from "./command-database.js";
import { openTestDatabase, type TestDatabase } from "./database.js";
import { makeFolder } from "./process.js";
import { type Gateway, type GatewayOptions, startGateway } from "./server.js";

/** Something with a way to end it. */
interface Stoppable {
  remove?(): unknown;
  stop?(): unknown;
  close?(): unknown;
}

/**
 * Starts something before the tests of a file or block, and removes, stops or closes it after them, in reverse order of the
 * calls. The returned object has its members while tests run.
 */
export function use<Started extends object>(start: () => Promise<Started>): Started {
  const started = {} as Started & Stoppable;
  beforeAll(async () => {
    Object.assign(started, await start());
  });
  afterAll(async () => {
    await (started.remove ?? started.stop ?? started.close)?.();
  });
  return started;
}

/** Starts a gateway for the tests. Options that need something started earlier are a function. */
export const useGateway = (options: GatewayOptions | (() => GatewayOptions) = {}): Gateway =>
  use(() => startGateway(typeof options === "function" ? options() : options));

/** Opens a database for the tests. */
export const useDatabase = (): TestDatabase => use(openTestDatabase);

/** Creates a database for commands. */
export const useCommandDatabase = (): CommandDatabase => use(makeCommandDatabase);

/** Creates an empty folder, removed after the tests; returns its path. */
export function useFolder(): string {
  const { path, remove } = makeFolder();
  afterAll(remove);
  return path;
}
