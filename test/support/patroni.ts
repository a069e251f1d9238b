import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isMissing } from "./missing-program.js";
import { findPrograms, user } from "./postgres-server.js";
import { freePort } from "./tcp-proxy.js";

const isInstalled = [
  ["patroni", "--version"],
  ["etcd", "--version"],
  ["haproxy", "-v"],
].every(([program = "", option = ""]) => spawnSync(program, [option]).status === 0);

/** True if tests of failover are skipped. */
export const hasNoPatroni = isMissing("Patroni, etcd or HAProxy", isInstalled, "failover is");

/** Two PostgreSQL servers under Patroni, with synchronous replication, three members of etcd and an HAProxy. */
export interface PatroniCluster {
  /** URL of the database `postgres` on the current primary, through HAProxy. */
  readonly url: string;
  /** URLs of the same database on each server, without HAProxy. */
  readonly serverUrls: readonly string[];
  /** Resolves when one server is the primary, the other its synchronous standby, and HAProxy knows both. */
  healthy(): Promise<void>;
  /** Kills all processes of the primary PostgreSQL at once. Its Patroni survives and restarts it as a standby. */
  killPrimary(): Promise<void>;
  /** Kills the primary's Patroni and PostgreSQL at once, like a machine crash. Returns a function to restart them. */
  killMachine(): Promise<() => Promise<void>>;
  /** Kills the leader of etcd. Returns a function to restart it. */
  killEtcdLeader(): Promise<() => Promise<void>>;
  /** Kills HAProxy with all its connections, and starts it again. */
  restartProxy(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * `loop_wait` and `ttl` are the smallest values that Patroni's documentation allows. `ttl` must be at least
 * `loop_wait + 2 * retry_timeout`.
 */
const PATRONI = {
  ttl: 20,
  loop_wait: 1,
  retry_timeout: 5,
  // Fails over at once when PostgreSQL has crashed, instead of waiting for its recovery.
  primary_start_timeout: 0,
  synchronous_mode: true,
};

/** A program that a test can start and kill. */
interface Program {
  start(): Promise<void>;
  kill(): Promise<void>;
}

const running = new Set<ChildProcess>();

function createProgram(program: string, args: readonly string[], folder: string): Program {
  let child: ChildProcess | undefined;
  return {
    async start() {
      child = spawn(program, args, {
        ...user,
        cwd: folder,
        env: { PATH: process.env["PATH"], HOME: folder },
        stdio: "ignore",
      });
      running.add(child);
      child.once("exit", () => child && running.delete(child));
      await once(child, "spawn");
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Waits until a condition holds. If checking it fails, it does not hold. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition().catch(() => false))) await delay(50);
}

async function fetchJson(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000), ...init });
  return response.json();
}

/** Starts a cluster whose servers hold an empty database. */
export async function startPatroni(): Promise<PatroniCluster> {
  const folder = mkdtempSync(join(tmpdir(), "gateway-patroni-"));
  const folderOf = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700 });
    if (user) chownSync(path, user.uid, user.gid);
    return path;
  };
  if (user) chownSync(folder, user.uid, user.gid);
  const etcd = await createEtcd(folderOf);
  const servers = await Promise.all(["a", "b"].map((name) => createServer(name, folderOf(name), etcd.hosts)));
  const proxy = await createProxy(folder, servers);

  const members = async () => {
    for (const { api } of servers) {
      const found = await fetchJson(`${api}/cluster`).catch(() => null);
      if (found) return (found as { members: { name: string; role: string; state: string }[] }).members;
    }
    return [];
  };
  const primary = async () => {
    const leader = (await members()).find(({ role }) => role === "leader");
    const server = servers.find(({ name }) => name === leader?.name);
    if (!server) throw new Error("no server is the primary");
    return server;
  };
  const killAll = () => {
    for (const child of running) child.kill("SIGKILL");
    for (const { killPostgres } of servers) killPostgres();
  };
  // Kills anything that a failed test left running.
  process.once("exit", killAll);

  await Promise.all([...etcd.members, proxy].map(({ start }) => start()));
  await Promise.all(servers.map(({ patroni }) => patroni.start()));
  return {
    url: proxy.url,
    serverUrls: servers.map(({ url }) => url),
    healthy: () =>
      until(async () => {
        const roles = (await members())
          .filter(({ state }) => state === "running" || state === "streaming")
          .map(({ role }) => role);
        return (
          roles.toSorted().join() === "leader,sync_standby" && (await proxy.knows((await primary()).name))
        );
      }),
    killPrimary: async () => (await primary()).killPostgres(),
    async killMachine() {
      const { patroni, killPostgres } = await primary();
      await patroni.kill();
      killPostgres();
      return patroni.start;
    },
    async killEtcdLeader() {
      const leader = await etcd.leader();
      await leader.kill();
      return leader.start;
    },
    async restartProxy() {
      await proxy.kill();
      await proxy.start();
    },
    async stop() {
      process.off("exit", killAll);
      // Patroni first, because it would restart PostgreSQL.
      await Promise.all(servers.map(({ patroni }) => patroni.kill()));
      for (const { killPostgres } of servers) killPostgres();
      await Promise.all([...etcd.members, proxy].map(({ kill }) => kill()));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function createEtcd(folderOf: (name: string) => string) {
  const parts = await Promise.all(
    ["etcd-0", "etcd-1", "etcd-2"].map(async (name) => ({
      name,
      client: `http://127.0.0.1:${await freePort()}`,
      peer: `http://127.0.0.1:${await freePort()}`,
    })),
  );
  const cluster = parts.map(({ name, peer }) => `${name}=${peer}`).join();
  const members = parts.map(({ name, client, peer }) => {
    const folder = folderOf(name);
    const options = {
      name,
      "data-dir": folder,
      "listen-client-urls": client,
      "advertise-client-urls": client,
      "listen-peer-urls": peer,
      "initial-advertise-peer-urls": peer,
      "initial-cluster": cluster,
    };
    const args = Object.entries(options).map(([option, value]) => `--${option}=${value}`);
    return { client, ...createProgram("etcd", args, folder) };
  });
  return {
    members,
    hosts: parts.map(({ client }) => new URL(client).host),
    async leader() {
      for (const member of members) {
        const status = await fetchJson(`${member.client}/v3/maintenance/status`, {
          method: "POST",
          body: "{}",
        });
        const { leader, header } = status as { leader: string; header: { member_id: string } };
        if (leader === header.member_id) return member;
      }
      throw new Error("no member of etcd is the leader");
    },
  };
}

async function createServer(name: string, folder: string, etcdHosts: readonly string[]) {
  const [port, apiPort] = [await freePort(), await freePort()];
  const [address, api] = [`127.0.0.1:${port}`, `127.0.0.1:${apiPort}`];
  const data = join(folder, "data");
  const settings = {
    scope: "gateway",
    name,
    restapi: { listen: api, connect_address: api },
    etcd3: { hosts: etcdHosts },
    bootstrap: {
      dcs: { ...PATRONI, postgresql: { use_pg_rewind: true } },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, { auth: "trust" }, "no-sync"],
    },
    postgresql: {
      listen: address,
      connect_address: address,
      data_dir: data,
      bin_dir: findPrograms(),
      pgpass: join(folder, "pgpass"),
      authentication: { superuser: { username: "postgres" }, replication: { username: "replicator" } },
      // No test survives a crash of this machine, so no write needs to wait for the disk.
      parameters: { unix_socket_directories: folder, fsync: "off" },
      pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
    },
    watchdog: { mode: "off" },
  };
  const file = join(folder, "patroni.yml");
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(settings));
  return {
    name,
    port,
    apiPort,
    api: `http://${api}`,
    url: `postgresql://postgres@${address}/postgres`,
    patroni: createProgram("patroni", [file], folder),
    killPostgres: () => killPostgres(data),
  };
}

/** Kills the main process of a PostgreSQL and its children. */
function killPostgres(data: string): void {
  try {
    const [pid = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
    if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(data)) return;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    for (const process_ of [pid, ...children]) process.kill(Number(process_), "SIGKILL");
  } catch {
    // It is not running, or has ended in the meantime.
  }
}

async function createProxy(
  folder: string,
  servers: readonly { readonly name: string; readonly port: number; readonly apiPort: number }[],
) {
  const [port, statsPort] = [await freePort(), await freePort()];
  const file = join(folder, "haproxy.cfg");
  // Without `retries 0`, connections wait three seconds for a dead server, and reads time out.
  const config = `
defaults
  mode tcp
  retries 0
  timeout connect 1s
  timeout client 30m
  timeout server 30m
  timeout check 1s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.map((server) => `  server ${server.name} 127.0.0.1:${server.port} check port ${server.apiPort}`).join("\n")}
frontend stats
  mode http
  bind 127.0.0.1:${statsPort}
  stats enable
  stats uri /
`;
  writeFileSync(file, config);
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    /** Returns true if it sends connections only to this server. */
    async knows(name: string) {
      const response = await fetch(`http://127.0.0.1:${statsPort}/;csv`);
      const up = (await response.text())
        .split("\n")
        .filter(
          (line) => /^primary,(?!FRONTEND|BACKEND)/.test(line) && line.split(",")[17]?.startsWith("UP"),
        );
      return up.map((line) => line.split(",")[1]).join() === name;
    },
    ...createProgram("haproxy", ["-db", "-f", file], folder),
  };
}
