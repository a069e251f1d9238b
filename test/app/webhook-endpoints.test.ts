import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type EventReceiver, idOf, type ReceivedHook, seqOf, startEventReceiver } from "../support/hooks.js";
import { signUp, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { type Envelope, NOW } from "../support/server.js";
import { addServiceAccount } from "../support/service-accounts.js";
import { useGateway } from "../support/use.js";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const DAY = 24 * HOUR;
const PATH = "/v1/webhook-endpoints";
const soon = { timeout: 60_000, interval: 20 };

let receiver: EventReceiver;
const gateway = useGateway({
  env: { KEY_PEPPER: "a pepper of this test", PUBLIC_URL: "https://carbon.example.com" },
  webhooks: {
    resolve: async (host) => [host === "hooks.example.com" ? "93.184.215.14" : host],
    isAllowed: (address) => ["127.0.0.1", "93.184.215.14"].includes(address),
    timeLimitMs: 4_000,
  },
  deliveryMs: 20,
});
beforeEach(async () => {
  gateway.setNow(NOW);
  receiver = await startEventReceiver();
});
afterEach(async () => {
  vi.useRealTimers();
  // PostgreSQL refuses the deletion while the gateway records an attempt.
  await vi.waitFor(() => gateway.database.prisma.webhookEndpoint.deleteMany(), soon);
  await receiver.stop();
});

const join = () => signUp(gateway, { pepper: "a pepper of this test" });
const later = (ms: number) => new Date(NOW.getTime() + ms);

interface Endpoint {
  readonly id: string;
  readonly version: number;
  readonly [field: string]: unknown;
}

/** Adds the receiver as an endpoint for events of facilities. */
async function addEndpoint(person: TestPerson, settings: object = {}) {
  const { status, body } = await person.call<Envelope>(PATH, {
    json: { url: receiver.url, types: ["facility.*"], ...settings },
  });
  learnKeys(JSON.stringify(body));
  expect([status, body.error]).toEqual([201, null]);
  const { webhook_endpoint: endpoint, secret } = body.data as { webhook_endpoint: Endpoint; secret: string };
  return { id: endpoint.id, endpoint, secret };
}

/** Adds facilities in one statement, with an audit entry each. */
const addFacilities = ({ organization }: Pick<TestPerson, "organization">, count = 1) =>
  gateway.database.prisma.facility.createMany({
    data: Array.from({ length: count }, () => ({
      organizationId: organization.id,
      code: randomUUID(),
      name: "Mill",
    })),
  });

const deliveriesOf = (endpointId: string) =>
  gateway.database.prisma.webhookDelivery.findMany({ where: { endpointId }, orderBy: { seq: "asc" } });

/** Waits until the only delivery of an endpoint has had `attempts` attempts, and returns it. */
const afterAttempts = (endpointId: string, attempts: number) =>
  vi.waitFor(async () => {
    const [delivery, ...others] = await deliveriesOf(endpointId);
    expect([delivery?.attempts, others]).toEqual([attempts, []]);
    if (!delivery) throw new Error("there is no delivery");
    return delivery;
  }, soon);

/** Waits until the receiver has received this many events. */
const hasReceived = (count: number) => vi.waitFor(() => expect(receiver.received).toHaveLength(count), soon);

/** Waits until an endpoint has received this many events. */
const hasDelivered = (endpointId: string, count: number) =>
  vi.waitFor(async () => {
    const deliveries = await deliveriesOf(endpointId);
    expect(deliveries.map(({ status, lastError }) => lastError ?? status)).toEqual(
      Array(count).fill("delivered"),
    );
  }, soon);

/** Adds an endpoint of a new person, and events that it answers with a status. */
async function addFailing(status: number, count = 1) {
  const person = await join();
  const { id } = await addEndpoint(person);
  receiver.answerBy(() => ({ status }));
  await addFacilities(person, count);
  return { person, id };
}
const answerAll = () => receiver.answerBy(() => ({ status: 200 }));
const becomes = (person: TestPerson, id: string, ...state: readonly (string | null)[]) =>
  vi.waitFor(async () => expect(await stateOf(person, id)).toEqual(state), soon);

const stateOf = async (person: TestPerson, id: string) => {
  const { body } = await person.call<Envelope>(`${PATH}/${id}`);
  const { status, disabled_reason } = body.data as Endpoint;
  return [status, disabled_reason];
};
const isReleased = (endpointId: string) =>
  vi.waitFor(async () => {
    const where = { endpointId };
    const { claim } = await gateway.database.prisma.webhookProgress.findUniqueOrThrow({ where });
    expect(claim).toBeNull();
  }, soon);

const isVerified = (secret: string, { headers, body }: ReceivedHook, at = NOW) => {
  vi.useFakeTimers({ now: at, toFake: ["Date"] });
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  } finally {
    vi.useRealTimers();
  }
};

describe("webhook endpoints", () => {
  it("are created, read, changed and deleted; only the first answer has the secret", async () => {
    const person = await join();
    const added = await person.call<Envelope>(PATH, {
      json: {
        url: receiver.url,
        types: ["facility.*", "facility.*", "import.completed"],
        description: "ERP",
      },
    });
    learnKeys(JSON.stringify(added.body));
    const { webhook_endpoint: endpoint, secret } = added.body.data as {
      webhook_endpoint: Endpoint;
      secret: string;
    };
    expect(added.status).toBe(201);
    expect(secret).toEqual(expect.stringMatching(/^whsec_[\w+/]{43}=$/));
    expect(added.headers.get("Location")).toEqual(
      expect.stringMatching(new RegExp(`${PATH}/${endpoint.id}$`)),
    );
    expect(endpoint).toEqual({
      id: expect.any(String),
      url: receiver.url,
      types: ["facility.*", "import.completed"],
      description: "ERP",
      format: "json",
      status: "enabled",
      disabled_reason: null,
      secret_expires_at: null,
      created_by: person.user.id,
      created_at: NOW.toISOString(),
      version: 1,
    });
    const one = await person.call<Envelope>(`${PATH}/${endpoint.id}`);
    expect([one.body.data, one.headers.get("ETag")]).toEqual([endpoint, expect.stringMatching(/^"1-/)]);
    const changed = await person.call<Envelope>(`${PATH}/${endpoint.id}`, {
      method: "PATCH",
      json: { types: ["facility.created"], format: "cloudevents", description: null },
      headers: { "If-Match": '"1"' },
    });
    const expected = {
      ...endpoint,
      types: ["facility.created"],
      format: "cloudevents",
      description: null,
      version: 2,
    };
    expect(changed.body.data).toEqual(expected);
    const list = await person.call<Envelope>(PATH);
    expect(list.body.data).toEqual({ items: [expected], next_cursor: null });
    const deleted = await person.call<Envelope>(`${PATH}/${endpoint.id}`, { method: "DELETE" });
    expect(deleted.body.data).toEqual(expected);
    expect((await person.call(`${PATH}/${endpoint.id}`)).status).toBe(404);
    const entries = await gateway.database.prisma.auditEntry.findMany({
      where: { targetId: endpoint.id },
      orderBy: { seq: "asc" },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      "webhook_endpoint.created",
      "webhook_endpoint.updated",
      "webhook_endpoint.deleted",
    ]);
    const trail = JSON.stringify(entries.map(({ entry }) => entry));
    expect(trail).not.toContain("127.0.0.1");
    expect(trail).not.toContain(secret.slice(6));
  });

  it("are refused with an invalid type or URL, without a recent password, and after the tenth", async () => {
    const person = await join();
    const refuses = async (json: object, status: number, message: string) => {
      const settings = { url: receiver.url, types: ["facility.*"], ...json };
      const answer = await person.call<Envelope>(PATH, { json: settings });
      expect([answer.status, answer.body.error?.message]).toEqual([status, message]);
    };
    const url = "url must be an absolute http or https URL without a user name or password";
    const types =
      'types must be types of events, such as facility.updated or facility.* (got "facility.exploded").';
    const networks = "or to those that the operator allows with WEBHOOK_ALLOW_NETWORKS";
    for (const [json, message] of [
      [{ types: ["facility.exploded"] }, types],
      [{ types: [] }, "types must have 1 to 50 types of events (got 0)."],
      [{ url: "http://hooks.example.com/" }, "url must begin with https://."],
      [{ url: "https://10.0.0.1/" }, `url must resolve only to public addresses, ${networks}.`],
      [{ url: "ftp://hooks.example.com/" }, `${url} (got ftp://hooks.example.com/).`],
      [{ url: "https://ada:secret@hooks.example.com/" }, `${url} (got https://…@hooks.example.com/).`],
      [{ url: "https://hooks.example.com/\u0000" }, "url must not have control characters."],
    ] as const)
      await refuses(json, 422, message);
    const { id } = await addEndpoint(person);
    gateway.setNow(later(11 * MINUTE));
    const sensitive = [
      [PATH, "POST", { url: receiver.url, types: ["facility.*"] }],
      [`${PATH}/${id}/rotate-secret`, "POST", {}],
      [`${PATH}/${id}`, "PATCH", { url: `${receiver.url}/2` }],
      [`${PATH}/${id}`, "PATCH", { types: ["facility.*", "import.completed"] }],
    ] as const;
    for (const [path, method, json] of sensitive) {
      const { body } = await person.call<Envelope>(path, { method, json });
      expect(body.error?.code).toBe("REAUTHENTICATION_REQUIRED");
    }
    const narrower = { method: "PATCH", json: { types: ["facility.created"] } };
    expect((await person.call(`${PATH}/${id}`, narrower)).status).toBe(200);
    gateway.setNow(NOW);
    for (let count = 2; count <= 10; count += 1) await addEndpoint(person);
    await refuses(
      {},
      409,
      "The organization already has 10 webhook endpoints, the maximum. Delete one first.",
    );
  });

  it("can be added without a password by a service account with the explicit scope, for the types it may read", async () => {
    const person = await join();
    const [unnamed, named] = [
      await addServiceAccount(gateway, person, { role: "admin" }),
      await addServiceAccount(gateway, person, {
        role: "admin",
        scopes: ["manage:webhooks", "read:emissions"],
      }),
    ];
    gateway.setNow(later(11 * MINUTE));
    const add = (account: typeof named, types: string[]) =>
      account.call<Envelope>(PATH, { json: { url: receiver.url, types } });
    expect((await add(unnamed, ["facility.*"])).status).toBe(403);
    const refused = await add(named, ["facility.*", "member.*"]);
    expect(refused.status).toBe(422);
    expect(refused.body.error?.message).toEqual(
      'types must be types of events that you may read: "member.*" needs read:audit.',
    );
    const added = await add(named, ["facility.*"]);
    learnKeys(JSON.stringify(added.body));
    const { webhook_endpoint: endpoint, secret } = added.body.data as {
      webhook_endpoint: Endpoint;
      secret: string;
    };
    expect([added.status, endpoint["created_by"]]).toEqual([201, named.id]);
    await addFacilities(person);
    await hasReceived(1);
    expect(isVerified(secret, receiver.received[0] as ReceivedHook, later(11 * MINUTE))).toBe(true);
  });

  it("get a test event on request, which no list shows", async () => {
    const person = await join();
    const { id, secret } = await addEndpoint(person, { enabled: false });
    const test = async () =>
      (await person.call<Envelope>(`${PATH}/${id}/test`, { method: "POST" })).body.data;
    expect(await test()).toEqual({ delivered: true, status: 204, error: null });
    const [hook] = receiver.received;
    if (!hook) throw new Error("nothing was received");
    expect(isVerified(secret, hook)).toBe(true);
    expect(JSON.parse(hook.body)).toMatchObject({ type: "webhook.test", data: { id } });
    receiver.answerBy(() => ({ status: 500 }));
    expect(await test()).toEqual({ delivered: false, status: 500, error: "it answered 500" });
    receiver.answerBy(() => "hang");
    expect(await test()).toEqual({ delivered: false, status: null, error: "it did not answer in time" });
    expect(await deliveriesOf(id)).toEqual([]);
    expect(await stateOf(person, id)).toEqual(["disabled", "request"]);
  });

  it("do not claim the Idempotency-Key of a test or dry run, which a change can then use", async () => {
    const person = await join();
    const { id } = await addEndpoint(person);
    const headers = { "Idempotency-Key": "k" };
    const tests = [];
    for (let count = 0; count < 2; count += 1)
      tests.push((await person.call(`${PATH}/${id}/test`, { method: "POST", headers })).status);
    expect(tests).toEqual([200, 200]);
    expect(receiver.received).toHaveLength(2);
    const claims: number[] = [];
    for (const dry_run of [true, false]) {
      const { status } = await person.call(`${PATH}/${id}/resend`, { headers, json: { dry_run } });
      expect(status).toBe(200);
      claims.push(await gateway.database.prisma.idempotencyKey.count());
    }
    expect(claims).toEqual([0, 1]);
  });
});

describe("an endpoint that answers", () => {
  it("gets the events of its types since its creation, each once, signed, in the order of the trail", async () => {
    const person = await join();
    await addFacilities(person);
    const { id, secret } = await addEndpoint(person);
    await addFacilities(person, 60);
    await gateway.database.prisma.businessMetric.create({
      data: {
        organizationId: person.organization.id,
        name: "Output",
        unit: "t",
        month: new Date("2026-11-01"),
        value: 1,
      },
    });
    await hasReceived(60);
    await isReleased(id);
    const deliveries = await deliveriesOf(id);
    expect(deliveries.map(({ eventId }) => eventId)).toEqual(
      receiver.received.toSorted((a, b) => seqOf(a) - seqOf(b)).map(idOf),
    );
    // Requests of one batch may arrive in a different order.
    for (const [index, hook] of receiver.received.entries())
      expect(Math.abs(deliveries.findIndex(({ eventId }) => eventId === idOf(hook)) - index)).toBeLessThan(
        16,
      );
    for (const hook of receiver.received) expect(isVerified(secret, hook)).toBe(true);
    const [first] = receiver.received;
    expect(first?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(first?.body ?? "")).toMatchObject({
      specversion: "1.0",
      type: "facility.created",
      source: `https://carbon.example.com/organizations/${person.organization.id}`,
    });
    const { body } = await person.call<Envelope>(
      `${PATH}/${id}/deliveries?limit=1&status=delivered&type=facility.created`,
    );
    const last = deliveries.at(-1);
    expect(body.data).toEqual({
      items: [
        {
          id: last?.id,
          event_id: last?.eventId,
          type: "facility.created",
          status: "delivered",
          attempts: 1,
          last_status: 204,
          last_error: null,
          last_attempt_at: NOW.toISOString(),
          next_attempt_at: null,
        },
      ],
      next_cursor: expect.any(String),
    });
  });

  it("gets two signatures while its secret is rotated, then only the new one", async () => {
    const person = await join();
    const { id, secret: old } = await addEndpoint(person, { format: "cloudevents" });
    const rotated = await person.call<Envelope>(`${PATH}/${id}/rotate-secret`, {
      json: { overlap_hours: 24 },
    });
    learnKeys(JSON.stringify(rotated.body));
    const { secret, webhook_endpoint: endpoint } = rotated.body.data as {
      secret: string;
      webhook_endpoint: Endpoint;
    };
    expect([rotated.status, endpoint["secret_expires_at"]]).toEqual([200, later(DAY).toISOString()]);
    const acceptedAt = async (at: Date) => {
      gateway.setNow(at);
      const before = receiver.received.length;
      await addFacilities(person);
      await hasReceived(before + 1);
      const hook = receiver.received[before] as ReceivedHook;
      expect(hook.headers["content-type"]).toBe("application/cloudevents+json");
      const signatures = String(hook.headers["webhook-signature"]).split(" ");
      return [signatures.length, isVerified(old, hook, at), isVerified(secret, hook, at)];
    };
    expect(await acceptedAt(later(23 * HOUR))).toEqual([2, true, true]);
    expect(await acceptedAt(later(25 * HOUR))).toEqual([1, false, true]);
  });

  it("gets a delivery, or a range of them, again under the same ids", async () => {
    const person = await join();
    const { id } = await addEndpoint(person);
    await addFacilities(person, 3);
    await hasReceived(3);
    await isReleased(id);
    const [first, second, third] = await deliveriesOf(id);
    const one = await person.call<Envelope>(`${PATH}/${id}/deliveries/${first?.id}/resend`, {
      method: "POST",
    });
    expect(one.status).toBe(200);
    expect(one.body.data).toEqual(expect.objectContaining({ id: first?.id, event_id: first?.eventId }));
    await hasReceived(4);
    await isReleased(id);
    const resend = async (json: object) => {
      const answer = await person.call<Envelope>(`${PATH}/${id}/resend`, { json });
      return answer.body.data ?? answer.body.error?.message;
    };
    expect(await resend({ after: first?.eventId, dry_run: true })).toEqual({ count: 2 });
    expect(await resend({ status: "failed" })).toEqual({ count: 0 });
    expect(await resend({ after: "yesterday" })).toBe(
      "after must be the id of an event, such as 4711-81070dcecdfac070.",
    );
    expect(await resend({ after: first?.eventId, until: second?.eventId })).toEqual({ count: 1 });
    await hasReceived(5);
    expect(receiver.received.slice(3).map(idOf)).toEqual([first?.eventId, second?.eventId]);
    expect(third?.status).toBe("delivered");
  });
});

describe("an endpoint that fails", () => {
  it.each<[string, Parameters<EventReceiver["answerBy"]>[0], number | null, string]>([
    ["answers with 500", () => ({ status: 500 }), 500, "it answered 500"],
    [
      "redirects",
      () => ({ status: 307, headers: { Location: "/elsewhere" } }),
      307,
      "it answered 307: redirects are not followed",
    ],
    ["hangs", () => "hang", null, "it did not answer in time"],
    ["cuts the connection", () => "reset", null, "no connection (ECONNRESET)"],
    ["switches protocols", () => "switch", null, "no connection (closed)"],
  ])("because it %s is tried again after about 5 seconds", async (_how, answer, status, error) => {
    const person = await join();
    const { id } = await addEndpoint(person);
    receiver.answerBy(answer);
    await addFacilities(person);
    const delivery = await afterAttempts(id, 1);
    expect(delivery).toMatchObject({
      status: "pending",
      lastStatus: status,
      lastError: error,
      lastAttemptAt: NOW,
    });
    const delay = Number(delivery.nextAttemptAt) - NOW.getTime();
    expect(delay).toBeGreaterThanOrEqual(4_500);
    expect(delay).toBeLessThanOrEqual(5_500);
    answerAll();
    gateway.setNow(later(delay));
    expect(await afterAttempts(id, 2)).toMatchObject({
      status: "delivered",
      lastStatus: 200,
      lastError: null,
    });
    expect(new Set(receiver.received.map(idOf)).size).toBe(1);
  });

  it("gets 10 attempts on schedule, is then failing, and gets everything if it answers within 5 days", async () => {
    const { person, id } = await addFailing(500);
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR);
    const delays = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...hours];
    let now = NOW;
    for (const [index, delay] of delays.entries()) {
      const { nextAttemptAt } = await afterAttempts(id, index + 1);
      const planned = Number(nextAttemptAt) - now.getTime();
      expect(Math.abs(planned / delay - 1)).toBeLessThanOrEqual(0.1);
      now = nextAttemptAt as Date;
      await isReleased(id);
      gateway.setNow(now);
    }
    expect(await afterAttempts(id, 10)).toMatchObject({ status: "failed", nextAttemptAt: null });
    await isReleased(id);
    // Only the first of the following events is tried, and the position in the trail does not move.
    await addFacilities(person, 20);
    await vi.waitFor(async () => expect(await deliveriesOf(id)).toMatchObject([{}, { attempts: 1 }]), soon);
    await isReleased(id);
    const [, probe] = await deliveriesOf(id);
    answerAll();
    gateway.setNow(probe?.nextAttemptAt as Date);
    await hasDelivered(id, 21);
  });

  it("is disabled after 5 days without success, its managers are notified, and it continues once enabled", async () => {
    const { person, id } = await addFailing(500, 40);
    await becomes(person, id, "failing", null);
    await isReleased(id);
    // Up to 16 were in progress when the tenth failed. No more are queued.
    const queued = await deliveriesOf(id);
    expect(queued.length).toBeLessThanOrEqual(9 + 16);
    expect(receiver.received).toHaveLength(queued.length);
    gateway.setNow(later(5 * DAY));
    await vi.waitFor(async () => {
      const where = { userId: person.user.id };
      const notifications = await gateway.database.prisma.notification.findMany({ where });
      expect(notifications.map(({ title }) => title)).toEqual(["A webhook endpoint was disabled"]);
    }, soon);
    expect(receiver.received).toHaveLength(queued.length + 1);
    gateway.setNow(NOW);
    expect(await stateOf(person, id)).toEqual(["disabled", "unreachable"]);
    answerAll();
    const enabled = await person.call<Envelope>(`${PATH}/${id}`, {
      method: "PATCH",
      json: { enabled: true },
    });
    expect(enabled.body.data).toMatchObject({ status: "enabled", disabled_reason: null });
    await hasDelivered(id, 40);
  });

  it("is disabled after 5 days even if nothing is pending, once failed deliveries were retried", async () => {
    const { person, id } = await addFailing(500);
    for (let attempts = 1; attempts < 10; attempts += 1) {
      const { nextAttemptAt } = await afterAttempts(id, attempts);
      await isReleased(id);
      gateway.setNow(nextAttemptAt as Date);
    }
    expect(await afterAttempts(id, 10)).toMatchObject({ status: "failed" });
    await isReleased(id);
    gateway.setNow(later(5 * DAY));
    await vi.waitFor(async () => {
      const where = { userId: person.user.id };
      const notifications = await gateway.database.prisma.notification.findMany({ where });
      expect(notifications).toMatchObject([
        { title: "A webhook endpoint was disabled", link: "/console/settings/webhooks" },
      ]);
    }, soon);
    expect(receiver.received).toHaveLength(11);
    gateway.setNow(NOW);
    expect(await stateOf(person, id)).toEqual(["disabled", "unreachable"]);
  });

  it("gets resent deliveries immediately while it is failing", async () => {
    const person = await join();
    const { id } = await addEndpoint(person);
    await addFacilities(person);
    await afterAttempts(id, 1);
    await isReleased(id);
    receiver.answerBy(() => ({ status: 500 }));
    await addFacilities(person, 20);
    await becomes(person, id, "failing", null);
    await isReleased(id);
    const before = receiver.received.length;
    const last = (await deliveriesOf(id)).at(-1);
    answerAll();
    const path = `${PATH}/${id}/deliveries/${last?.id}/resend`;
    expect((await person.call(path, { method: "POST" })).status).toBe(200);
    await vi.waitFor(() => expect(receiver.received.slice(before).map(idOf)).toContain(last?.eventId), soon);
    expect(receiver.received.slice(before).map(idOf)[0]).toBe(last?.eventId);
  });

  it("gets everything immediately once its URL is changed", async () => {
    const { person, id } = await addFailing(500, 20);
    await becomes(person, id, "failing", null);
    await isReleased(id);
    const other = await startEventReceiver();
    const json = { url: other.url };
    expect((await person.call(`${PATH}/${id}`, { method: "PATCH", json })).status).toBe(200);
    await vi.waitFor(() => expect(new Set(other.received.map(idOf)).size).toBe(20), soon);
    expect(await stateOf(person, id)).toEqual(["enabled", null]);
    await isReleased(id);
    await other.stop();
  });

  it("with 410 is disabled immediately, and once enabled skips deliveries that were pending", async () => {
    const { person, id } = await addFailing(410);
    await becomes(person, id, "disabled", "gone");
    await addFacilities(person, 5);
    answerAll();
    const json = { enabled: true, from: "now" };
    expect((await person.call(`${PATH}/${id}`, { method: "PATCH", json })).status).toBe(200);
    await addFacilities(person);
    await vi.waitFor(async () => {
      const deliveries = await deliveriesOf(id);
      expect(deliveries.map(({ status, lastError }) => [status, lastError])).toEqual([
        ["failed", "it was skipped"],
        ["delivered", null],
      ]);
    }, soon);
    expect(receiver.received).toHaveLength(2);
  });

  it.each([
    [429, "3600"],
    [503, new Date(NOW.getTime() + HOUR).toUTCString()],
  ])("with %s is not called until its Retry-After", async (status, retryAfter) => {
    const person = await join();
    const { id } = await addEndpoint(person);
    receiver.answerBy(() => ({ status, headers: { "Retry-After": retryAfter } }));
    await addFacilities(person);
    expect((await afterAttempts(id, 1)).nextAttemptAt).toEqual(later(HOUR));
    await isReleased(id);
    answerAll();
    await addFacilities(person, 2);
    // Another endpoint is served in the meantime.
    const other = await join();
    const { id: otherId } = await addEndpoint(other);
    await addFacilities(other);
    await vi.waitFor(
      async () => expect(await deliveriesOf(otherId)).toMatchObject([{ status: "delivered" }]),
      soon,
    );
    expect(await deliveriesOf(id)).toHaveLength(1);
    gateway.setNow(later(HOUR));
    await hasDelivered(id, 3);
  });
});

describe("an organization whose endpoints all hang", () => {
  it("delays no other organization's events", async () => {
    const slow = await startEventReceiver();
    slow.answerBy(() => "hang");
    const [person, victim] = [await join(), await join()];
    for (let count = 0; count < 10; count += 1) await addEndpoint(person, { url: slow.url });
    await addFacilities(person, 40);
    await vi.waitFor(() => expect(slow.received.length).toBeGreaterThanOrEqual(3 * 16), soon);
    await addEndpoint(victim);
    await addFacilities(victim);
    await hasReceived(1);
    const hanging = await gateway.database.prisma.webhookDelivery.count({
      where: { organizationId: person.organization.id, attempts: 0 },
    });
    expect(hanging).toBeGreaterThan(0);
    await slow.stop();
  });
});
