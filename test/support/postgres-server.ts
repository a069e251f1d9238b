import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import pg from "pg";
import { withClient } from "./pg-client.js";
import { freePort } from "./tcp-proxy.js";

/** A PostgreSQL of a test's own, which it may kill. */
export interface PostgresServer {
  /** Of its database `postgres`, as its superuser. */
  readonly url: string;
  /** Those of its command line, which its replicas share. */
  readonly settings: Readonly<Record<string, string>>;
  /** Starts it, on the same port and with the same data as before, and waits until it answers. */
  start(): Promise<void>;
  /** Ends all its processes at once, as a crash of the machine does. */
  kill(): Promise<void>;
  /** Ends it in order; its clients are told. */
  shutDown(): Promise<void>;
  /** Lets all its processes stand still: connections stay open and nothing is answered. */
  hang(): void;
  /** Ends the hang. */
  resume(): void;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
}

/** A streaming replica of one. */
export interface PostgresReplica extends PostgresServer {
  /** Lets it receive changes, and show none of them until replay resumes. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Makes it a primary of its own. */
  promote(): Promise<void>;
  /** Resolves when it shows everything that its primary has written by now. */
  replayed(): Promise<void>;
}

/** PostgreSQL refuses to run as root: then it runs as nobody. */
const NOBODY = { uid: 65_534, gid: 65_534 };
export const user = process.getuid?.() === 0 ? NOBODY : undefined;

/** A new PostgreSQL on a free port, not started yet. Linux only, and its programs must be on this machine. */
export function createPostgresServer(settings: Readonly<Record<string, string>>): Promise<PostgresServer> {
  const options = ["-U", "postgres", "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C"];
  return createServer({ fsync: "off", ...settings }, "initdb", options);
}

/**
 * A streaming replica of a running PostgreSQL, which keeps the changes that it still needs; not started yet. It has the
 * other's settings where not told otherwise: a replica may not have fewer connections.
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
    async replayed() {
      const { rows } = await withClient(of.url, (client) =>
        client.query("SELECT pg_current_wal_lsn() AS lsn"),
      );
      await withClient(server.url, async (client) => {
        const sql = "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS replayed";
        while (!(await client.query(sql, [rows[0].lsn])).rows[0].replayed) await aMoment();
      });
    },
  };
}

let replicas = 0;
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 20));

/** A server whose data a program makes in a new folder. */
async function createServer(
  settings: Readonly<Record<string, string>>,
  program: "initdb" | "pg_basebackup",
  optionsOfProgram: readonly string[],
): Promise<PostgresServer> {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), "gateway-postgres-"));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const making = spawn(join(programs, program), ["-D", data, ...optionsOfProgram], {
    ...user,
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(making, "exit");
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  const port = await freePort();
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

  let server: ChildProcess | undefined;
  const isRunning = () => server !== undefined && server.exitCode === null && server.signalCode === null;
  /** The first process, and those that it has started for connections and for its own work. */
  const signal = (name: NodeJS.Signals) => {
    const { pid } = server ?? {};
    if (pid === undefined || !isRunning()) return;
    // It first, so that it starts no others meanwhile.
    const children = () =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    const before = name === "SIGKILL" ? children() : [];
    process.kill(pid, name);
    for (const child of name === "SIGKILL" ? before : children()) {
      try {
        process.kill(Number(child), name);
      } catch {
        // It has ended by itself.
      }
    }
  };
  const kill = async () => {
    if (!server || !isRunning()) return;
    const exited = once(server, "exit");
    signal("SIGKILL");
    await exited;
  };
  // Whatever a failed test has left running ends with the tests.
  process.once("exit", () => signal("SIGKILL"));
  return {
    url,
    settings,
    async start() {
      server = spawn(join(programs, "postgres"), ["-D", data, "-p", String(port), ...options], {
        ...user,
        cwd: folder,
        stdio: "ignore",
      });
      await once(server, "spawn");
      while (!(await answers(url))) {
        if (!isRunning()) throw new Error(`postgres ended with ${server.exitCode}`);
        await aMoment();
      }
    },
    kill,
    async shutDown() {
      if (!server || !isRunning()) return;
      const exited = once(server, "exit");
      // A "fast" shutdown, as service managers do it.
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

/** The folder of PostgreSQL's programs: that of the PATH, or the newest where Debian keeps them. */
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
