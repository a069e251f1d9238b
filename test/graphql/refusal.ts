import { expect } from "vitest";

export const JSON_TYPE = { "Content-Type": "application/json" };
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Expects a refusal in GraphQL's form. Without `data`, nothing was executed. */
export async function expectRefusal(answer: Response, status: number, ...errors: object[]): Promise<void> {
  const text = await answer.text();
  expect([answer.status, answer.headers.get("content-type"), text]).toEqual([
    status,
    "application/json; charset=utf-8",
    expect.not.stringMatching(/node_modules|\.[jt]s\b|stack|prisma|<html/i),
  ]);
  expect(answer.headers.get("x-request-id")).toMatch(UUID);
  expect(JSON.parse(text)).toEqual({ errors });
}

export const error = (code: string, message: unknown, more: object = {}) => ({
  message,
  extensions: { code, ...more },
});
/** Returns an error with a location in the query. */
export const errorAt = (code: string, message: unknown, more: object = {}) => ({
  ...error(code, message, more),
  locations: expect.any(Array),
});
