import { randomUUID } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { addGraph } from "../support/graph-fixtures.js";
import type { LogLine } from "../support/secrets.js";
import { type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";

const BOUND = { timeout: 60_000, interval: 20 };
const TIMEOUTS = { headersMs: 3_000, bodyMs: 3_000, longBodyMs: 60_000, answerMs: 6_000 };

/** Prices for a 2 MB response: more than the connection buffers, but less than the network does. */
const PRICES = 9_000;
/** Number of responses that exceeds the network's buffers. */
const MUCH = 8;

let gateway: Gateway;
/** Key of an organization with those prices. */
let key: string;
beforeAll(async () => {
  // Express prints errors unless NODE_ENV is `test`.
  vi.stubEnv("NODE_ENV", "production");
  gateway = await startGateway({ timeouts: TIMEOUTS });
  const slug = await makeOrganization(gateway.database);
  await addGraph(gateway.database, slug, {
    records: 0,
    frameworks: 0,
    batches: 0,
    instruments: PRICES,
    children: 1,
  });
  key = (await makeKey(gateway.database, slug)).key;
});
afterAll(async () => {
  await gateway.stop();
  vi.unstubAllEnvs();
});

const crlf = (...lines: string[]) => lines.join("\r\n");
/** Returns the head of a request; headers of a body are optional. */
const head = (what: string, ...headers: string[]) => crlf(`${what} HTTP/1.1`, "Host: x", ...headers, "", "");
const market = (...headers: string[]) => head("GET /ext/v1/market", `X-API-Key: ${key}`, ...headers);
const idHeader = (id: string) => `X-Request-Id: ${id}`;

/** Sends bytes over a connection that stays open for more, and reads only on request. */
async function send(bytes: string, { url }: Gateway = gateway) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  const firstBytes = once(socket, "readable");
  socket.on("error", () => undefined).write(bytes);
  return {
    socket,
    firstBytes,
    /** Reads until the server closes the connection. */
    async readAll(): Promise<string> {
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.on("data", (chunk: Buffer) => chunks.push(chunk)).resume();
      await once(socket, "end");
      socket.end();
      await closed;
      return Buffer.concat(chunks).toString();
    },
  };
}

/** Splits pipelined responses into their status, head and body. */
function split(text: string): { status: number; head: string; body: string }[] {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return [];
  const first = text.slice(0, end);
  const length = Number(/^Content-Length: (\d+)$/im.exec(first)?.[1]);
  const rest = Buffer.from(text.slice(end + 4));
  const body = rest.subarray(0, length);
  expect(body).toHaveLength(length);
  const status = Number(first.split(" ")[1]);
  return [{ status, head: first, body: body.toString() }, ...split(rest.subarray(length).toString())];
}
const statusesOf = (text: string) => split(text).map(({ status }) => status);

const linesOf = (id: string, { log }: Gateway = gateway) =>
  log().filter(({ request_id }) => request_id === id);
/** Waits for the log line of a request. */
async function lineOf(id: string, of: Gateway = gateway): Promise<LogLine | undefined> {
  const find = () => linesOf(id, of).find(({ msg }) => msg === "request");
  await expect.poll(find, BOUND).toBeDefined();
  return find();
}

describe("a large response", () => {
  it.each([
    ["the request's body follows it", ["Connection: close", "Content-Length: 5"], "12345"],
    ["rubbish follows the last request", ["Connection: close"], "rubbish ".repeat(20_000)],
    ["rubbish follows the request", [], "rubbish ".repeat(20_000)],
  ])("arrives complete even if %s", async (_what, headers, rest) => {
    const { socket, firstBytes, readAll } = await send(market(...headers));
    await firstBytes;
    socket.write(rest);
    const [answer] = split(await readAll());
    expect(JSON.parse(answer?.body ?? "").data.prices).toHaveLength(PRICES);
  });

  it("arrives complete even if the gateway stops in the meantime", async () => {
    const own = await startGateway({ database: gateway.database });
    const { firstBytes, readAll } = await send(market().repeat(MUCH), own);
    await firstBytes;
    const stopped = own.stop();
    // The gateway accepts no more connections.
    await expect
      .poll(
        () =>
          fetch(own.url).then(
            () => "served",
            () => "refused",
          ),
        BOUND,
      )
      .toBe("refused");
    expect(statusesOf(await readAll())).toEqual(Array.from({ length: MUCH }, () => 200));
    await stopped;
  });

  it("does not keep the gateway from stopping if the client reads none of it", async () => {
    const own = await startGateway({ database: gateway.database });
    const { firstBytes } = await send(market().repeat(MUCH) + head("CONNECT x:1"), own);
    await firstBytes;
    await own.stop();
  });

  it("is aborted if the client reads none of it, and logged as such", async () => {
    const id = randomUUID();
    const { firstBytes } = await send(market().repeat(MUCH) + market(idHeader(id)));
    await firstBytes;
    expect(await lineOf(id)).toMatchObject({ status: 200, aborted: true });
  });

  it("keeps its connection open for at most 5 seconds if the request's body never ends", async () => {
    const { socket, readAll } = await send(market("Connection: close", "Content-Length: 1000000"));
    socket.on("end", () => {
      const trickle = setInterval(() => socket.write("x"), 100);
      socket.once("close", () => clearInterval(trickle));
    });
    // The client keeps its sending side open.
    socket.end = () => socket;
    expect(statusesOf(await readAll())).toEqual([200]);
  });
});

describe("a request whose client is gone", () => {
  it("is logged as aborted with 499, and no longer counts as active", async () => {
    const slug = await makeOrganization(gateway.database);
    const { key: fresh } = await makeKey(gateway.database, slug);
    const ids = [randomUUID(), randomUUID()];
    // The first request waits for the database, and the second for the first.
    const requests = ids.map((id) => head("GET /ext/v1/emissions", `X-API-Key: ${fresh}`, idHeader(id)));
    const active = async () => {
      const { body } = await gateway.call<string>("/metrics");
      return /^http_server_active_requests (\d+)$/m.exec(body)?.[1];
    };
    await gateway.database.transaction(async (sql) => {
      await sql.query("LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE");
      const { socket } = await send(requests.join(""));
      await expect.poll(active, BOUND).toBe("3");
      socket.resetAndDestroy();
      for (const id of ids) expect(await lineOf(id)).toMatchObject({ status: 499, aborted: true });
    });
    // The request for the metrics itself.
    await expect.poll(active, BOUND).toBe("1");
  });

  it("is not executed after a response that closes the connection", async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    const late = ["Content-Type: application/json", "Content-Length: 5"];
    const { socket, firstBytes, readAll } = await send(head("POST /graphql", ...late));
    await firstBytes;
    socket.write(`12345${ids.map((id) => market(idHeader(id))).join("")}`);
    const answers = await readAll();
    expect(statusesOf(answers)).toEqual([408]);
    for (const id of ids) expect(linesOf(id)).toEqual([]);
  });
});

describe("a request that is refused before its body has arrived", () => {
  const graphql = (id: string, ...headers: string[]) =>
    head("POST /graphql", `X-API-Key: ${key}`, idHeader(id), "Content-Type: application/json", ...headers);

  it.each([
    ["turns out valid", `"{organization{slug}}"}`],
    ["turns out invalid", "and more"],
  ])("is neither executed nor counted nor printed if the body %s", async (_what, rest) => {
    const printed = vi.spyOn(console, "error");
    onTestFinished(() => printed.mockRestore());
    const left = async () => (await gateway.rest("/emissions", key)).headers.get("x-ratelimit-remaining");
    const before = Number(await left());
    const id = randomUUID();
    const begun = '{"query":';
    const { socket, firstBytes, readAll } = await send(
      graphql(id, `Content-Length: ${begun.length + rest.length}`) + begun,
    );
    await firstBytes;
    socket.write(rest);
    expect(statusesOf(await readAll())).toEqual([408]);
    expect(Number(await left())).toBe(before - 1);
    expect(linesOf(id)).toEqual([expect.objectContaining({ msg: "request", status: 408 })]);
    expect(printed).not.toHaveBeenCalled();
  });

  it("gets 400 in the form of its surface, with its request id, for a malformed body", async () => {
    const id = randomUUID();
    const { readAll } = await send(`${graphql(id, "Transfer-Encoding: chunked")}nonsense\r\n`);
    const [answer, ...others] = split(await readAll());
    expect([answer?.status, others]).toEqual([400, []]);
    expect(answer?.head).toContain(`\r\n${idHeader(id)}\r\n`);
    expect(JSON.parse(answer?.body ?? "")).toEqual({
      errors: [{ message: expect.stringContaining("Malformed"), extensions: { code: "BAD_REQUEST" } }],
    });
    expect(await lineOf(id)).toMatchObject({ status: 400 });
  });

  it("is refused at once even if the connection has served another request", async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const body = `{"query":"{organization{slug}}"}`;
    const { socket, readAll } = await send(
      graphql(first, `Content-Length: ${body.length}`) + body + graphql(second, "Transfer-Encoding: chunked"),
    );
    await lineOf(first);
    socket.write("nonsense\r\n");
    expect(statusesOf(await readAll())).toEqual([200, 400]);
  });

  it("gets one response even if the body, a token request, arrives after the refusal", async () => {
    const form = "grant_type=client_credentials";
    const start = head(
      "POST /oauth/token",
      "Content-Type: application/x-www-form-urlencoded",
      `Content-Length: ${form.length}`,
    );
    const { socket, firstBytes, readAll } = await send(start);
    await firstBytes;
    socket.write(form);
    expect(statusesOf(await readAll())).toEqual([408]);
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
  });

  it("gets one response even if the body never arrives", async () => {
    const { readAll } = await send(head("POST /ext/v1/emissions", `X-API-Key: ${key}`, "Content-Length: 5"));
    expect(statusesOf(await readAll())).toEqual([405]);
  });
});

describe("a malformed body of a request that needs none", () => {
  it.each(["/ext/v1/emissions", "/ext/v1/nothing", "/graphql", "/metrics", "/health/ready", "/openapi.json"])(
    "gets one response, and the gateway survives: %s",
    async (path) => {
      for (const headers of [[], [`X-API-Key: ${key}`]]) {
        const id = randomUUID();
        const request = head(`GET ${path}`, ...headers, idHeader(id), "Transfer-Encoding: chunked");
        const { readAll } = await send(`${request}zz\r\n`);
        expect(statusesOf(await readAll())).toEqual([expect.toBeOneOf([200, 400, 404])]);
        // Waits until the work behind the request has ended; an unhandled error would crash this process.
        await gateway.rest("/emissions", key);
        expect(linesOf(id).filter(({ level }) => Number(level) > 30)).toEqual([]);
      }
    },
  );
});

describe("a keep-alive connection", () => {
  it("keeps no listeners of the requests it has served", async () => {
    const sockets: Socket[] = [];
    const collect = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
    subscribe("net.server.socket", collect);
    onTestFinished(() => void unsubscribe("net.server.socket", collect));
    const { socket, firstBytes } = await send("");
    await once(socket, "connect");
    await expect.poll(() => sockets.length, BOUND).toBe(1);
    const listeners = () => sockets[0]?.listenerCount("close");
    const before = listeners();
    const last = randomUUID();
    const others = Array.from({ length: 100 }, () => head("GET /ext/v1/nothing"));
    socket.write(others.join("") + head("GET /ext/v1/nothing", idHeader(last)));
    await firstBytes;
    socket.resume();
    await lineOf(last);
    expect(listeners()).toBe(before);
  });
});

describe("requests followed by rubbish", () => {
  it("are all answered", async () => {
    const requests = [market(), head("GET /openapi.json"), market()];
    const { readAll } = await send(`${requests.join("")}rubbish\r\n\r\n`);
    expect(statusesOf(await readAll())).toEqual([200, 200, 200]);
  });
});
