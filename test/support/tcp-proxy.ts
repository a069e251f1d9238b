import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A network between the gateway and a service, which a test can break. */
export interface TcpProxy {
  readonly port: number;
  /** Refuses new connections and resets open ones. */
  cut(): Promise<void>;
  /** Accepts connections and holds every byte back, in both directions. */
  hang(): void;
  /** Delays every byte to the client by `ms`. */
  delay(ms: number): void;
  /** Ends a cut, hang or delay, and passes on the bytes held back. */
  restore(): Promise<void>;
  /** Returns the local ports of its connections to the target. */
  outgoingPorts(): number[];
  /** Returns the ports of its clients' connections that are not closed on both sides. */
  clientPorts(): number[];
  close(): Promise<void>;
}

/** Forwards a free local port to the address of a URL. */
export async function startTcpProxy({ hostname: host, port: portOfTarget }: URL): Promise<TcpProxy> {
  const target = { host, port: Number(portOfTarget) };
  const sockets = new Set<Socket>();
  let hanging = false;
  let delayMs = 0;
  const server = createServer({ pauseOnConnect: true }, (inner) => {
    const outer = connect(target);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      // Passes bytes on in the order received, even after the delay has ended.
      let passed: Promise<unknown> = Promise.resolve();
      from.on("data", (chunk) => {
        const arrived = delayMs > 0 && from === outer ? delay(delayMs) : undefined;
        passed = Promise.all([passed, arrived]).then(() => to.write(chunk));
      });
      from.on("end", () => void passed.then(() => to.end()));
      from.on("error", () => undefined);
      from.on("close", () => {
        sockets.delete(from);
        to.end();
      });
      if (hanging) from.pause();
      else from.resume();
    }
  });
  const port = await freePort();
  const listen = () => once(server.listen(port, "127.0.0.1"), "listening");
  const cut = async () => {
    const closed = server.listening ? once(server.close(), "close") : undefined;
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };
  await listen();

  return {
    port,
    cut,
    hang() {
      hanging = true;
      for (const socket of sockets) socket.pause();
    },
    delay(ms) {
      delayMs = ms;
    },
    async restore() {
      hanging = false;
      delayMs = 0;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen();
    },
    outgoingPorts: () =>
      [...sockets]
        .filter(({ remotePort }) => remotePort === target.port)
        .map((socket) => Number(socket.localPort)),
    clientPorts: () =>
      [...sockets].filter(({ localPort }) => localPort === port).map((socket) => Number(socket.remotePort)),
    close: cut,
  };
}

/**
 * Returns an unused port of 127.0.0.1, for a service that may restart: systems give no client or other server a port
 * below 32,768 on their own.
 */
export async function freePort(): Promise<number> {
  const port = 10_240 + randomInt(22_528);
  const server = createServer().listen(port, "127.0.0.1");
  const isFree = await once(server, "listening").then(
    () => true,
    () => false,
  );
  if (!isFree) return freePort();
  await once(server.close(), "close");
  return port;
}
