import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Timeouts } from "./timeouts.js";

/** Time for which a client may continue to send after its response. */
const LINGER_MS = 5_000;
/** Time for which responses may continue after a server stops. */
const DRAIN_MS = 8_000;

/**
 * Closes a connection in stages (RFC 9112, section 9.6). Closes the sending side after writing `last`, and the rest
 * once the client has closed its side or after 5 seconds. Drops what arrives in the meantime. Closing both sides at
 * once would reset the connection of a client that is still sending, which would lose the end of a large response.
 */
export function closeInStages(socket: Socket, last = ""): void {
  if (socket.destroyed || socket.writableEnded) return;
  socket.end(last);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}

/** Returns the response that a connection is waiting for or has partly sent. */
export function responseInProgress(socket: Socket): ServerResponse | null | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage;
}

/** The connections of one server. */
export interface Connections {
  /** Records that a request was answered, and with it everything its connection has received so far. */
  answered(socket: Socket): void;
  /**
   * Refuses new connections, lets requests finish for up to 8 seconds, then cuts the rest. Responses must already have
   * `Connection: close`: otherwise clients with kept-alive connections would continue to send requests until they are
   * cut.
   */
  drain(): Promise<void>;
}

/** Makes a server close its connections in stages, and drop clients that do not read their responses. */
export function keepConnections(server: Server, { answerMs }: Timeouts): Connections {
  /**
   * Bytes that each connection had received at its last response. Changing the object is faster than writing to the
   * map.
   */
  const open = new Map<Socket, { bytesRead: number }>();
  server.timeout = answerMs;
  server.on("timeout", (socket: Socket) => {
    // A client may wait for its response for as long as it takes.
    if (!responseInProgress(socket) || socket.writableLength > 0) socket.destroy();
  });
  server.on("connection", (socket: Socket) => {
    open.set(socket, { bytesRead: 0 });
    // Reading the address makes Node remember it after the connection has ended, when failures are still counted by
    // address.
    void socket.remoteAddress;
    socket.once("close", () => open.delete(socket));
    // Node calls this after the last response of a connection. Its own version closes both sides at once.
    socket.destroySoon = () => closeInStages(socket);
    // Each request that waits behind another adds a listener.
    socket.setMaxListeners(0);
  });
  // Node's own version also cuts connections whose response is written but not yet sent.
  server.closeIdleConnections = () => {
    for (const [socket, { bytesRead }] of open) {
      const isSilent = socket.writableLength === 0 && socket.bytesRead === bytesRead;
      if (isSilent && !responseInProgress(socket)) closeInStages(socket);
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
