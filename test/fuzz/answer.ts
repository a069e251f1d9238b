import { resolve } from "node:path";
import type { Exchange, WireAnswer } from "./wire.js";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Internal details: useless to clients, and useful to attackers. */
const LEAKS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a stack", /(?:node:[\w/]+|\.[cm]?[jt]s):\d+:\d+/],
  ["a path", /node_modules|\/src\/|\/dist\/|\.ts:\d/],
  ["this folder", new RegExp(resolve(".").replaceAll(/[/.]/g, "\\$&"))],
  ["a library", /prisma|pglite|node-postgres|ioredis/i],
  ["SQL", /\bSELECT\b[^"]*\bFROM\b|\bINSERT INTO\b|\bsyntax error at or near\b|invalid byte sequence/],
  ["a table", /emission_records|emission_days|credit_batches|credit_sales|market_prices|api_keys|pg_catalog/],
  ["a host", /ECONN|EPIPE|127\.0\.0\.1:\d/],
  ["JavaScript", /TypeError|RangeError|Cannot read propert|is not a function|undefined is not/],
];

/** Throws unless a client may see everything that came over a connection. */
export function requireGoodExchange({ answers, text }: Exchange, forbidden: readonly string[]): void {
  const lowerCased = text.toLowerCase();
  for (const word of forbidden) {
    if (lowerCased.includes(word.toLowerCase())) throw new Error(`another tenant's ${word} came: ${text}`);
  }
  for (const answer of answers) requireGoodAnswer(answer);
}

/** Throws unless an answer is below 500, in the form of its surface, and reveals no internal details. */
export function requireGoodAnswer({ status, headers, body }: WireAnswer): void {
  const fail = (what: string) => {
    throw new Error(`${what}: ${status} ${JSON.stringify([...headers])}\n${body}`);
  };
  const header = (name: string) => headers.get(name)?.[0];
  if (status >= 500) fail("a failure of the server");
  const id = header("x-request-id") ?? "";
  if (!UUID.test(id)) fail("no UUID as X-Request-Id");
  if (header("x-content-type-options") !== "nosniff") fail("no X-Content-Type-Options");
  if (
    status === 401 &&
    !/^(ApiKey error="\w+"|Bearer( error="\w+")?)$/.test(headers.get("www-authenticate")?.at(-1) ?? "")
  )
    fail("401 without WWW-Authenticate");
  // The target of CONNECT allows no method, which an empty list says (RFC 9110, section 10.2.1).
  const allowsNone = body.includes("CONNECT is not allowed here.") && header("allow") === "";
  if (status === 405 && !header("allow") && !allowsNone) fail("405 without Allow");
  if (status === 429 && !/^\d+$/.test(header("retry-after") ?? "")) fail("429 without Retry-After");
  if (body === "") return;

  const type = header("content-type") ?? "";
  if (!/^application\/(json|graphql-response\+json)(;|$)/.test(type)) {
    if (status >= 400) fail("an error that is no JSON");
    return;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    fail("a body that is no JSON");
  }
  const isDocument = status === 200 && (isOperations(parsed) || isXbrl(parsed));
  if (!isEnvelope(parsed, id) && !isGraphql(parsed) && !isDocument) {
    fail("a body that is neither the envelope nor GraphQL's");
  }
  if (isOperations(parsed)) return;
  requireNoLeak(body);
}

/** Throws if a string reveals internal details. */
export function requireNoLeak(text: string): void {
  for (const [what, pattern] of LEAKS) if (pattern.test(text)) throw new Error(`it shows ${what}: ${text}`);
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Returns true for a report in xBRL-JSON, which has no envelope. */
const isXbrl = (value: unknown) => keysOf(value) === "documentInfo,facts";
const keysOf = (value: unknown) => (isObject(value) ? Object.keys(value).join() : undefined);

function isEnvelope(body: unknown, id: string): boolean {
  if (!isObject(body) || keysOf(body) !== "success,data,error,meta") return false;
  const { success, data, error, meta } = body;
  if (!isObject(meta) || keysOf(meta) !== "request_id,timestamp,version") return false;
  if (meta["request_id"] !== id || meta["version"] !== "1.0") return false;
  if (new Date(String(meta["timestamp"])).toISOString() !== meta["timestamp"]) return false;
  if (success === true) return isObject(data) && error === null;
  if (success !== false || data !== null || !isObject(error)) return false;
  const { code, message, details, columns, ...more } = error;
  if (columns !== undefined && !isColumns(columns)) return false;
  if (Object.keys(more).length > 0 || (details !== undefined && !isDetails(details))) return false;
  return typeof code === "string" && typeof message === "string" && message !== "";
}

/** Matches the problems of an input. */
const isDetails = (details: unknown) =>
  Array.isArray(details) &&
  details.length > 0 &&
  details.every(
    (problem) =>
      keysOf(problem) === "path,message" && Object.values(problem).every((text) => typeof text === "string"),
  );

/** Matches the columns of a refused file. */
const isColumns = (columns: unknown) =>
  Array.isArray(columns) && columns.every((column) => keysOf(column) === "name,read_as");

function isGraphql(body: unknown): boolean {
  if (!isObject(body) || Object.keys(body).length === 0) return false;
  if (Object.keys(body).some((name) => !["data", "errors", "extensions"].includes(name))) return false;
  const { data, errors } = body;
  if (data !== undefined && data !== null && !isObject(data)) return false;
  if (errors === undefined) return isObject(data);
  return Array.isArray(errors) && errors.length > 0 && errors.every(isGraphqlError);
}

function isGraphqlError(error: unknown): boolean {
  if (!isObject(error) || typeof error["message"] !== "string") return false;
  const code = isObject(error["extensions"]) && error["extensions"]["code"];
  return typeof code === "string" && code !== "INTERNAL_ERROR" && code !== "INTERNAL_SERVER_ERROR";
}

/** Returns true for the answers for operators, and for the API's description. */
function isOperations(body: unknown): boolean {
  return isObject(body) && ("openapi" in body || typeof body["status"] === "string");
}
