import { connect } from "node:net";

/** An answer as received over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Values by lowercase name, in the order received. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

/** Sends bytes to `url` and reads until the server closes the connection, so send `Connection: close`. */
export function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let failure: Error | undefined;
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.on("data", (chunk) => chunks.push(chunk));
    // A server may reset the connection right after an early answer, which is still valid.
    socket.on("error", (error) => {
      failure = error;
    });
    socket.on("close", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      if (text === "") reject(failure ?? new Error("the server closed the connection without an answer"));
      else resolve(parseAnswer(text));
    });
  });
}

/** Sends a request that `fetch` cannot, for example with a repeated header. */
export function requestRaw(
  url: string,
  head: {
    method?: string;
    headers?: readonly (readonly [name: string, value: string])[];
    body?: string;
  } = {},
): Promise<RawAnswer> {
  const { host, pathname, search } = new URL(url);
  const { method = "GET", headers = [], body = "" } = head;
  const lines = [
    `${method} ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    "Connection: close",
    ...(body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return sendRaw(url, `${lines.join("\r\n")}\r\n\r\n${body}`);
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    headers[name] = [...(headers[name] ?? []), line.slice(colon + 1).trim()];
  }
  return { status: Number(statusLine.split(" ")[1]), headers, body: text.slice(end + 4) };
}
