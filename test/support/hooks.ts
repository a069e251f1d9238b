import { readFile } from "node:fs/promises";
import {
  createServer as createPlainServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { learnKeys } from "./secrets.js";

const readHere = (file: string) => readFile(new URL(file, import.meta.url), "utf8");

/** The receivers' certificate, for hooks.test and slow.test. */
export const HOOKS_CERTIFICATE = await readHere("hooks-certificate.pem");

export interface ReceivedHook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Returns the event id of a request. */
export const idOf = ({ headers }: ReceivedHook) => String(headers["webhook-id"]);

/** Returns the event's sequence number in the audit trail. */
export const seqOf = (hook: ReceivedHook) => Number(idOf(hook).split("-")[0]);

type Respond = (response: ServerResponse, hook: ReceivedHook) => void | Promise<void>;

/** Starts a receiver, which records each request before it responds. */
async function startRecording(create: (listener: RequestListener) => Server, respond: Respond) {
  const received: ReceivedHook[] = [];
  const server = create(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const hook = { headers: request.headers, body };
    received.push(hook);
    await respond(response, hook);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A local receiver of webhooks over https. */
export interface Receiver {
  readonly port: number;
  readonly received: readonly ReceivedHook[];
  /** Sets the status and headers of further responses; null makes it never respond. */
  answerWith(status: number | null, headers?: Record<string, string>): void;
  stop(): Promise<void>;
}

/** Starts a receiver. A 302 redirects to the receiver itself. */
export async function startReceiver(): Promise<Receiver> {
  let [next, nextHeaders]: [number | null, Record<string, string>] = [200, {}];
  const identity = { cert: HOOKS_CERTIFICATE, key: await readHere("hooks-key.pem") };
  const receiver = await startRecording(
    (listener) => createServer(identity, listener),
    (response) => {
      if (next !== null)
        response.writeHead(next, { Location: "/elsewhere", ...nextHeaders }).end("x".repeat(100_000));
    },
  );
  return {
    ...receiver,
    answerWith: (status, headers = {}) => {
      [next, nextHeaders] = [status, headers];
    },
  };
}

/** A local mail server, with the received e-mails. */
export interface MailServer {
  readonly url: string;
  /** Each e-mail as received, with its recipient. */
  readonly mails: readonly { readonly to: string; readonly text: string }[];
  /** Makes the server refuse further e-mails, or accept them again. */
  refuse(isRefusing: boolean): void;
  stop(): Promise<void>;
}

/** Returns the token of the link in an e-mail. */
export function tokenIn(mail: { readonly text: string } | undefined): string {
  const text = mail?.text.replaceAll("=\r\n", "").replaceAll("=3D", "=") ?? "";
  const token = /#[a-z]+=(cgw_\w+)/.exec(text)?.[1] ?? "";
  learnKeys(token);
  return token;
}

/** Starts a server with the part of SMTP (RFC 5321) that one client needs. */
export async function startMailServer(): Promise<MailServer> {
  const mails: { to: string; text: string }[] = [];
  let isRefusing = false;
  const server = createTcpServer((socket) => {
    const say = (line: string) => socket.write(`${line}\r\n`);
    let [to, pending, isText] = ["", "", false];
    socket.setEncoding("utf8").on("error", () => undefined);
    socket.on("data", (chunk) => {
      pending += String(chunk);
      for (;;) {
        const end = pending.indexOf(isText ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const line = pending.slice(0, end);
        pending = pending.slice(end + (isText ? 5 : 2));
        if (isText) {
          mails.push({ to, text: line });
          isText = false;
          say("250 Taken");
        } else if (/^RCPT/i.test(line)) {
          to = /<(.*)>/.exec(line)?.[1] ?? "";
          say(isRefusing ? "450 Later" : "250 OK");
        } else if (/^DATA/i.test(line)) {
          isText = true;
          say("354 Go on");
        } else if (/^QUIT/i.test(line)) {
          say("221 Bye");
          socket.end();
        } else say("250 OK");
      }
    });
    say("220 here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    refuse: (refusing) => {
      isRefusing = refusing;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Response to an event: a status, none at all, a reset connection, or a switch to another protocol. */
export type HookAnswer =
  | { readonly status: number; readonly headers?: Record<string, string> }
  | "hang"
  | "reset"
  | "switch";

/** A local receiver of events over http. */
export interface EventReceiver {
  readonly url: string;
  readonly received: readonly ReceivedHook[];
  /** Sets the answers to further requests. */
  answerBy(answer: (hook: ReceivedHook) => HookAnswer | Promise<HookAnswer>): void;
  stop(): Promise<void>;
}

/** Starts a receiver of events, which accepts everything by default. */
export async function startEventReceiver(): Promise<EventReceiver> {
  let decide: (hook: ReceivedHook) => HookAnswer | Promise<HookAnswer> = () => ({ status: 204 });
  const { port, ...receiver } = await startRecording(createPlainServer, async (response, hook) => {
    const answer = await decide(hook);
    const { socket } = response.req;
    if (answer === "reset") socket.resetAndDestroy();
    else if (answer === "switch") socket.end("HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    else if (answer !== "hang") response.writeHead(answer.status, answer.headers).end();
  });
  return {
    ...receiver,
    url: `http://127.0.0.1:${port}/events`,
    answerBy: (answer) => {
      decide = answer;
    },
  };
}
