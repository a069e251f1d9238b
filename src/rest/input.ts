import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { hideKeys } from "../domain/keys/text.js";
import { AppError } from "../errors.js";
import { type BodyLimit, readJson } from "../http/body.js";
import { nothingAt } from "../http/failure.js";
import { hasBody } from "../http/request.js";
import type { Endpoint, Input } from "./endpoint.js";

/** A request, and the values of the `{…}` segments of its path. */
export interface RawInput {
  readonly params: Readonly<Record<string, string>>;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Makes the function that reads what an endpoint needs of a request. It rejects with BAD_REQUEST, naming each value that
 * does not fit, what was expected and what came; status 413 or 415 if the body is too large or not JSON. A body that does
 * not fit is VALIDATION_FAILED, and values in the path that do not fit are NOT_FOUND.
 */
export function createInputReader(endpoint: Endpoint): (raw: RawInput) => Promise<Input> {
  const { input, method } = endpoint;
  const shape = z.object(input);
  const hasVersions = method !== "GET" && "version" in endpoint;
  return async ({ params, incoming, response }) => {
    const raw = {
      params,
      query: input.query && readQuery(incoming.url),
      body: input.body && (await readBody(incoming, response, endpoint.bodyLimit)),
    };
    const { data, error } = shape.safeParse(raw);
    if (data) {
      const expectedVersion = hasVersions ? readIfMatch(incoming.headers["if-match"]) : null;
      return { ...data, expectedVersion } as Input;
    }
    if (error.issues.some(({ path }) => path[0] === "params")) throw nothingAt(pathOf(incoming));
    const problems = error.issues.flatMap(listIssues).map((issue) => describeIssue(issue, raw));
    const message = problems.map(({ place, message }) => `${place}: ${message}`).join("; ");
    if (problems.some(({ part }) => part === "query")) throw new AppError("BAD_REQUEST", message);
    throw new AppError("VALIDATION_FAILED", message, {
      details: problems.map(({ path, message }) => ({ path, message })),
    });
  };
}

/** The version in `If-Match`, such as 3 in `"3"`; null for none, and for `*`, which is any. */
function readIfMatch(header: string | undefined): number | null {
  if (header === undefined || header === "*") return null;
  const [, version] = /^"([1-9]\d{0,8})"$/.exec(header) ?? [];
  if (version !== undefined) return Number(version);
  throw new AppError(
    "BAD_REQUEST",
    `If-Match: expected the ETag of an answer, such as "3", got ${show(header)}`,
  );
}

const pathOf = ({ url = "" }: IncomingMessage): string => url.split("?")[0] ?? "";

async function readBody(
  incoming: IncomingMessage,
  response: ServerResponse,
  limit: BodyLimit | undefined,
): Promise<unknown> {
  const body = await readJson(incoming, response, limit);
  // The client has been told, so nothing must be written for it.
  if (response.headersSent)
    throw new AppError("BAD_REQUEST", "The request was refused before its body arrived.");
  if (body !== undefined || !hasBody(incoming)) return body;
  throw new AppError("BAD_REQUEST", "Unsupported content type: expected application/json.", { status: 415 });
}

/** Query parameters: a string each, or an array of strings if a parameter is repeated. */
function readQuery(url = ""): Record<string, string | string[]> {
  const start = url.indexOf("?");
  const parameters = new URLSearchParams(start < 0 ? "" : url.slice(start));
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

/** The issues of a body that fits none of several shapes are those of the shape that has most of its properties. */
function listIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.path.join() !== "body" || issue.errors.length === 0)
    return [issue];
  const unknown = (issues: readonly z.core.$ZodIssue[]) =>
    issues.flatMap((each) => (each.code === "unrecognized_keys" && each.path.length === 0 ? each.keys : []))
      .length;
  const [closest = []] = issue.errors.toSorted((one, other) => unknown(one) - unknown(other));
  return closest.map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
}

/** What messages call the parts of a request. */
const PARTS: Readonly<Record<string, string>> = { params: "path", query: "query", body: "body" };

function describeIssue(issue: z.core.$ZodIssue, raw: unknown) {
  const [part, ...steps] = issue.path;
  const names = steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`));
  const given = issue.path.reduce<unknown>((at, step) => (at as never)?.[step], raw);
  return {
    part,
    place: `${PARTS[String(part)]}${names.join("")}`,
    /** The same within its part, such as `organization.slug`. */
    path: names.join("").replace(/^\./, ""),
    message: hideKeys(
      issue.code === "unrecognized_keys" || issue.code === "custom"
        ? describeExpectation(issue)
        : `${describeExpectation(issue)}, got ${show(given)}`,
    ),
  };
}

/** What was expected, without what zod puts before and after it: "Too big: " and ", received string". */
function describeExpectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_format") return `expected a valid ${issue.format}`;
  if (issue.code === "unrecognized_keys") return `expected no ${issue.keys.join(", ")}`;
  return issue.message.replace(/^.*?: (?=expected)/s, "").replace(/, received .*$/s, "");
}

/** The most characters of a value that a message shows. */
const LONGEST_VALUE = 60;

function show(value: unknown): string {
  // What is in it may be secret.
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}
