import { afterAll, beforeAll } from "vitest";
import { type CommandDatabase, makeCommandDatabase } from "./command-database.js";
import { openTestDatabase, type TestDatabase } from "./database.js";
import { makeFolder } from "./process.js";
import { type Gateway, type GatewayOptions, startGateway } from "./server.js";

/**
 * Starts something before the tests of a file or block, and stops it after them, in reverse order of the calls. The
 * returned object has its members while tests run.
 */
export function use<Started extends object>(
  start: () => Promise<Started>,
  stop: (started: Started) => unknown,
): Started {
  const started = {} as Started;
  let isStarted = false;
  beforeAll(async () => {
    Object.assign(started, await start());
    isStarted = true;
  });
  afterAll(async () => {
    if (isStarted) await stop(started);
  });
  return started;
}

/** Starts a gateway for the tests. Options that need something started earlier are a function. */
export const useGateway = (options: GatewayOptions | (() => GatewayOptions) = {}): Gateway =>
  use(
    () => startGateway(typeof options === "function" ? options() : options),
    (gateway) => gateway.stop(),
  );

/** Opens a database for the tests. */
export const useDatabase = (): TestDatabase => use(openTestDatabase, (database) => database.close());

/** Creates a database for commands. */
export const useCommandDatabase = (): CommandDatabase =>
  use(makeCommandDatabase, (commands) => commands.close());

/** Creates an empty folder, removed after the tests; returns its path. */
export function useFolder(): string {
  const { path, remove } = makeFolder();
  afterAll(remove);
  return path;
}
