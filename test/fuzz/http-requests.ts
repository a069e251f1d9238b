import fc from "fast-check";
import { list } from "../support/list.js";
import { anyBytes, type Bytes, mutate, mutations, utf8 } from "./bytes.js";
import type { WireRequest } from "./wire.js";

/** Placeholder that is replaced by a valid key when the case runs. */
export const KEY = "<key>";

const METHODS = list("GET HEAD POST PUT DELETE PATCH OPTIONS TRACE CONNECT QUERY PROPFIND");
const PATHS = [
  ...["emissions", "compliance", "credits", "benchmarks", "market", "nothing"].flatMap((name) => [
    `/api/v1/ext/v1/${name}`,
    `/ext/v1/${name}`,
  ]),
  "/",
  "/graphql",
  "/graphql/",
  "/graphql/schema.graphql",
  "/graphiql",
  "/graphiql/",
  "/graphiql/main.js",
  "/openapi.json",
  "/health/live",
  "/health/ready",
  "/metrics",
  "/api/v1",
  "/ext/v1",
  "/api/v1/ext/v1/",
];

const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PATHS) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...PATHS),
        fc.constantFrom("", "/", "//", "/.", "/..", "%2f", ";", "\\"),
        anyBytes,
      )
      .map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: fc.constantFrom(...PATHS).map((known) => known.toUpperCase()) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...PATHS), mutations)
      .map(([known, changes]) => mutate(known, changes)),
  },
  { weight: 1, arbitrary: fc.webPath().map(utf8) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 100, max: 20_000 }).map((length) => `/${"a/".repeat(length / 2)}`),
  },
);

const target = fc.oneof(
  { weight: 6, arbitrary: path },
  { weight: 2, arbitrary: fc.tuple(path, anyBytes).map(([before, query]) => `${before}?${query}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("http://", "https://", "HTTP://a:b@", "ftp://", "//", "javascript:"),
        anyBytes,
        path,
      )
      .map((parts) => parts.join("")),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.constantFrom("*", "gateway:443", "gateway", "?", "#", "[::1]:80", "http://["),
      anyBytes,
    ),
  },
);

type Header = readonly [name: Bytes, value: Bytes];

/** Headers that a client may repeat, with any value. */
const harmless: fc.Arbitrary<Header> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(["X-API-Key", KEY] as const) },
  fc.tuple(fc.constantFrom("X-API-Key", "x-api-key", "X-Api-Key ", "X_API_KEY", "Authorization"), anyBytes),
  fc.tuple(fc.constant("X-Request-Id"), fc.oneof(fc.uuid(), anyBytes)),
  fc.tuple(
    fc.constantFrom("X-Forwarded-For", "Forwarded", "X-Real-IP"),
    fc.oneof(fc.ipV4(), fc.ipV6(), anyBytes),
  ),
  fc.tuple(
    fc.constantFrom("Origin", "Referer", "Access-Control-Request-Method", "Cookie", "User-Agent"),
    anyBytes,
  ),
  fc.tuple(
    fc.constantFrom("Accept", "Accept-Encoding", "Accept-Language", "Content-Type", "Content-Encoding"),
    anyBytes,
  ),
  fc.tuple(
    fc.constantFrom(...list("Range If-None-Match If-Match If-Modified-Since If-Unmodified-Since If-Range")),
    fc.oneof(
      fc.constantFrom("bytes=0-1", "bytes=-1", "bytes=99999999-", "bytes=1-0,2-3", "*", '"a"'),
      anyBytes,
    ),
  ),
  fc.tuple(
    fc.constantFrom("Accept", "Content-Type"),
    fc.constantFrom("text/html", "*/*", "application/json", "image/png"),
  ),
  fc.tuple(fc.constant("X-HTTP-Method-Override"), fc.constantFrom("DELETE", "GET", "x")),
  fc.tuple(
    fc.stringMatching(/^[a-zA-Z-]{1,20}$/),
    fc.integer({ min: 1, max: 20_000 }).map((length) => "x".repeat(length)),
  ),
);

/** Headers that determine the end of the request or the use of the connection. */
const framing: fc.Arbitrary<Header> = fc.oneof(
  fc.tuple(
    fc.constant("Content-Length"),
    fc.oneof(fc.constantFrom("0", "5", "-1", "+5", "5, 5", "0x5", "99999999999999999999"), anyBytes),
  ),
  fc.tuple(
    fc.constant("Transfer-Encoding"),
    fc.oneof(fc.constantFrom("chunked", "gzip, chunked", "chunked, identity", "xchunked"), anyBytes),
  ),
  fc.tuple(
    fc.constant("Connection"),
    fc.oneof(fc.constantFrom("keep-alive", "upgrade", "close, upgrade", "Host"), anyBytes),
  ),
  fc.tuple(fc.constant("Upgrade"), fc.constantFrom("websocket", "h2c", "TLS/1.0")),
  fc.tuple(fc.constant("Expect"), fc.oneof(fc.constantFrom("100-continue", "200-ok"), anyBytes)),
  fc.tuple(fc.constantFrom("TE", "Trailer", "Keep-Alive", "HTTP2-Settings"), anyBytes),
  fc.tuple(anyBytes, anyBytes),
);

interface Head {
  readonly method: Bytes;
  readonly target: Bytes;
  readonly version: Bytes;
  readonly headers: readonly Header[];
  readonly body: Bytes;
}

const body = fc.oneof(
  { weight: 4, arbitrary: fc.constant("") },
  anyBytes,
  fc.constantFrom(
    '{"query":"{ __typename }"}',
    "5\r\nhello\r\n0\r\n\r\n",
    "0\r\n\r\n",
    "zz\r\n",
    "5;ext=1\r\nhello\r\n0\r\nX: y\r\n\r\n",
  ),
);

const head = (headers: fc.Arbitrary<Header>): fc.Arbitrary<Head> =>
  fc.record({
    method: fc.oneof(
      { weight: 4, arbitrary: fc.constant("GET") },
      { weight: 2, arbitrary: fc.constantFrom(...METHODS) },
    ),
    target,
    version: fc.constant("HTTP/1.1"),
    headers: fc.array(headers, { maxLength: 5 }),
    body,
  });

const strangeHead: fc.Arbitrary<Head> = fc.record({
  method: fc.oneof(fc.constantFrom(...METHODS, "PRI", "get", "GE T", "\x16\x03\x01"), anyBytes),
  target,
  version: fc.oneof(
    fc.constantFrom("HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.2", "HTTP/11", "ICE/1.0", ""),
    anyBytes,
  ),
  headers: fc.array(fc.oneof(harmless, framing), { maxLength: 8 }),
  body,
});

function write(
  { method, target: address, version, headers, body: content }: Head,
  more: readonly Header[],
): Bytes {
  const lines = [...more, ...headers].map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${address} ${version}`, ...lines].join("\r\n")}\r\n\r\n${content}`;
}

/** Returns false for bytes that an HTTP parser may read as the end of a line or of a part of it. */
const isPlain = (text: Bytes) => !/[\r\n\0 \t]/.test(text);

/** Well-framed requests, which must be answered, whatever their content. */
const framed = head(harmless).map((request) => {
  const length = [["Content-Length", String(request.body.length)]] as const;
  const bytes = write(request, [
    ["Host", "gateway"],
    ["Connection", "close"],
    ...(request.body === "" ? [] : length),
  ]);
  const isWhole =
    isPlain(request.target) &&
    request.target !== "" &&
    request.headers.every(([, value]) => !/[\r\n\0]/.test(value));
  return { bytes, isWhole };
});

/** Any other bytes: strange heads, changed bytes, several requests at once. */
const unframed = fc.oneof(
  fc
    .tuple(head(harmless), mutations)
    .map(([request, changes]) => mutate(write(request, [["Host", "gateway"]]), changes)),
  // May be answered before the chunks turn out to be invalid.
  head(harmless).map((request) =>
    write(request, [
      ["Host", "gateway"],
      ["Transfer-Encoding", "chunked"],
    ]),
  ),
  strangeHead.map((request) => write(request, [["Host", "gateway"]])),
  strangeHead.map((request) => write(request, [])),
  strangeHead.map((request) => write(request, []).replaceAll("\r\n", "\n")),
  fc
    .array(fc.oneof(head(harmless), strangeHead), { minLength: 2, maxLength: 4 })
    .map((requests) => requests.map((request) => write(request, [["Host", "gateway"]])).join("")),
  anyBytes,
);

export interface HttpCase {
  /** Bytes with KEY in place of a key. */
  readonly bytes: Bytes;
  readonly isWhole: boolean;
  /** Number of packets of the bytes. */
  readonly packets: number;
  readonly closesEarly: boolean;
}

/** Requests that `fetch` could not send. */
export const httpCase: fc.Arbitrary<HttpCase> = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: framed },
      { weight: 2, arbitrary: unframed.map((bytes) => ({ bytes, isWhole: false })) },
    ),
    fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 5 })),
    fc.boolean(),
  )
  .map(([request, packets, closesEarly]) => ({ ...request, packets, closesEarly }));

export function toWire({ bytes, isWhole, packets, closesEarly }: HttpCase, key: string): WireRequest {
  const whole = Buffer.from(bytes.replaceAll(KEY, key), "latin1");
  const size = Math.ceil(whole.length / packets) || 1;
  const pieces: Buffer[] = [];
  for (let at = 0; at < whole.length; at += size) pieces.push(whole.subarray(at, at + size));
  return { pieces, isWhole, closesEarly };
}

/** Returns a valid GET, with its query unescaped. */
export const get = (address: string, key: string): WireRequest => ({
  pieces: [
    Buffer.from(
      `GET ${address} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\nX-API-Key: ${key}\r\n\r\n`,
      "latin1",
    ),
  ],
  isWhole: true,
});
