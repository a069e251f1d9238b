import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A span in OTLP's JSON format, with its attributes as an object. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  /** 1: internal, 2: server, 3: client. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  /** A code of 2 is an error. */
  readonly status: { code: number; message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly events: readonly unknown[];
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
}
type Attributes = readonly { key: string; value: Value }[];

const toObject = (attributes: Attributes) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.intValue === undefined ? value.stringValue : Number(value.intValue),
    ]),
  );

/** Starts a stand-in for an OpenTelemetry collector that accepts OTLP as JSON over HTTP. */
export async function startCollector(port = 0) {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const sockets = new Set<Socket>();
  let behaviour: "accepts" | "refuses" | "hangs" = "accepts";
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests += 1;
    if (behaviour === "hangs") return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (behaviour === "refuses") return void response.writeHead(500).end();
    const body = Buffer.concat(chunks).toString("utf8");
    bodies.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`);
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      for (const span of scopeSpans.flatMap((scope: { spans: object[] }) => scope.spans)) {
        spans.push({
          ...span,
          attributes: toObject(span.attributes),
          resource: toObject(resource.attributes),
        });
      }
    }
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** Every request received: path, headers and body. */
    bodies,
    requests: () => requests,
    behave(next: typeof behaviour) {
      behaviour = next;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;
