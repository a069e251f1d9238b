// The floor: one Redis script and constant bytes, fetched from the gateway BODIES_OF with API_KEY.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Redis, type Result } from "ioredis";
import { requireVariable } from "./admission.js";

declare module "ioredis" {
  interface RedisCommander<Context> {
    count(key: string, milliseconds: number): Result<[number, number], Context>;
  }
}

const PATHS = ["/emissions", "/compliance", "/credits", "/benchmarks", "/market"];
const bodies = new Map<string, Buffer>();
for (const path of PATHS.map((path) => `/ext/v1${path}`)) {
  const headers = { "X-API-Key": requireVariable("API_KEY") };
  const answer = await fetch(`${requireVariable("BODIES_OF")}${path}`, { headers });
  bodies.set(path, Buffer.from(await answer.arrayBuffer()));
}

const redis = new Redis(requireVariable("REDIS_URL"));
redis.defineCommand("count", {
  numberOfKeys: 1,
  lua: `
    local count = redis.call('incr', KEYS[1])
    if count == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end
    return {count, redis.call('pttl', KEYS[1])}`,
});

const server = createServer(async (request, response) => {
  await redis.count(`carbon-gateway:bench:${request.headers["x-api-key"]}`, 3_600_000);
  const body = bodies.get(request.url ?? "");
  response.writeHead(body ? 200 : 404, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": body?.length ?? 0,
  });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => process.exit(0));
