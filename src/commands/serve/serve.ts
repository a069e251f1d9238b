import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { listPeppers } from "../../access/secrets/api-key.js";
import { startApp } from "../../app.js";
import { type Config, isLocal } from "../../config.js";
import { openDatabase } from "../../data/database/open.js";
import { WRITING_ROLE } from "../../data/database/schema/grants.js";
import { requireMigrated } from "../../data/database/schema/migrations.js";
import { readWriterGrant } from "../../data/database/schema/writing-role.js";
import type { Database } from "../../data/database/types.js";
import { findTemporaryFault } from "../../files/spool.js";
import { createLogger, type Logger } from "../../log.js";
import { MIGRATIONS_FOLDER, PREPARED_DATABASE_FOLDER, readCommit, readVersion } from "../../paths.js";
import { remedyFor } from "../doctor/writing-role.js";
import { describeStart } from "./banner.js";
import { type Demonstration, prepareEmbedded } from "./first-start.js";
import { logWarnings } from "./log-warnings.js";
import { readableLog } from "./readable-log.js";
import { onStopSignal } from "./stop-signal.js";
import { shareMetrics } from "./worker-metrics.js";
import { reportServing } from "./workers.js";

/** Time limit for one statement on a database server. */
export const STATEMENT_TIMEOUT_MS = 2_500;

/**
 * Limits how much the heap may grow before a garbage collection, in percent. With V8's default, fourfold growth, the
 * process takes 50 % more memory under load and is no faster.
 */
export const GARBAGE_FLAG = "--heap-growing-percent=40";

/**
 * Flags for a process with one core, so that only the thread that serves requests collects garbage. V8's helper threads
 * would compete with it: at full load, the slowest of a hundred GraphQL responses would take 1.6 times as long.
 */
export const ONE_CORE_FLAGS = ["--no-parallel-scavenge", "--no-concurrent-marking"];

/** Prints the URLs and serves until SIGTERM or SIGINT, then stops gracefully. A second SIGINT exits immediately. */
export async function serve(config: Config, clock: () => Date, print: (text: string) => void): Promise<void> {
  setFlagsFromString(GARBAGE_FLAG);
  if (cluster.isWorker || availableParallelism() === 1) ONE_CORE_FLAGS.forEach(setFlagsFromString);
  const log = createLogger(config.logLevel, await readableLog(process.stderr));
  logWarnings(log);
  for (const text of config.misspelled) log.warn(text);
  // By default, Node would print every property of the error, such as the parameters of a statement.
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "crashed");
    process.exit(1);
  });
  let isNew = false;
  const database = await openDatabase({
    onCreated: () => {
      isNew = true;
    },
    url: config.databaseUrl,
    directUrl: config.databaseDirectUrl,
    replicaUrls: config.databaseReplicaUrls,
    replicaMaxLagMs: config.databaseReplicaMaxLagMs,
    onReplicaChange: (replica, reason) =>
      reason === null
        ? log.info({ replica }, "the replica is in use again")
        : log.warn({ replica, reason }, "the replica is not in use"),
    dataDir: config.dataDir,
    mayCreate: config.mayCreateDatabase,
    prepared: PREPARED_DATABASE_FOLDER,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onError: (error) => log.error({ err: error }, "database connection failed"),
    warn: (error, message) => log.warn({ err: error }, message),
    onLost: (error) => {
      log.fatal({ err: error }, "the embedded database is lost: stopping");
      process.exit(1);
    },
  });
  try {
    let demonstration: Demonstration = { key: null, signInToken: null };
    if (config.databaseUrl === undefined) {
      const peppers = listPeppers(config);
      demonstration = await prepareEmbedded({ database, dataDir: config.dataDir, peppers, now: clock() });
    } else {
      await requireMigrated(database, MIGRATIONS_FOLDER);
      await checkWriterGrant(database, log);
    }
    const temporaryFault = await findTemporaryFault();
    if (temporaryFault !== null) log.error(`imports and exports fail: ${temporaryFault}`);
    // The pages show the key only if the gateway is local. The terminal always shows it.
    const app = await startApp({
      config,
      database,
      log,
      clock,
      demoKey: isLocal(config) ? demonstration.key : null,
      ...(cluster.isWorker && { shareMetrics: (registry) => shareMetrics(registry, log) }),
    });
    // Installed before the worker reports that it is serving, because it may be stopped right after that.
    const stopped = new Promise<void>((resolve) =>
      onStopSignal((signal) => {
        log.info({ signal }, "stopping");
        resolve();
      }),
    );
    log.info({ version: readVersion(), commit: readCommit() ?? undefined }, "serving");
    if (cluster.isWorker) reportServing();
    app.prepare().catch((error) => log.warn({ err: error }, "failed to prepare the first searches"));
    // Only the first of several workers prints the banner.
    if (cluster.isPrimary || cluster.worker?.id === 1) {
      print(describeStart({ app, config, demonstration, isNew }));
    }
    await stopped;
    await app.stop();
  } finally {
    await database.close();
    if (cluster.isWorker) process.disconnect();
  }
}

/** Logs an error if a missing grant keeps users from signing in. API keys work without the grant. */
async function checkWriterGrant(database: Database, log: Logger): Promise<void> {
  const { role, isGranted, isForCommands } = await readWriterGrant(database);
  if (isGranted) return;
  log.error(
    { role },
    `nobody can sign in: ${role} may not act as ${WRITING_ROLE}. ${remedyFor(role, isForCommands)}`,
  );
}
