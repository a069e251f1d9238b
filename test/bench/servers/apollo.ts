// Apollo Server on Express, started as in its documentation.
import type { AddressInfo } from "node:net";
import { ApolloServer } from "@apollo/server";
import { expressMiddleware } from "@as-integrations/express5";
import express from "express";
import { createLogger } from "../../../src/log.js";
import { COMMON_HEADERS, requestId } from "./admission.js";
import { admit, createContext, createGraph, type GraphContext } from "./graph.js";

const apollo = new ApolloServer<GraphContext>({ schema: createGraph() });
await apollo.start();

const log = createLogger("info");
const app = express();
app.use((request, response, next) => {
  const started = performance.now();
  const id = requestId(request.headers["x-request-id"]);
  response.set({ "X-Request-Id": id, ...COMMON_HEADERS });
  response.once("finish", () => {
    const { method, path } = request;
    const ms = performance.now() - started;
    log.info({ request_id: id, method, path, status: response.statusCode, ms }, "request");
  });
  next();
});
app.use(
  "/graphql",
  express.json(),
  expressMiddleware(apollo, {
    async context({ req, res }) {
      const admitted = await admit(req.headers["x-api-key"]);
      res.set(admitted.headers);
      return createContext(admitted);
    },
  }),
);
const server = app.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => process.exit(0));
