import type { Server } from "node:http";
import type { Socket } from "node:net";

/** For how long a client that has its answer may still send what it had begun to. */
const LINGER_MS = 5_000;

/**
 * Closes a connection in stages (RFC 9112, section 9.6): the sending side, after `last`, and all of it when the client
 * has closed its own or its time is up. What comes meanwhile is read and dropped by whoever reads the connection. If both
 * were closed at once, TCP would reset the connection of a client that sends on, and the end of a large answer be lost.
 */
export function closeInStages(socket: Socket, last = ""): void {
  if (socket.writableEnded) return;
  socket.end(last);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}

/** Has a server close its connections in stages after an answer that no other is to follow. */
export function closeConnectionsInStages(server: Server): void {
  server.on("connection", (socket: Socket) => {
    // Which is what Node calls then, and which closes both sides at once.
    socket.destroySoon = () => closeInStages(socket);
  });
}
