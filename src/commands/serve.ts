import cluster from "node:cluster";
import { setFlagsFromString } from "node:v8";
import { listPeppers } from "../access/api-key.js";
import { type App, startApp } from "../app.js";
import type { Config } from "../config.js";
import { requireMigrated } from "../data/database/migrations.js";
import { openDatabase } from "../data/database/open.js";
import { createLogger, type Logger } from "../log.js";
import { MIGRATIONS_FOLDER } from "../paths.js";
import { endpoints } from "../rest/ext/index.js";
import { describePlace } from "./database-place.js";
import { prepareEmbedded } from "./first-start.js";
import { readableLog } from "./readable-log.js";
import { CREATED } from "./runner.js";
import { shareMetrics } from "./worker-metrics.js";
import { sayServing } from "./workers.js";

/** What one statement may take on a server. */
export const STATEMENT_TIMEOUT_MS = 2_500;
const LOOPBACK = ["127.0.0.1", "localhost", "::1"];

/**
 * Garbage that is left lying, in percent of what is in use: where a machine has memory, V8 would let the heap grow to four
 * times what is in use, for no gain in speed that could be measured.
 */
export const GARBAGE_FLAG = "--heap-growing-percent=40";

/** Serves until SIGTERM or SIGINT, then stops in order; a second SIGINT ends at once. Prints where it listens. */
export async function serve(config: Config, clock: () => Date, print: (text: string) => void): Promise<void> {
  setFlagsFromString(GARBAGE_FLAG);
  const log = createLogger(config.logLevel, await readableLog(process.stderr));
  // Node itself would print all that hangs on the error, such as the parameters of a statement.
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
    dataDir: config.dataDir,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onError: (error) => log.error({ err: error }, "database connection failed"),
    onLost: (error) => {
      log.fatal({ err: error }, "the embedded database cannot go on: stopping");
      process.exit(1);
    },
  });
  try {
    let demoKey: string | null = null;
    if (config.databaseUrl === undefined) {
      const { dataDir } = config;
      demoKey = await prepareEmbedded({ database, dataDir, peppers: listPeppers(config), now: clock() });
    } else {
      await requireMigrated(database, MIGRATIONS_FOLDER);
    }
    // Whoever can reach this machine's own address may know the key: the terminal shows it too.
    const isLocal = LOOPBACK.includes(config.host);
    const app = await startApp({
      ...{ config, database, log, clock },
      demoKey: isLocal ? demoKey : null,
      ...(cluster.isWorker && { shareMetrics: (registry) => shareMetrics(registry, log) }),
    });
    if (cluster.isWorker) sayServing();
    // The first of several workers speaks for all.
    if (cluster.isPrimary || cluster.worker?.id === 1) print(banner(app, config, demoKey, isNew));
    await stopSignal(log);
    await app.stop();
  } finally {
    await database.close();
    if (cluster.isWorker) process.disconnect();
  }
}

const COUNTED = {
  redis: "counted in Redis",
  memory: "counted in this process",
  insurance: "counted in this process until Redis, which cannot be reached, is back",
};

function banner(
  { url, metricsUrl, rateLimitStore }: App,
  { sandbox, databaseUrl, dataDir }: Config,
  demoKey: string | null,
  isNew: boolean,
): string {
  const lines = [
    `Carbon Gateway is listening on ${url}`,
    "",
    `  GraphQL   ${url}/graphql${sandbox ? "   (open it in a browser for Apollo Sandbox)" : ""}`,
    ...(sandbox ? [`  Explorer  ${url}/graphiql   (works without internet access)`] : []),
    `  REST      ${url}/api/v1/ext/v1   (described in ${url}/openapi.json)`,
    `  Database  ${describePlace(databaseUrl, dataDir)}${isNew ? `, ${CREATED}` : ""}`,
    `  Limits    ${COUNTED[rateLimitStore()]}`,
    ...(metricsUrl === null ? [] : [`  Metrics   ${metricsUrl}/metrics`]),
  ];
  if (demoKey === null) return lines.join("\n");
  const calls = endpoints.map(({ path }) => `  curl -H 'X-API-Key: ${demoKey}' ${url}/api/v1/ext/v1${path}`);
  const graphql = `  curl -H 'X-API-Key: ${demoKey}' -H 'Content-Type: application/json' -d '{"query":"{ organization { name } emissions { totalCo2eTonnes } }"}' ${url}/graphql`;
  return [
    ...lines,
    `  Demo key  ${demoKey}   (for a made-up organization with sample data)`,
    "",
    "Try it:",
    "",
    ...calls,
    graphql,
    "",
  ].join("\n");
}

function stopSignal(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = (signal: NodeJS.Signals) => {
      if (stopping && signal === "SIGINT") process.exit(130);
      if (!stopping) log.info({ signal }, "stopping");
      stopping = true;
      resolve();
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
  });
}
