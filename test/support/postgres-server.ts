import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import pg from "pg";
import { withClient } from "./pg-client.js";
import { freePort } from "./tcp-proxy.js";

/** A test's own PostgreSQL, which it may kill. */
export interface PostgresServer {
  /** URL of the database `postgres`, as superuser. */
  readonly url: string;
  /** Settings of its command line, which its replicas share. */
  readonly settings: Readonly<Record<string, string>>;
  /** Folder of its data. */
  readonly data: string;
  /** Starts it with the same port and data as before, and waits until it answers. */
  start(): Promise<void>;
  /** Kills all its processes at once, like a crash of the machine. */
  kill(): Promise<void>;
  /** Shuts it down properly; its clients are notified. */
  shutDown(): Promise<void>;
  /** Suspends all its processes: connections stay open, but nothing is answered. */
  hang(): void;
  /** Ends the hang. */
  resume(): void;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
}

/** A streaming replica. */
export interface PostgresReplica extends PostgresServer {
  /** Pauses replay: it receives changes, but does not show them. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Promotes it to a primary. */
  promote(): Promise<void>;
  /** Restarts a promoted one as a standby, with the changes that only it has. */
  demote(): Promise<void>;
  /** Resolves when it shows everything that its primary has written so far. */
  replayed(): Promise<void>;
}

/** User that runs PostgreSQL if the tests run as root, which PostgreSQL refuses. */
const NOBODY = { uid: 65_534, gid: 65_534 };
export const user = process.getuid?.() === 0 ? NOBODY : undefined;

/** Creates a PostgreSQL on a free port, not started yet. Linux only; PostgreSQL must be installed. */
export function createPostgresServer(settings: Readonly<Record<string, string>>): Promise<PostgresServer> {
  const options = ["-U", "postgres", "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C"];
  return createServer({ fsync: "off", ...settings }, "initdb", options);
}

/**
 * Creates a streaming replica of a running PostgreSQL, not started yet; the primary keeps the changes that it needs. By
 * default it has the primary's settings: a replica may not have fewer connections.
 */
export async function createReplica(
  of: PostgresServer,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresReplica> {
  replicas += 1;
  const slot = `replica_${replicas}`;
  const options = ["-d", of.url, "--checkpoint=fast", "--no-sync", "--write-recovery-conf", "-C", "-S", slot];
  const server = await createServer({ ...of.settings, ...settings }, "pg_basebackup", options);
  const select = (sql: string) => withClient(server.url, (client) => client.query(sql));
  return {
    ...server,
    pauseReplay: async () => void (await select("SELECT pg_wal_replay_pause()")),
    resumeReplay: async () => void (await select("SELECT pg_wal_replay_resume()")),
    promote: async () => void (await select("SELECT pg_promote()")),
    async demote() {
      await server.shutDown();
      writeFileSync(join(server.data, "standby.signal"), "");
      await server.start();
    },
    async replayed() {
      const { rows } = await withClient(of.url, (client) =>
        client.query("SELECT pg_current_wal_lsn() AS lsn"),
      );
      await withClient(server.url, async (client) => {
        const sql = "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS replayed";
        while (!(await client.query(sql, [rows[0].lsn])).rows[0].replayed) await shortDelay();
      });
    },
  };
}

let replicas = 0;
const shortDelay = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Creates a server, whose data `program` writes to a new folder. */
async function createServer(
  settings: Readonly<Record<string, string>>,
  program: "initdb" | "pg_basebackup",
  programOptions: readonly string[],
): Promise<PostgresServer> {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), "gateway-postgres-"));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const creation = spawn(join(programs, program), ["-D", data, ...programOptions], {
    ...user,
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(creation, "exit");
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  const port = await freePort();
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

  let server: ChildProcess | undefined;
  const isRunning = () => server !== undefined && server.exitCode === null && server.signalCode === null;
  /** Signals the main process and its children. */
  const signal = (name: NodeJS.Signals) => {
    const { pid } = server ?? {};
    if (pid === undefined || !isRunning()) return;
    // The main process first, so that it starts no more children.
    const children = () =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    const before = name === "SIGKILL" ? children() : [];
    process.kill(pid, name);
    for (const child of name === "SIGKILL" ? before : children()) {
      try {
        process.kill(Number(child), name);
      } catch {
        // Already ended.
      }
    }
  };
  const kill = async () => {
    if (!server || !isRunning()) return;
    const exited = once(server, "exit");
    signal("SIGKILL");
    await exited;
  };
  // Ends servers that a failed test left running.
  process.once("exit", () => signal("SIGKILL"));
  return {
    url,
    settings,
    data,
    async start() {
      server = spawn(join(programs, "postgres"), ["-D", data, "-p", String(port), ...options], {
        ...user,
        cwd: folder,
        stdio: "ignore",
      });
      await once(server, "spawn");
      while (!(await answers(url))) {
        if (!isRunning()) throw new Error(`postgres ended with ${server.exitCode}`);
        await shortDelay();
      }
    },
    kill,
    async shutDown() {
      if (!server || !isRunning()) return;
      const exited = once(server, "exit");
      // A "fast" shutdown, as by service managers.
      server.kill("SIGINT");
      await exited;
    },
    hang: () => signal("SIGSTOP"),
    resume: () => signal("SIGCONT"),
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the folder of PostgreSQL's programs: the one in PATH, or Debian's newest. */
export function findPrograms(): string {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  const found = folders.find((folder) =>
    ["initdb", "pg_basebackup", "postgres"].every((name) => existsSync(join(folder, name))),
  );
  if (found === undefined)
    throw new Error("initdb, pg_basebackup and postgres are needed, in the PATH or where Debian keeps them");
  return found;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}
