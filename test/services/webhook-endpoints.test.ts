import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { seal } from "../../src/access/secrets/sealing.js";
import { generateWebhookSecret } from "../../src/access/secrets/webhook-secret.js";
import { addOrganization } from "../support/audit.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { type EventReceiver, seqOf, startEventReceiver } from "../support/hooks.js";
import { type RunningProcess, startInProduction } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";

const PATIENCE = { timeout: 60_000, interval: 50 };
const EVENTS = 400;

let database: TestDatabase;
let receiver: EventReceiver;
const gateways: RunningProcess[] = [];
beforeAll(async () => {
  [database, receiver] = [await openTestDatabase(), await startEventReceiver()];
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop("SIGKILL")));
  await receiver.stop();
  await database.close();
});

const start = async (): Promise<RunningProcess> => {
  const services = { DATABASE_URL: database.url ?? "", REDIS_URL: redisUrl ?? "" };
  const gateway = await startInProduction({ ...services, WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" });
  gateways.push(gateway);
  return gateway;
};

/** Adds an endpoint for the receiver, without a pepper. */
async function addEndpoint(): Promise<{ organizationId: string; endpointId: string }> {
  const { prisma } = database;
  const organizationId = await addOrganization(database);
  const { seq, hash } = await prisma.auditHead.findUniqueOrThrow({ where: { chain: organizationId } });
  const { id: endpointId } = await prisma.webhookEndpoint.create({
    data: {
      organizationId,
      url: receiver.url,
      types: ["facility.*"],
      format: "json",
      secret: seal(generateWebhookSecret(), undefined),
      createdAt: new Date(),
      progress: { create: { organizationId, seq, place: `${seq}-${hash.slice(0, 16)}` } },
    },
  });
  return { organizationId, endpointId };
}

describe("two gateways", () => {
  it("send an endpoint every event in the order of the trail, even if one gateway is killed while sending", {
    timeout: 120_000,
  }, async () => {
    const first = await start();
    const { organizationId, endpointId } = await addEndpoint();
    // Slow answers, so that the first gateway is still sending when the second one has started.
    receiver.answerBy(async () => {
      await delay(500);
      return { status: 204 };
    });
    for (let left = EVENTS; left > 0; left -= 50) {
      await database.prisma.facility.createMany({
        data: Array.from({ length: 50 }, () => ({ organizationId, code: randomUUID(), name: "Mill" })),
      });
    }
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(16), PATIENCE);
    await start();
    const before = receiver.received.length;
    await first.stop("SIGKILL");
    receiver.answerBy(() => ({ status: 204 }));
    expect(before).toBeLessThan(EVENTS);
    await vi.waitFor(async () => {
      const delivered = { endpointId, status: "delivered" };
      expect(await database.prisma.webhookDelivery.count({ where: delivered })).toBe(EVENTS);
    }, PATIENCE);

    const firsts = [...new Set(receiver.received.map(seqOf))];
    expect(firsts).toHaveLength(EVENTS);
    // Events that the killed gateway was sending or had not recorded are sent again.
    expect(receiver.received.length).toBeLessThan(2 * EVENTS);
    const inOrder = firsts.toSorted((a, b) => a - b);
    for (const [index, seq] of firsts.entries())
      expect(Math.abs(inOrder.indexOf(seq) - index)).toBeLessThan(16);
    const bodies = new Map<number, string>();
    for (const hook of receiver.received) {
      expect(bodies.get(seqOf(hook)) ?? hook.body).toBe(hook.body);
      bodies.set(seqOf(hook), hook.body);
    }
  });
});
