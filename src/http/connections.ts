import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Patience } from "./timeouts.js";

/** For how long a client that has its answer may still send what it had begun to. */
const LINGER_MS = 5_000;
/** For how long answers may be on their way when a server stops. */
const DRAIN_MS = 8_000;

/**
 * Closes a connection in stages (RFC 9112, section 9.6): the sending side, after `last`, and all of it when the client
 * has closed its own or its time is up. What comes meanwhile is read and dropped by whoever reads the connection. If both
 * were closed at once, TCP would reset the connection of a client that sends on, and the end of a large answer be lost.
 */
export function closeInStages(socket: Socket, last = ""): void {
  if (socket.destroyed || socket.writableEnded) return;
  socket.end(last);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}

/** The answer that a connection is waiting for, or has in part. */
export function answerUnderWay(socket: Socket): ServerResponse | null | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage;
}

/** The connections of one server. */
export interface Connections {
  /** Notes that a request was answered: what has come over its connection so far is done with. */
  answered(socket: Socket): void;
  /**
   * Refuses new connections, lets requests under way finish for up to 8 seconds, then cuts what is left. Answers must say
   * `Connection: close` by now: a client that keeps its connection would go on asking, and be cut in the middle.
   */
  drain(): Promise<void>;
}

/** Has a server close its connections in stages, and give up those of clients that do not read what they asked for. */
export function keepConnections(server: Server, { answerMs }: Patience): Connections {
  /** Bytes that had come over each when a request of it was last answered. A map that is written each time is slower. */
  const open = new Map<Socket, { bytesRead: number }>();
  server.timeout = answerMs;
  server.on("timeout", (socket: Socket) => {
    // Who waits for his answer may wait.
    if (!answerUnderWay(socket) || socket.writableLength > 0) socket.destroy();
  });
  server.on("connection", (socket: Socket) => {
    open.set(socket, { bytesRead: 0 });
    // Read once, Node tells it after the end of the connection, too: who has failed is counted then as well.
    void socket.remoteAddress;
    socket.once("close", () => open.delete(socket));
    // Which is what Node calls after an answer that no other is to follow, and which closes both sides at once.
    socket.destroySoon = () => closeInStages(socket);
    // One for each request that waits behind another of its connection.
    socket.setMaxListeners(0);
  });
  // Node takes one for idle whose answer has been written and not sent, and `close` of its server cuts it.
  server.closeIdleConnections = () => {
    for (const [socket, { bytesRead }] of open) {
      const isSilent = socket.writableLength === 0 && socket.bytesRead === bytesRead;
      if (isSilent && !answerUnderWay(socket)) closeInStages(socket);
    }
  };
  return {
    answered(socket) {
      const state = open.get(socket);
      if (state) state.bytesRead = socket.bytesRead;
    },
    async drain() {
      const closed = new Promise((resolve) => server.close(resolve));
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      const cut = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy();
      }, DRAIN_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}
