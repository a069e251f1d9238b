import { type FastifyBaseLogger, type FastifyInstance, fastify } from "fastify";
import { createLogger } from "../../../src/log.js";
import { COMMON_HEADERS, requestId } from "./admission.js";

/** Creates a Fastify with the usual basics: request ids, headers on every answer, one log line per request. */
export function createWeb(): FastifyInstance {
  const web = fastify({
    loggerInstance: createLogger("info") as FastifyBaseLogger,
    disableRequestLogging: true,
    genReqId: (request) => requestId(request.headers["x-request-id"]),
  });
  web.addHook("onRequest", async (request, reply) => {
    reply.headers({ "X-Request-Id": request.id, ...COMMON_HEADERS });
  });
  web.addHook("onResponse", async (request, reply) => {
    const { method, url } = request;
    request.log.info({ method, path: url, status: reply.statusCode, ms: reply.elapsedTime }, "request");
  });
  return web;
}

/** Listens on a free port, and prints the URL. */
export async function listen(web: FastifyInstance): Promise<void> {
  console.log(`listening on ${await web.listen({ host: "127.0.0.1", port: 0 })}`);
}
