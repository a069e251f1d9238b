import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from "express";
import { AppError } from "../../errors.js";
import { sendError } from "../answer/envelope.js";
import { methodNotAllowed, pathNotFound, READ_METHODS } from "../answer/failure.js";
import { commonHeaders } from "../answer/headers.js";
import { readPath } from "../request.js";
import { keepConnections } from "./connections.js";
import { serverOptions, TIMEOUTS } from "./timeouts.js";
import { refuseUnreadable } from "./unreadable.js";

/** Starts to listen. Rejects if the address is in use or unusable. */
export function listen(server: Server, { port, host }: { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // Node's default of 511 is too small for a load balancer that reconnects everything at once.
    server.listen({ port, host, backlog: 4_096 }, resolve);
  });
}

/** Creates an Express app with case-sensitive paths, and without Express's X-Powered-By and ETag. */
export function createExpress(): Express {
  return express().disable("x-powered-by").disable("etag").enable("case sensitive routing");
}

/** Middleware for read-only paths. Answers OPTIONS, and refuses all methods except GET and HEAD. */
export const getOnly: RequestHandler = ({ method }, response, next) => {
  if (method === "GET" || method === "HEAD") next();
  else if (method === "OPTIONS") response.status(204).set("Allow", READ_METHODS.join(", ")).end();
  else throw methodNotAllowed(method);
};

/** A server on its own port, next to the main one. */
export interface SideServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves a few paths on their own port, and 404 for everything else. Rejects if the port is in use. */
export async function startSideServer(
  router: RequestHandler,
  address: { readonly port: number; readonly host: string },
  clock: () => Date,
): Promise<SideServer> {
  const refuse = (response: Response, error: AppError) => {
    const id = randomUUID();
    sendError(response, { id, now: clock() }, [commonHeaders(id)], error);
  };
  const failed: ErrorRequestHandler = (thrown, _request, response, _next) => {
    if (response.headersSent) response.destroy();
    else
      refuse(
        response,
        thrown instanceof AppError ? thrown : new AppError("INTERNAL_ERROR", "Internal error."),
      );
  };
  const app = createExpress();
  app.use((request, _response, next) => {
    const [, unreadable] = readPath(request);
    next(unreadable);
  });
  app.use(router);
  app.use((request, response) => {
    refuse(response, pathNotFound(request.path));
  });
  app.use(failed);
  // Requests for these paths have no bodies.
  const server = createServer({ ...serverOptions(TIMEOUTS), requestTimeout: TIMEOUTS.headersMs }, app);
  keepConnections(server, TIMEOUTS);
  server.on("clientError", refuseUnreadable(clock));
  await listen(server, address);
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
