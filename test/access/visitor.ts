import { randomBytes, randomUUID } from "node:crypto";
import { expect } from "vitest";
import { learnKeys, learnPassword } from "../support/secrets.js";
import type { Answer, Envelope, Gateway } from "../support/server.js";

/** Environment that `createVisitor` needs: the gateway trusts X-Forwarded-For. */
export const BEHIND_PROXY = { TRUST_PROXY: "1", REGISTRATION: "open" };

/** Returns a new random password. */
export const newPassword = (): string => {
  const password = `${randomUUID()} Ä🌍`;
  learnPassword(password);
  return password;
};
export const newEmail = (): string => `${randomUUID()}@Example.org`;

export interface SessionBody {
  readonly id: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Returns a client without a session, at a new IP address: failures count by address, in one Redis for all tests. */
export function createVisitor(gateway: Pick<Gateway, "call">) {
  const address = `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::1`;
  const post = async (
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Envelope>> => {
    const answer = await gateway.call<Envelope>(`/api/v1/auth${path}`, {
      method: "POST",
      headers: { "X-Forwarded-For": address, "Content-Type": "application/json", ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    learnKeys(`${JSON.stringify(answer.body)} ${answer.headers.get("set-cookie")}`);
    return answer;
  };
  /** Sends a request, expects success, and returns `data`. */
  const dataOf = async <Data>(...call: Parameters<typeof post>): Promise<Data> => {
    const { status, body } = await post(...call);
    expect([status, body.error]).toEqual([expect.toSatisfy((code) => code === 200 || code === 201), null]);
    return body.data as Data;
  };
  return { address, post, dataOf };
}

/** Returns a refusal's status, code and details. */
export const refusalOf = ({ status, body }: Answer<Envelope>) => {
  const { code, details } = (body.error ?? {}) as { code?: string; details?: unknown };
  return details === undefined ? [status, code] : [status, code, details];
};

/** Expects that a request is refused with a status, a code and details. */
export async function expectRefusal(
  answer: Answer<Envelope> | Promise<Answer<Envelope>>,
  status: number,
  code: string,
  details?: unknown,
): Promise<void> {
  expect(refusalOf(await answer)).toEqual(details === undefined ? [status, code] : [status, code, details]);
}

export const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

/** Returns true if a session's token is accepted. */
export async function isAccepted(gateway: Pick<Gateway, "call">, token: string): Promise<boolean> {
  const { status, body } = await gateway.call<{ errors?: unknown[] }>("/graphql", {
    method: "POST",
    headers: { ...bearer(token), "Content-Type": "application/json" },
    body: JSON.stringify({ query: "{ rateLimit { limit } }" }),
  });
  if (status === 200 && body.errors === undefined) return true;
  expect([status, JSON.stringify(body)]).toEqual([401, expect.stringContaining("UNAUTHENTICATED")]);
  return false;
}
