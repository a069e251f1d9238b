// Mercurius with compiled queries on Fastify.
import { mercurius } from "mercurius";
import { admit, createContext, createGraph } from "./graph.js";
import { createWeb, listen } from "./web.js";

const web = createWeb();
web.register(mercurius, {
  schema: createGraph(),
  jit: 1,
  path: "/graphql",
  async context(request, reply) {
    const admitted = await admit(request.headers["x-api-key"]);
    reply.headers(admitted.headers);
    return createContext(admitted);
  },
});
await listen(web);
process.once("SIGTERM", () => process.exit(0));
