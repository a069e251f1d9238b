import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { createClient, type Database, type DatabaseOptions } from "./database.js";

/** How long a server is waited for when connections are closed. */
const GOODBYE_MS = 2_000;

/** Opens a pool of connections to a PostgreSQL server. Connects on first use, and again after every failure. */
export function openPostgres(
  url: string,
  { statementTimeoutMs, onError }: Pick<DatabaseOptions, "statementTimeoutMs" | "onError">,
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "carbon-gateway",
    max: 10,
    connectionTimeoutMillis: 2_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
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
      statementNameGenerator: ({ sql }) => createHash("sha1").update(sql).digest("hex"),
    }),
  );

  return {
    prisma,
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
