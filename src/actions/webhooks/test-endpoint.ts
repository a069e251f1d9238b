import { randomUUID } from "node:crypto";
import { write } from "../../data/database/transaction.js";
import { type GatewayEvent, writeEvent } from "../../data/events/to-event.js";
import { WebhookFailure } from "../../delivery/webhook.js";
import type { ActorContext } from "../actor-context.js";
import { requireEndpoint } from "./endpoint-checks.js";
import { writeEventRequest } from "./webhook-request.js";

export interface TestResult {
  readonly isDelivered: boolean;
  /** HTTP status of the response; null if none arrived. */
  readonly status: number | null;
  /** Reason for the failure; null if it was delivered. */
  readonly error: string | null;
}

/**
 * Sends one `webhook.test` to an endpoint, even a disabled one, and waits for the response. The test is not listed and
 * does not change the endpoint's status. Throws NOT_FOUND, and RATE_LIMIT_EXCEEDED if too many tests run at once.
 */
export async function testEndpoint(caller: ActorContext, id: string): Promise<TestResult> {
  const { resources, writer, now } = caller;
  const { webhooks, enqueueTest } = resources.outbound;
  // A test changes nothing, so it does not use up the idempotency key.
  const { claim: _, ...checking } = writer;
  const endpoint = await write(resources.database, checking, (sql) => requireEndpoint(sql, caller, id));
  const event = createTestEvent(id, writer, resources.site.url(), now);
  try {
    return await enqueueTest({ ownerId: writer.organizationId, msLeft: 2_000 }, async () => {
      const message = { id: event.id, body: JSON.stringify(event) };
      const request = writeEventRequest(resources, endpoint, message, now);
      const status = await webhooks.post(request, new AbortController().signal);
      return { isDelivered: true, status, error: null };
    });
  } catch (error) {
    if (!(error instanceof WebhookFailure)) throw error;
    return { isDelivered: false, status: error.answer?.status ?? null, error: error.message };
  } finally {
    // Time spent waiting for the receiver does not count against the request.
    writer.renewTime?.();
  }
}

const createTestEvent = (
  id: string,
  { organizationId, requestId }: ActorContext["writer"],
  url: string,
  now: Date,
): GatewayEvent =>
  writeEvent({
    id: `test-${randomUUID()}`,
    type: "webhook.test",
    organizationId,
    url,
    subject: `webhook_endpoint/${id}`,
    at: now,
    data: { id, href: `/v1/webhook-endpoints/${id}`, request_id: requestId },
  });
