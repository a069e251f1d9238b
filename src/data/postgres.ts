import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { createClient, type Database, type DatabaseOptions } from "./database.js";
import { listenOnServer } from "./listen.js";

/** How long a server is waited for when connections are closed. */
const GOODBYE_MS = 2_000;

const MOST_NAMES = 10_000;
const names = new Map<string, string>();

/** A prepared statement's name: the digest of its text, which is computed once. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash("sha1").update(text).digest("hex");
    // Texts are few, but nobody has counted them.
    if (names.size >= MOST_NAMES) names.clear();
    names.set(text, name);
  }
  return name;
}

const TYPES = {
  getTypeParser: (type: number, format?: "text" | "binary") =>
    type === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(type, format),
} as pg.CustomTypesConfig;

/** Opens a pool of connections to a PostgreSQL server. Connects on first use, and again after every failure. */
export function openPostgres(
  url: string,
  { statementTimeoutMs, onError }: Pick<DatabaseOptions, "statementTimeoutMs" | "onError">,
): Database {
  const connection = { connectionString: url, application_name: "carbon-gateway", keepAlive: true };
  const pool = new pg.Pool({
    ...connection,
    max: 10,
    connectionTimeoutMillis: 2_000,
    idleTimeoutMillis: 30_000,
    // For `close`: connections that a server which hangs does not end must not keep the process alive.
    allowExitOnIdle: true,
    ...(statementTimeoutMs > 0 && {
      statement_timeout: statementTimeoutMs,
      // The server may hang and not end the statement itself.
      query_timeout: statementTimeoutMs + 500,
    }),
  });
  pool.on("error", onError);
  const prisma = createClient(
    new PrismaPg(pool, {
      disposeExternalPool: false,
      statementNameGenerator: ({ sql }) => nameOf(sql),
    }),
  );

  return {
    prisma,
    async select<Row>(text: string, values: readonly unknown[]) {
      const query = { name: nameOf(text), text, values: [...values], types: TYPES };
      return (await pool.query(query)).rows as Row[];
    },
    listen: (channel, listener) => listenOnServer(connection, channel, listener),
    async transaction(work) {
      const client = await pool.connect();
      // A connection that is lost between two statements tells nobody else, and would end the process.
      client.on("error", onError);
      try {
        await client.query("BEGIN");
        const result = await work({
          async script(sql) {
            await client.query(sql);
          },
          async query<Row>(sql: string, parameters: readonly unknown[] = []) {
            return (await client.query(sql, [...parameters])).rows as Row[];
          },
          async execute(sql, parameters = []) {
            return (await client.query(sql, [...parameters])).rowCount ?? 0;
          },
          async copy(target, lines) {
            // One part at a time: they are large.
            await pipeline(
              Readable.from(lines, { highWaterMark: 1 }),
              client.query(copyFrom(`COPY ${target} FROM STDIN`)),
            );
          },
        });
        await client.query("COMMIT");
        client.off("error", onError).release();
        return result;
      } catch (error) {
        const rolledBack = await client.query("ROLLBACK").then(
          () => true,
          () => false,
        );
        client.off("error", onError);
        client.release(!rolledBack);
        throw error;
      }
    },
    async close() {
      await prisma.$disconnect();
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise((resolve) => {
        timer = setTimeout(resolve, GOODBYE_MS);
      });
      await Promise.race([pool.end(), tooLate]);
      clearTimeout(timer);
    },
  };
}
