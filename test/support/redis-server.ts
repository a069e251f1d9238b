import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { freePort } from "./tcp-proxy.js";

/** A test's own Redis, which it may kill. It keeps nothing on disk. */
export interface RedisServer {
  readonly url: string;
  /** Starts it on the same port as before, and waits until it answers. */
  start(): Promise<void>;
  /** Kills it at once, like a crash. */
  kill(): Promise<void>;
  /** Suspends its process: connections stay open, but nothing is answered. */
  hang(): void;
  /** Ends the hang. */
  resume(): void;
}

/** Creates a Redis on a free port, not started yet. `settings` are further arguments. */
export async function createRedisServer(settings: readonly string[] = []): Promise<RedisServer> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  return {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
      child = spawn("redis-server", [...options, ...settings], { stdio: "ignore" });
      await once(child, "spawn");
      while (!(await answersPing(port))) {
        if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      }
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
    hang: () => void child?.kill("SIGSTOP"),
    resume: () => void child?.kill("SIGCONT"),
  };
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port }, () => socket.write("PING\r\n"));
    socket.once("data", (data) => {
      socket.destroy();
      resolve(/^(\+PONG|-NOAUTH)/.test(data.toString()));
    });
    // A refused connection fails at once; the delay keeps the caller's loop from spinning.
    socket.once("error", () => setTimeout(resolve, 10, false));
  });
}
