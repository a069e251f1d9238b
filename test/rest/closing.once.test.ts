import { randomUUID } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { addGraph } from "../support/graph-fixtures.js";
import type { LogLine } from "../support/heard.js";
import { type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";

const BOUND = { timeout: 15_000, interval: 20 };
const TIMEOUTS = { headersMs: 3_000, bodyMs: 3_000, longBodyMs: 60_000, answerMs: 6_000 };

/** So many that their answer has 2 MB; that is more than an answer's connection holds, and less than the network does. */
const PRICES = 9_000;
/** So many answers that the network does not hold them. */
const MUCH = 8;

let gateway: Gateway;
/** Of an organization with those prices. */
let key: string;
beforeAll(async () => {
  // Under `test` Express is silent where it would print.
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
/** The head of a request without a body, or of the one whose headers are given. */
const head = (what: string, ...headers: string[]) => crlf(`${what} HTTP/1.1`, "Host: x", ...headers, "", "");
const market = (...headers: string[]) => head("GET /ext/v1/market", `X-API-Key: ${key}`, ...headers);
const idHeader = (id: string) => `X-Request-Id: ${id}`;

/** A connection over which bytes have been sent, and which stays open for sending more; it reads when it is told to. */
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
    /** All that comes until the connection is closed, by the server first. */
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

/** The bodies of answers that came one after the other, each with its status. */
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
/** The line of a request, once it is there. */
async function lineOf(id: string, of: Gateway = gateway): Promise<LogLine | undefined> {
  const find = () => linesOf(id, of).find(({ msg }) => msg === "request");
  await expect.poll(find, BOUND).toBeDefined();
  return find();
}

describe("a large answer", () => {
  it.each([
    ["its request's body comes after it", ["Connection: close", "Content-Length: 5"], "12345"],
    ["what comes after its request, the last, is no HTTP", ["Connection: close"], "rubbish ".repeat(20_000)],
    ["what comes after its request is no HTTP", [], "rubbish ".repeat(20_000)],
  ])("comes as a whole, though %s", async (_what, headers, rest) => {
    const { socket, firstBytes, readAll } = await send(market(...headers));
    await firstBytes;
    socket.write(rest);
    const [answer] = split(await readAll());
    expect(JSON.parse(answer?.body ?? "").data.prices).toHaveLength(PRICES);
  });

  it("comes as a whole, though the gateway is told to stop while it is on its way", async () => {
    const own = await startGateway({ database: gateway.database });
    const { firstBytes, readAll } = await send(market().repeat(MUCH), own);
    await firstBytes;
    const stopped = own.stop();
    // It takes no more connections.
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

  it("is not waited for by a gateway that stops, where its client takes none of it", async () => {
    const own = await startGateway({ database: gateway.database });
    const { firstBytes } = await send(market().repeat(MUCH) + head("CONNECT x:1"), own);
    await firstBytes;
    const started = performance.now();
    await own.stop();
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it("is given up where its client takes none of it, and said to be", async () => {
    const id = randomUUID();
    const { firstBytes } = await send(market().repeat(MUCH) + market(idHeader(id)));
    await firstBytes;
    expect(await lineOf(id)).toMatchObject({ status: 200, aborted: true });
  });

  it("keeps the connection no longer than 5 seconds for a body that never ends", async () => {
    const { socket, readAll } = await send(market("Connection: close", "Content-Length: 1000000"));
    socket.on("end", () => {
      const trickle = setInterval(() => socket.write("x"), 100);
      socket.once("close", () => clearInterval(trickle));
    });
    // The client would go on; only the end of its sending side is not sent.
    socket.end = () => socket;
    expect(statusesOf(await readAll())).toEqual([200]);
  });
});

describe("a request of which nobody gets the answer", () => {
  it("is told to have been aborted, without a status that was never sent, and is over", async () => {
    const slug = await makeOrganization(gateway.database);
    const { key: fresh } = await makeKey(gateway.database, slug);
    const ids = [randomUUID(), randomUUID()];
    // The second waits behind the first, which waits for the database.
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
    // The one that asks.
    await expect.poll(active, BOUND).toBe("1");
  });

  it("is not served where it comes after an answer that closes the connection", async () => {
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

describe("a request that is refused while its body is on its way", () => {
  const graphql = (id: string, ...headers: string[]) =>
    head("POST /graphql", `X-API-Key: ${key}`, idHeader(id), "Content-Type: application/json", ...headers);

  it.each([
    ["is right in the end", `"{organization{slug}}"}`],
    ["is not", "and more"],
  ])("is neither run nor counted nor printed, where that %s", async (_what, rest) => {
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

  it("has its own id in the answer and in the log, and the form of its surface, where the body is no HTTP", async () => {
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

  it("is told so at once, though another was answered before it over the connection", async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const body = `{"query":"{organization{slug}}"}`;
    const { socket, readAll } = await send(
      graphql(first, `Content-Length: ${body.length}`) + body + graphql(second, "Transfer-Encoding: chunked"),
    );
    await lineOf(first);
    socket.write("nonsense\r\n");
    expect(statusesOf(await readAll())).toEqual([200, 400]);
  });

  it("gets one answer, though a token's form comes after it was refused", async () => {
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

  it("gets one answer, though the body never comes", async () => {
    const { readAll } = await send(head("POST /ext/v1/emissions", `X-API-Key: ${key}`, "Content-Length: 5"));
    expect(statusesOf(await readAll())).toEqual([405]);
  });
});

describe("a body that is no HTTP, of a request that is answered without it", () => {
  it.each(["/ext/v1/emissions", "/ext/v1/nothing", "/graphql", "/metrics", "/health/ready", "/openapi.json"])(
    "gets one answer, with a key or without, and the gateway lives on: %s",
    async (path) => {
      for (const headers of [[], [`X-API-Key: ${key}`]]) {
        const id = randomUUID();
        const request = head(`GET ${path}`, ...headers, idHeader(id), "Transfer-Encoding: chunked");
        const { readAll } = await send(`${request}zz\r\n`);
        expect(statusesOf(await readAll())).toEqual([expect.toBeOneOf([200, 400, 404])]);
        // What goes on behind it has ended, too, and would have brought this process down.
        await gateway.rest("/emissions", key);
        expect(linesOf(id).filter(({ level }) => Number(level) > 30)).toEqual([]);
      }
    },
  );
});

describe("a connection that is kept", () => {
  it("holds nothing of the requests that were answered over it", async () => {
    const sockets: Socket[] = [];
    const remember = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
    subscribe("net.server.socket", remember);
    onTestFinished(() => void unsubscribe("net.server.socket", remember));
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

describe("requests before something that is no HTTP", () => {
  it("are all answered", async () => {
    const requests = [market(), head("GET /openapi.json"), market()];
    const { readAll } = await send(`${requests.join("")}rubbish\r\n\r\n`);
    expect(statusesOf(await readAll())).toEqual([200, 200, 200]);
  });
});
