import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { type InputProblems, listProblems, MAX_VALUE_LENGTH, nameProblems } from "../catalogue/problems.js";
import { maskSecrets } from "../domain/keys/secrets.js";
import { once } from "../domain/once.js";
import { AppError } from "../errors.js";
import { type BodyCall, type BodyLimit, notJson, readJson } from "../http/body/body.js";
import { hasBody } from "../http/request.js";
import { acceptsIfMatch, type Endpoint, type Input } from "./endpoint.js";

/** Path parameters of a request. */
export type PathParameters = Readonly<Record<string, string>>;

/**
 * Creates the function that reads an endpoint's input from a request. It rejects invalid path parameters with
 * NOT_FOUND; query parameters, `If-Match` and `accept` in a body with BAD_REQUEST; and other values in a body with
 * VALIDATION_FAILED. The error names the first invalid values, with what was expected and what was received. A body
 * that is too large or not JSON gets status 400, 413 or 415. With `refusesUnknown`, an endpoint without query
 * parameters refuses any.
 */
export function createInputReader(
  endpoint: Endpoint,
  { refusesUnknown = false }: { refusesUnknown?: boolean } = {},
): (incomingCall: BodyCall, params: PathParameters) => Promise<Input> {
  const { method } = endpoint;
  const read = once(() => {
    const input = { ...(refusesUnknown && { query: z.strictObject({}) }), ...endpoint.input };
    return { input, shape: z.object(input) };
  });
  return async (incomingCall, params) => {
    const { incoming } = incomingCall;
    const { input, shape } = read();
    const raw = {
      params,
      query: input.query && readQuery(incoming.url),
      body: input.body && (await readBody(incomingCall, endpoint.bodyLimit)),
    };
    const { data, error } = shape.safeParse(raw);
    if (data) {
      const expectedVersion = method === "GET" ? null : readIfMatch(incoming, acceptsIfMatch(endpoint));
      return { ...data, expectedVersion } as Input;
    }
    // A missing body is reported as one with all of its fields missing.
    const isEmpty = input.body !== undefined && raw.body === undefined;
    const whole = isEmpty ? { ...raw, body: {} } : raw;
    const { issues } = (isEmpty && shape.safeParse(whole).error) || error;
    throw refuse(listProblems(shape, whole, issues));
  };
}

function refuse(problems: InputProblems): AppError {
  const { message, ...details } = nameProblems(problems);
  if (problems.parts.has("params")) return new AppError("NOT_FOUND", message);
  if (problems.parts.has("query")) return new AppError("BAD_REQUEST", message);
  // Like a query parameter, the code of an accepted warning controls the request. It is not a value to store.
  if (problems.named.every(({ path }) => /^accept\b/.test(path))) return new AppError("BAD_REQUEST", message);
  return new AppError("VALIDATION_FAILED", message, details);
}

/**
 * Reads the version in `If-Match`, such as 3 in `"3"` or in an ETag with a digest; null without one, and for `*`, which
 * matches any. Throws BAD_REQUEST for any other value, or if the request checks no version.
 */
function readIfMatch({ headers }: IncomingMessage, isVersioned: boolean): number | null {
  const { "if-match": header } = headers;
  if (header === undefined || header === "*") return null;
  if (!isVersioned) {
    throw new AppError(
      "BAD_REQUEST",
      "If-Match: this request does not check a version; send it without the header",
    );
  }
  const [, version] = /^"([1-9]\d{0,8})(?:-[\w-]{22})?"$/.exec(header) ?? [];
  if (version !== undefined) return Number(version);
  const got = /^\d+$/.test(header)
    ? `${header.slice(0, MAX_VALUE_LENGTH)} without quotes`
    : header.slice(0, MAX_VALUE_LENGTH);
  throw new AppError(
    "BAD_REQUEST",
    maskSecrets(`If-Match: expected a version in quotes, such as "3", got ${got}`),
  );
}

async function readBody(incomingCall: BodyCall, limit: BodyLimit | undefined): Promise<unknown> {
  const { incoming, response } = incomingCall;
  const body = await readJson(incomingCall, limit);
  // The client has already received a refusal, so the endpoint must not write anything for it.
  if (response.headersSent)
    throw new AppError("BAD_REQUEST", "The request was refused before its body arrived.");
  if (body !== undefined || !hasBody(incoming)) return body;
  throw notJson(incoming);
}

/** Maximum number of values of a query parameter. */
const MAX_VALUES = 50;

/**
 * Parses query parameters: each is a string, or an array of strings if the request repeats it. Throws BAD_REQUEST for a
 * parameter with more than 50 values.
 */
function readQuery(url = ""): Record<string, string | string[]> {
  const start = url.indexOf("?");
  const parameters = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(start < 0 ? "" : url.slice(start))) {
    const values = parameters.get(name);
    if (values) values.push(value);
    else parameters.set(name, [value]);
  }
  for (const [name, { length }] of parameters) {
    if (length <= MAX_VALUES) continue;
    const place = `query.${maskSecrets(name).slice(0, MAX_VALUE_LENGTH)}`;
    throw new AppError("BAD_REQUEST", `${place}: expected at most ${MAX_VALUES} values, got ${length}`);
  }
  return Object.fromEntries(
    [...parameters].map(([name, values]) => [name, values.length === 1 ? (values[0] as string) : values]),
  );
}
