import { expect } from "vitest";
import type { Client, Envelope } from "./server.js";

/** Expects a gateway to refuse a registration with a 503, because its database stores no changes for a reason. */
export async function expectNoWrites(gateway: Client, reason: string): Promise<void> {
  const { status, headers, body } = await gateway.call<Envelope>("/v1/auth/register", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      email: "ada@example.com",
      password: "a heron by the river",
      name: "Ada",
      organization: { name: "Acme" },
    }),
  });
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("30");
  expect(body.error?.message).toBe(
    `The database cannot store changes, because ${reason}. Nothing was changed. Reads still work.`,
  );
}
