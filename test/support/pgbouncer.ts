import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { isMissing } from "./missing-program.js";
import { freePort } from "./tcp-proxy.js";

/** True if tests behind PgBouncer are skipped. */
export const hasNoPgBouncer = isMissing(
  "PgBouncer",
  spawnSync("pgbouncer", ["--version"]).status === 0,
  "connections through it are",
);

/** A test's own PgBouncer, in transaction pooling mode. */
export interface PgBouncer {
  /** URL of the database through it. */
  readonly url: string;
  /** Counts the connections from clients, and those to PostgreSQL. */
  count(): Promise<{ clients: number; servers: number }>;
  stop(): Promise<void>;
}

/** User id of nobody: PgBouncer refuses to run as root. */
const NOBODY = 65_534;

/** Starts PgBouncer in front of a database, with at most `poolSize` connections to it. */
export async function startPgBouncer(
  databaseUrl: string,
  poolSize: number,
  settings: readonly string[] = [],
): Promise<PgBouncer> {
  const { hostname, port: portOfServer, username, password, pathname } = new URL(databaseUrl);
  const port = await freePort();
  const login = `user=${username}${password && ` password=${password}`}`;
  const folder = mkdtempSync(join(tmpdir(), "gateway-pgbouncer-"));
  const file = join(folder, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${portOfServer || 5432} ${login}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    `default_pool_size = ${poolSize}`,
    ...settings,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  chmodSync(folder, 0o755);
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn("pgbouncer", ["--quiet", file], { stdio: "ignore", ...asNobody });
  await once(child, "spawn");
  await listening(child, port);

  const url = `postgresql://${username}@127.0.0.1:${port}`;
  return {
    url: `${url}${pathname}`,
    async count() {
      const admin = new pg.Client({ connectionString: `${url}/pgbouncer` });
      await admin.connect();
      const ofDatabase = async (show: string) => {
        const { rows } = await admin.query<{ database: string }>(show);
        return rows.filter(({ database }) => `/${database}` === pathname).length;
      };
      try {
        return { clients: await ofDatabase("SHOW CLIENTS"), servers: await ofDatabase("SHOW SERVERS") };
      } finally {
        await admin.end();
      }
    },
    async stop() {
      if (child.exitCode === null) {
        const exited = once(child, "exit");
        child.kill("SIGKILL");
        await exited;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    const socket = connect({ host: "127.0.0.1", port });
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
    await delay(20);
  }
}
