import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { describeOutcomes, timeAnswers } from "../support/constant-load.js";
import { sendRaw } from "../support/raw.js";
import { type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";

const PATH = "/ext/v1/emissions";
const LATE = { code: "BAD_REQUEST", message: "The request took too long to arrive." };

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway({
    timeouts: { headersMs: 3_000, bodyMs: 3_000, longBodyMs: 60_000, answerMs: 30_000 },
  });
  key = (await makeKey(gateway.database, await makeOrganization(gateway.database))).key;
});
afterAll(() => gateway.stop());

/** Opens a connection to the gateway, and discards what it receives. */
async function open(bytes = "", allowHalfOpen = false, { url } = gateway): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined).resume();
  await once(socket, "connect");
  socket.write(bytes);
  return socket;
}

const allClosed = (sockets: readonly Socket[]) =>
  Promise.all(sockets.map((socket) => (socket.closed ? undefined : once(socket, "close"))));

/** Sends a byte over each connection now and then, until all are closed. */
async function trickle(sockets: readonly Socket[], byte: string): Promise<void> {
  const sending = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(byte);
  }, 500);
  await allClosed(sockets).finally(() => clearInterval(sending));
}

/** Expects both surfaces to answer others while `work` runs. */
async function othersAreServed(fault: string, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  const { outcomes, ask } = timeAnswers();
  do {
    await Promise.all([
      ask(gateway.rest("/emissions", key)),
      ask(gateway.graphql("{ organization { slug } }", key)),
    ]);
    await setTimeout(50);
  } while (!isDone);
  await ended;
  console.log(describeOutcomes(fault, outcomes));
  // The last two may have been answered after its end.
  expect(outcomes.length).toBeGreaterThan(2);
}

describe("2,000 connections that send nothing", () => {
  it("do not keep others from being served, and are closed", async () => {
    const sockets = await Promise.all(Array.from({ length: 2_000 }, () => open()));
    await othersAreServed("2,000 connections that send nothing", allClosed(sockets));
  });
});

describe("2,000 requests whose headers do not end", () => {
  it("do not keep others from being served, and are refused", async () => {
    const begun = `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-Slow: `;
    const sockets = await Promise.all(Array.from({ length: 2_000 }, () => open(begun)));
    await othersAreServed("2,000 requests with slow headers", trickle(sockets, "x"));
  });

  it("get 408 in the envelope", async () => {
    const answer = await sendRaw(gateway.url, `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-Slow: `);
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.body)).toMatchObject({ success: false, data: null, error: LATE });
  });
});

describe("a body that does not end", () => {
  const head = (path: string, length: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;

  it.each(["Content-Length: 100", "Transfer-Encoding: chunked"])(
    "gets 408 in GraphQL's form, and its connection is closed: %s",
    async (length) => {
      const begun = length.startsWith("T") ? '5\r\n{"que' : '{"que';
      const { status, headers, body } = await sendRaw(gateway.url, head("/graphql", length) + begun);
      expect([status, headers["connection"]]).toEqual([408, ["close"]]);
      expect(JSON.parse(body)).toEqual({
        errors: [
          {
            message: expect.stringMatching(/^The request's body took too long to arrive: expected /),
            extensions: { code: "BAD_REQUEST" },
          },
        ],
      });
    },
  );

  it("of 200 concurrent requests does not keep others from being served", async () => {
    const begun = `${head("/graphql", "Content-Length: 100")}{`;
    const sockets = await Promise.all(Array.from({ length: 200 }, () => open(begun)));
    await othersAreServed("200 requests with slow bodies", trickle(sockets, " "));
  });
});

describe("a client that closes its half of the connection", () => {
  it("after its request still gets the answer", async () => {
    const socket = await open(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`, true);
    socket.end();
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('"success":true');
  });

  it("in the middle of a body or the headers is disconnected at once", async () => {
    const anHour = 3_600_000;
    const patient = await startGateway({
      database: gateway.database,
      timeouts: { headersMs: anHour, bodyMs: anHour, longBodyMs: anHour, answerMs: anHour },
    });
    for (const begun of [
      `POST /graphql HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      `GET ${PATH} HTTP/1.1\r\nHost: x\r\n`,
    ]) {
      const socket = await open(begun, true, patient);
      socket.end();
      await once(socket, "end");
    }
    expect((await patient.rest("/emissions", key)).status).toBe(200);
    await patient.stop();
  });
});
