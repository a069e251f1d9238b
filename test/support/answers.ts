import { expect } from "vitest";
import type { Answer } from "./server.js";

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of its response
export type Body = any;

type Call = Answer<Body> | Promise<Answer<Body>>;

const CODES: Readonly<Record<number, string>> = {
  400: "BAD_REQUEST",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  422: "VALIDATION_FAILED",
};

/** Expects a call to succeed with a status and, if given, with this data; returns the data. */
export async function answer(call: Call, status: number, ...data: readonly unknown[]): Promise<Body> {
  const { status: actual, body } = await call;
  expect([actual, body.error]).toEqual([status, null]);
  if (data.length > 0) expect(body.data).toEqual(data[0]);
  return body.data;
}

/**
 * Expects a call to be refused with a status, its usual code and, if given, these problems: a message, paths, or
 * messages by path. Returns the error.
 */
export async function refused(
  call: Call,
  status: number,
  problems?: string | RegExp | readonly string[] | Readonly<Record<string, unknown>>,
  code = CODES[status],
): Promise<Body> {
  const { status: actual, body } = await call;
  const { error } = body;
  expect([actual, error?.code]).toEqual([status, code]);
  const details: Body[] = error.details ?? [];
  if (Array.isArray(problems)) expect(details.map(({ path }) => path)).toEqual(problems);
  else if (typeof problems === "string") expect(error.message).toBe(problems);
  else if (problems instanceof RegExp) expect(error.message).toMatch(problems);
  else if (problems)
    expect(details).toEqual(Object.entries(problems).map(([path, message]) => ({ path, message })));
  return error;
}
