import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { expect, vi } from "vitest";
import { createRedisServer, type RedisServer } from "./redis-server.js";
import { freePort } from "./tcp-proxy.js";

const SLOTS = 16_384;
/** Contains characters that URLs escape. */
const PASSWORD = "of all/nodes";

/** A test's own Redis Cluster: three masters, each with a third of the slots, and no replicas. */
export interface RedisCluster {
  /** Value of REDIS_URL: two of its nodes, from which clients learn the third. */
  readonly url: string;
  /** URL of each master. */
  readonly urls: readonly string[];
  readonly masters: readonly RedisServer[];
  /** Returns the number of the master that holds a key. */
  masterOf(key: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a cluster with `settings` and a password, and waits until every master knows that all slots are served. */
export async function startRedisCluster(settings: readonly string[] = []): Promise<RedisCluster> {
  const folders = [0, 1, 2].map(() => mkdtempSync(join(tmpdir(), "gateway-cluster-")));
  const buses = await Promise.all(folders.map(freePort));
  const masters = await Promise.all(
    folders.map((folder, index) =>
      createRedisServer([
        "--cluster-enabled",
        "yes",
        "--cluster-port",
        String(buses[index]),
        "--dir",
        folder,
        "--requirepass",
        PASSWORD,
        ...settings,
      ]),
    ),
  );
  await Promise.all(masters.map((master) => master.start()));
  const urls = masters.map(({ url }) => url.replace("//", `//:${encodeURIComponent(PASSWORD)}@`));
  const clients = urls.map((url) => new Redis(url));
  const firstSlot = (index: number) => Math.floor((index * SLOTS) / masters.length);
  for (const [index, client] of clients.entries()) {
    client.on("error", () => undefined);
    await client.call("CLUSTER", "SET-CONFIG-EPOCH", index + 1);
    await client.call("CLUSTER", "ADDSLOTSRANGE", firstSlot(index), firstSlot(index + 1) - 1);
    if (index > 0)
      await clients[0]?.call("CLUSTER", "MEET", "127.0.0.1", portOf(masters, index), buses[index] ?? 0);
  }
  const states = () => Promise.all(clients.map((client) => client.call("CLUSTER", "INFO")));
  const healthy = expect.stringMatching(/cluster_state:ok.*cluster_slots_ok:16384.*cluster_known_nodes:3/s);
  await vi.waitFor(async () => expect(await states()).toEqual([healthy, healthy, healthy]), {
    timeout: 60_000,
    interval: 50,
  });

  return {
    url: urls.slice(0, 2).join(","),
    urls,
    masters,
    async masterOf(key) {
      const slot = Number(
        await clients.find(({ status }) => status === "ready")?.call("CLUSTER", "KEYSLOT", key),
      );
      return [2, 1, 0].find((index) => slot >= firstSlot(index)) ?? 0;
    },
    async stop() {
      for (const client of clients) client.disconnect();
      await Promise.all(masters.map((master) => master.kill()));
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function portOf(servers: readonly RedisServer[], index: number): number {
  return Number(new URL(servers[index]?.url ?? "").port);
}
