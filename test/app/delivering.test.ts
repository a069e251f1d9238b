import { createHmac, randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { seal } from "../../src/access/secrets/sealing.js";
import { generateWebhookSecret } from "../../src/access/secrets/webhook-secret.js";
import { type Notice, notify } from "../../src/actions/notifications/notify.js";
import { notifyOfAnomalies } from "../../src/actions/notifications/notify-of-anomalies.js";
import { remindOfDeadlines } from "../../src/actions/notifications/remind.js";
import { write } from "../../src/data/database/transaction.js";
import { addRecord } from "../support/fixtures.js";
import {
  HOOKS_CERTIFICATE,
  type MailServer,
  type Receiver,
  startMailServer,
  startReceiver,
  tokenIn,
} from "../support/hooks.js";
import { blocksOf, readPage } from "../support/pages.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { createTestLog, learnKeys } from "../support/secrets.js";
import { type Envelope, type Gateway, NOW, startGateway } from "../support/server.js";

const MINUTE_MS = 60_000;
const SITE = "https://carbon.example.com";

let gateway: Gateway;
let receiver: Receiver;
let mailServer: MailServer;
/** Addresses that hooks.test resolves to: by default the receiver's, which is allowed. */
let addresses: string[];
beforeAll(async () => {
  [receiver, mailServer] = [await startReceiver(), await startMailServer()];
  gateway = await startGateway({
    env: {
      SMTP_URL: mailServer.url,
      MAIL_FROM: "Carbon <no-reply@example.com>",
      PUBLIC_URL: SITE,
      KEY_PEPPER: "a pepper of this test",
    },
    webhooks: {
      resolve: async () => addresses,
      isAllowed: (address) => address === "127.0.0.1",
      ca: HOOKS_CERTIFICATE,
      timeLimitMs: 2_000,
    },
    deliveryMs: 20,
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([receiver.stop(), mailServer.stop()]);
});
beforeEach(async () => {
  addresses = ["127.0.0.1"];
  // Pauses would never end, because the clock does not move.
  await gateway.database.prisma.deliveryTurn.deleteMany();
  gateway.setNow(NOW);
});
afterEach(() => {
  receiver.answerWith(200);
  mailServer.refuse(false);
});

const PEPPER = "a pepper of this test";
const join = (overrides = {}) => signUp(gateway, { pepper: PEPPER, ...overrides });

/** Changes a user's preferences; returns the webhook's secret. */
async function changePreferences(person: TestPerson, patch: object): Promise<string> {
  const { status, body } = await person.call<Envelope>("/v1/users/me/notification-preferences", {
    method: "PATCH",
    json: patch,
  });
  learnKeys(JSON.stringify(body));
  expect([status, body.error]).toEqual([200, null]);
  return (body.data as { webhook_secret: string }).webhook_secret;
}
const hook = () => ({ enabled: true, url: `https://hooks.test:${receiver.port}/carbon` });

const notifyUser = ({ user, organization }: TestPerson, notice: Partial<Notice> = {}) =>
  write(
    gateway.database,
    { actor: { type: "user", id: user.id }, organizationId: organization.id, requestId: randomUUID() },
    (sql) =>
      notify(sql, {
        organizationId: organization.id,
        to: { users: [user.id] },
        key: randomUUID(),
        category: "verification",
        severity: "low",
        title: "Credits were issued",
        body: "100 credits.",
        link: "/console/credits",
        now: NOW,
        ...notice,
      }),
  );

/** Signs up a user who is notified only by a webhook. */
async function joinWithHook(): Promise<TestPerson> {
  const person = await join();
  await changePreferences(person, { channels: { webhook: hook(), email: { enabled: false } } });
  return person;
}

/** Returns the state of a user's deliveries over a channel. */
const deliveriesOf = ({ user }: TestPerson, channel: string) =>
  gateway.database.prisma.delivery.findMany({
    where: { channel, notification: { userId: user.id } },
    select: { attempts: true, nextAt: true, doneAt: true, error: true },
  });
/** Returns the time until which a user's webhook is paused. */
const pausedUntil = async ({ user }: TestPerson) => {
  const where = { channel_subject: { channel: "webhook", subject: `person ${user.id}` } };
  return (await gateway.database.prisma.deliveryTurn.findUnique({ where }))?.pausedUntil;
};
const isPausedUntil = (person: TestPerson, minutes: number) =>
  vi.waitFor(async () => expect(await pausedUntil(person)).toEqual(minutesOn(minutes)), soon);
/** Waits until a user's only delivery is in this state. */
const becomes = (person: TestPerson, state: object, channel = "webhook") =>
  vi.waitFor(async () => expect(await deliveriesOf(person, channel)).toMatchObject([state]), soon);
const minutesOn = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE_MS);
const soon = { timeout: 60_000, interval: 20 };
/** Waits until an address has received this many e-mails. */
const hasMails = (address: string, count: number) =>
  vi.waitFor(() => expect(mailsTo(address)).toHaveLength(count), soon);
const mailsTo = (address: string) => mailServer.mails.filter(({ to }) => to === address);

const titlesOf = async (person: TestPerson) => {
  const { body } = await person.call<Envelope>("/v1/notifications");
  return (body.data as { items: { title: string; body: string }[] }).items.map(({ title }) => title);
};

describe("a webhook", () => {
  it("is called immediately, signed over the time and body", async () => {
    const person = await join();
    const secret = await changePreferences(person, {
      channels: { webhook: hook() },
      categories: { verification: { email: false } },
    });
    const before = receiver.received.length;
    await notifyUser(person);
    await vi.waitFor(() => expect(receiver.received.length).toBe(before + 1), soon);
    const { headers, body } = receiver.received[before] ?? { headers: {}, body: "" };
    const [{ id } = { id: "" }] = await gateway.database.prisma.notification.findMany({
      where: { userId: person.user.id },
    });
    expect(JSON.parse(body)).toEqual({
      id,
      category: "verification",
      severity: "low",
      title: "Credits were issued",
      body: "100 credits.",
      link: `${SITE}/console/credits`,
      organization: person.organization,
      created_at: NOW.toISOString(),
    });
    const seconds = NOW.getTime() / 1_000;
    const mac = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
    expect(headers).toMatchObject({
      "x-signature": `t=${seconds},v1=${mac}`,
      "x-notification-id": id,
      "content-type": "application/json",
    });
    vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
    const verify = (key: string) => new Webhook(key).verify(body, headers as Record<string, string>);
    expect(verify(secret)).toEqual(JSON.parse(body));
    expect(() => verify(generateWebhookSecret())).toThrow("No matching signature");
    vi.useRealTimers();
    const [code = ""] = blocksOf(await readPage("docs/people.md"), "js");
    const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    const header = headers["x-signature"];
    const tries = [
      isGenuine(secret, header, body, NOW.getTime()),
      isGenuine(secret, header, `${body} `, NOW.getTime()),
      isGenuine("another", header, body, NOW.getTime()),
      isGenuine(secret, header, body, minutesOn(6).getTime()),
      isGenuine(secret, "t=1,v1=00", body, NOW.getTime()),
    ];
    expect(tries).toEqual([true, false, false, false, false]);
    await becomes(person, { attempts: 1, nextAt: null, doneAt: NOW, error: null });
    expect(await deliveriesOf(person, "email")).toEqual([]);
  });

  it("is retried after 1, 5, 30, 120 and 720 minutes, then given up", async () => {
    const person = await joinWithHook();
    receiver.answerWith(500);
    await notifyUser(person);
    let minutes = 0;
    for (const [index, delay] of [1, 5, 30, 120, 720].entries()) {
      const nextAt = minutesOn(minutes + delay);
      await becomes(person, { attempts: index + 1, nextAt, doneAt: null, error: "it answered 500" });
      minutes += delay;
      gateway.setNow(nextAt);
    }
    await becomes(person, {
      attempts: 6,
      nextAt: null,
      doneAt: minutesOn(minutes),
      error: "it answered 500",
    });
  });

  const PUBLIC =
    "the URL must resolve only to public addresses, or to those that the operator allows with WEBHOOK_ALLOW_NETWORKS";
  it.each<[string, () => void, string]>([
    ["redirects", () => receiver.answerWith(302), "it answered 302: redirects are not followed"],
    ["never answers", () => receiver.answerWith(null), "it did not answer in time"],
    ["resolves to an internal address the second time", () => (addresses = ["10.0.0.1"]), PUBLIC],
    ["resolves to an internal address, too", () => addresses.push("::1"), PUBLIC],
    ["no longer resolves", () => (addresses = []), "the URL must have a name that can be resolved"],
  ])("that %s fails, and nothing else is called", async (_what, change, error) => {
    const person = await joinWithHook();
    change();
    const before = receiver.received.length;
    await notifyUser(person);
    await becomes(person, { attempts: 1, nextAt: minutesOn(1), doneAt: null, error });
    expect(receiver.received.length - before).toBeLessThanOrEqual(error.startsWith("it") ? 1 : 0);
  });

  it("whose secret is older than `whsec_` verifies with the base64 of that secret", async () => {
    const person = await joinWithHook();
    const old = "cgw_whs_a-secret-of-that-time";
    await gateway.database.prisma.notificationPreferences.update({
      where: { userId: person.user.id },
      data: { webhookSecret: seal(old, PEPPER) },
    });
    const before = receiver.received.length;
    await notifyUser(person);
    await vi.waitFor(() => expect(receiver.received.length).toBe(before + 1), soon);
    const { headers, body } = receiver.received[before] ?? { headers: {}, body: "" };
    vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
    const library = new Webhook(`whsec_${Buffer.from(old).toString("base64")}`);
    expect(library.verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
    vi.useRealTimers();
  });

  it("that answers 410 is disabled, and its owner is notified", async () => {
    const person = await joinWithHook();
    receiver.answerWith(410);
    await notifyUser(person);
    await becomes(person, { attempts: 1, nextAt: null, doneAt: NOW, error: "it answered 410" });
    expect(await titlesOf(person)).toContain("Your webhook was switched off");
    const { body } = await person.call<Envelope>("/v1/users/me/notification-preferences");
    expect(body.data).toMatchObject({ channels: { webhook: { ...hook(), enabled: false } } });
  });

  it.each([
    ["seconds", "7200", 120],
    ["a date", new Date(NOW.getTime() + 3_600_000).toUTCString(), 60],
    ["more than a day", "999999", 24 * 60],
  ])(
    "that answers 429 with Retry-After as %s is not called until then",
    async (_form, retryAfter, minutes) => {
      const person = await joinWithHook();
      receiver.answerWith(429, { "Retry-After": retryAfter });
      await notifyUser(person);
      await isPausedUntil(person, minutes);
      receiver.answerWith(200);
      gateway.setNow(minutesOn(minutes));
      await becomes(person, { attempts: 2, error: null });
    },
  );

  it("that asked for a pause does not pause another URL", async () => {
    const person = await joinWithHook();
    receiver.answerWith(429, { "Retry-After": "7200" });
    await notifyUser(person);
    await isPausedUntil(person, 120);
    await changePreferences(person, { channels: { webhook: { url: hook().url } } });
    expect(await pausedUntil(person)).toEqual(minutesOn(120));
    await changePreferences(person, { channels: { webhook: { url: `${hook().url}/other` } } });
    expect(await pausedUntil(person)).toBeNull();
  });

  it("is not called for a former member, or once its user has disabled it", async () => {
    const owner = await join();
    const [member, other] = [
      await addMember(gateway, owner.organization.slug, "viewer", { pepper: PEPPER }),
      await addMember(gateway, owner.organization.slug, "viewer", { pepper: PEPPER }),
    ];
    for (const person of [member, other])
      await changePreferences(person, { channels: { webhook: hook(), email: { enabled: false } } });
    receiver.answerWith(500);
    await notifyUser(owner, { to: { users: [member.user.id, other.user.id] } });
    for (const person of [member, other]) {
      await becomes(person, { attempts: 1, error: "it answered 500" });
    }
    await gateway.database.prisma.membership.deleteMany({ where: { userId: member.user.id } });
    await changePreferences(other, { categories: { verification: { webhook: false } } });
    const received = async () => {
      const where = { userId: { in: [member.user.id, other.user.id] } };
      const own = (await gateway.database.prisma.notification.findMany({ where })).map(({ id }) => id);
      return receiver.received.filter(({ headers }) => own.includes(String(headers["x-notification-id"])))
        .length;
    };
    const before = await received();
    gateway.setNow(minutesOn(1));
    for (const person of [member, other]) {
      await becomes(person, {
        attempts: 2,
        nextAt: null,
        doneAt: minutesOn(1),
        error: "the user no longer wants it",
      });
    }
    expect(await received()).toBe(before);
  });
});

describe("an e-mail", () => {
  it("is plain text with a link to the console, and contains no tenant data", async () => {
    const person = await join();
    const name = "Invoice\r\nBcc: all@example.org https://evil.example/pay evil.example";
    await notifyUser(person, {
      title: `API key "${name}" created`,
      body: name,
      summary: "A key was created",
    });
    await hasMails(person.user.email, 1);
    const [{ text } = { text: "" }] = mailsTo(person.user.email);
    const [head = "", body = ""] = text.split("\r\n\r\n", 2);
    expect(head.split("\r\n")).toEqual(
      expect.arrayContaining([
        "From: Carbon <no-reply@example.com>",
        `To: ${person.user.email}`,
        "Subject: A key was created",
        "Auto-Submitted: auto-generated",
        expect.stringMatching(/^Content-Type: text\/plain/),
      ]),
    );
    expect(body).toBe(`A key was created.\r\n${SITE}/console/credits`);
    expect(text).not.toMatch(/evil|Bcc|Invoice/);
    expect(text).not.toContain(person.organization.name);
  });

  it("about a key or a role contains no name", async () => {
    const owner = await join();
    const member = await addMember(gateway, owner.organization.slug, "admin", { pepper: PEPPER });
    const before = mailServer.mails.length;
    const name = "www.evil.example";
    const created = await owner.call("/v1/api-keys", {
      json: { name, scopes: ["read:emissions"], tier: "free" },
    });
    expect(created.status).toBe(201);
    learnKeys(JSON.stringify(created.body));
    const subjects = () =>
      mailServer.mails.slice(before).map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1]);
    // One e-mail would report both to the member.
    const aboutKey = "An API key of your organization was created";
    await vi.waitFor(() => expect(subjects()).toEqual([aboutKey, aboutKey]), soon);
    await owner.call(`/v1/members/${member.user.id}`, { method: "PATCH", json: { role: "viewer" } });
    await vi.waitFor(
      () => expect(subjects().slice(2)).toEqual(["Your role in an organization is now viewer"]),
      soon,
    );
    expect(
      mailServer.mails
        .slice(before)
        .map(({ text }) => text)
        .join(),
    ).not.toContain("evil");
  });

  it("waits for the hour of the digest, then reports everything at once to the confirmed address", async () => {
    const person = await join();
    const address = `${randomUUID()}@example.net`;
    await changePreferences(person, {
      channels: { email: { address } },
      digest: { frequency: "daily", hour: 12 },
    });
    await hasMails(address, 1);
    await person.call("/v1/auth/email/confirm", { json: { token: tokenIn(mailsTo(address)[0]) } });
    await notifyUser(person, { summary: "The first" });
    await notifyUser(person, { summary: "The second" });
    gateway.setNow(minutesOn(119));
    await notifyUser(person, { category: "security", summary: "The third" });
    expect(await deliveriesOf(person, "email")).toEqual(
      Array.from({ length: 3 }, () => ({ attempts: 0, nextAt: minutesOn(120), doneAt: null, error: null })),
    );
    gateway.setNow(minutesOn(120));
    await hasMails(address, 2);
    const [, { text } = { text: "" }] = mailsTo(address);
    expect(text).toMatch(/^Subject: 3 notifications\r$/m);
    expect(text).toMatch(/The first.*The second.*The third/s);
    expect(mailsTo(person.user.email)).toEqual([]);
  });

  it("is retried if the server refuses it", async () => {
    const person = await join();
    mailServer.refuse(true);
    await notifyUser(person);
    await becomes(
      person,
      { attempts: 1, nextAt: minutesOn(1), doneAt: null, error: expect.stringContaining("450") },
      "email",
    );
    mailServer.refuse(false);
    gateway.setNow(minutesOn(1));
    await hasMails(person.user.email, 1);
  });
});

describe("a webhook that never answers", () => {
  const slowHook = (port: number) => ({
    channels: {
      webhook: { enabled: true, url: `https://slow.test:${port}/` },
      email: { enabled: false },
    },
  });

  it("delays nobody's e-mails and nobody else's webhook, even if many users have one", async () => {
    const slow = await startReceiver();
    slow.answerWith(null);
    const owner = await join();
    const others = [];
    for (let index = 0; index < 8; index += 1)
      others.push(await addMember(gateway, owner.organization.slug, "viewer", { pepper: PEPPER }));
    for (const person of [owner, ...others]) await changePreferences(person, slowHook(slow.port));
    const users = [owner, ...others].map(({ user }) => user.id);
    for (let index = 0; index < 5; index += 1) await notifyUser(owner, { to: { users } });
    await vi.waitFor(() => expect(slow.received.length).toBeGreaterThan(0), soon);

    const victim = await join();
    await changePreferences(victim, { channels: { webhook: hook() } });
    const before = receiver.received.length;
    await notifyUser(victim);
    await vi.waitFor(() => {
      expect(mailsTo(victim.user.email)).toHaveLength(1);
      expect(receiver.received.length).toBe(before + 1);
    }, soon);
    // At that moment, few of the slow webhook's requests have begun.
    const waiting = await gateway.database.prisma.delivery.count({
      where: { userId: { in: users }, attempts: 0, doneAt: null },
    });
    expect(waiting).toBeGreaterThan(20);
    await slow.stop();
  });

  it("is paused for longer each time, along with its owner, until it answers", async () => {
    const slow = await startReceiver();
    slow.answerWith(null);
    const person = await join();
    await changePreferences(person, slowHook(slow.port));
    await notifyUser(person);
    await notifyUser(person);
    await isPausedUntil(person, 1);
    expect(slow.received).toHaveLength(1);
    gateway.setNow(minutesOn(1));
    await isPausedUntil(person, 3);
    slow.answerWith(200);
    gateway.setNow(minutesOn(240));
    await vi.waitFor(async () => {
      expect(await deliveriesOf(person, "webhook")).toMatchObject([{ error: null }, { error: null }]);
    }, soon);
    await slow.stop();
  });
});

describe("a user who gets very many notifications", () => {
  it("gets 20 e-mails an hour, then one that summarizes the rest", async () => {
    const person = await join();
    for (let index = 1; index <= 20; index += 1) {
      await notifyUser(person);
      await hasMails(person.user.email, index);
    }
    for (let index = 0; index < 3; index += 1) await notifyUser(person);
    // Another user's e-mail, due later, has overtaken them.
    const other = await join();
    await notifyUser(other);
    await hasMails(other.user.email, 1);
    expect(mailsTo(person.user.email)).toHaveLength(20);
    gateway.setNow(minutesOn(60));
    await hasMails(person.user.email, 21);
    expect(mailsTo(person.user.email)[20]?.text).toMatch(/^Subject: 3 notifications\r$/m);
  });

  it("has at most 100 pending deliveries; the console shows the rest, which counts as held back", async () => {
    const person = await join();
    await changePreferences(person, { digest: { frequency: "daily", hour: 12 } });
    for (let index = 0; index < 103; index += 1) await notifyUser(person);
    expect(await deliveriesOf(person, "email")).toHaveLength(100);
    const { prisma } = gateway.database;
    const heldBack = (isHeldBack: boolean) =>
      prisma.notification.count({ where: { userId: person.user.id, heldBack: isHeldBack } });
    expect([await heldBack(false), await heldBack(true)]).toEqual([100, 3]);
  });
});

describe("reminders of deadlines", () => {
  const addDeadline = ({ organization }: TestPerson, dueDate: string, overrides = {}) =>
    gateway.database.prisma.complianceDeadline.create({
      data: {
        organizationId: organization.id,
        framework: "EU_CBAM",
        title: "Annual declaration",
        status: "pending",
        dueDate: new Date(dueDate),
        source: "Regulation (EU) 2023/956, Article 6",
        sourceUrl: "https://eur-lex.europa.eu/eli/reg/2023/956/oj",
        ...overrides,
      },
    });

  it("arrive the chosen number of days ahead for each member, once each, with the legal source", async () => {
    const owner = await join();
    const member = await addMember(gateway, owner.organization.slug, "viewer", { pepper: PEPPER });
    await changePreferences(member, { categories: { deadline: { days_before: [8] } } });
    await addDeadline(owner, "2026-11-27");
    await addDeadline(owner, "2026-11-21", { title: "Done", status: "completed", completedOn: NOW });
    await addDeadline(owner, "2027-01-15", { title: "Later" });
    for (const hours of [0, 1])
      await remindOfDeadlines(gateway.database, owner.organization.id, minutesOn(hours * 60));
    const { body } = await owner.call<Envelope>("/v1/notifications?unread");
    expect(body.data).toEqual({
      items: [
        {
          id: expect.any(String),
          category: "deadline",
          severity: "medium",
          title: "Due in 7 days: Annual declaration (EU_CBAM)",
          body: "It is due on 2026-11-27.\nSource: Regulation (EU) 2023/956, Article 6\nhttps://eur-lex.europa.eu/eli/reg/2023/956/oj",
          link: "/console/compliance",
          created_at: NOW.toISOString(),
          read_at: null,
        },
      ],
      next_cursor: null,
    });
    // A day late, as if the gateway had not been running.
    expect(await titlesOf(member)).toEqual(["Due in 7 days: Annual declaration (EU_CBAM)"]);
    await remindOfDeadlines(gateway.database, owner.organization.id, minutesOn(6 * 24 * 60));
    expect(await titlesOf(owner)).toEqual([
      "Due tomorrow: Annual declaration (EU_CBAM)",
      "Due in 7 days: Annual declaration (EU_CBAM)",
    ]);
    expect(await titlesOf(member)).toHaveLength(1);
  });
});

describe("unusual emissions of the last complete month", () => {
  it("are reported to members once until they change, and not after they are acknowledged", async () => {
    const owner = await join();
    const add = (recordedOn: string, co2eTonnes: number) =>
      addRecord(gateway.database, owner.organization.slug, { recordedOn, co2eTonnes });
    const day = (index: number) => new Date(Date.UTC(2024, 10 + index, 15)).toISOString().slice(0, 10);
    for (let index = 0; index < 24; index += 1) await add(day(index), index === 23 ? 95 : 40 + (index % 3));
    const notifiedAt = async (minutes: number) => {
      await notifyOfAnomalies(
        gateway.database,
        owner.organization.id,
        minutesOn(minutes),
        createTestLog().log,
      );
      return titlesOf(owner);
    };
    expect(await notifiedAt(0)).toEqual(["2 unusual amounts in October 2026"]);
    expect(await notifiedAt(60)).toHaveLength(1);
    const { body } = await owner.call<Envelope>("/v1/notifications");
    const { items } = body.data as { items: { body: string }[] };
    expect(items).toMatchObject([
      { category: "anomaly", severity: "high", link: "/console/records/findings" },
    ]);
    expect(items[0]?.body.split("\n")).toEqual([
      "Records without a facility, scope 1: 126 % above October 2025 (95 t instead of 42 t)",
      expect.stringMatching(
        /^Records without a facility, scope 1: more than twice the usual month \(95 t, usually about 41 t\)/,
      ),
    ]);
    await add(day(23), 5);
    expect(await notifiedAt(120)).toHaveLength(2);
    for (const type of ["z_score", "yoy"]) {
      const id = `${type}:facility=:scope_1:2026-10`;
      expect((await owner.call("/v1/anomalies/acknowledgements", { json: { id } })).status).toBe(200);
      expect(await notifiedAt(180)).toHaveLength(2);
    }
  });

  it("are not searched for in more than 20,000 series, which is logged but not an error", async () => {
    const { organization } = await join();
    await gateway.database.transaction(({ query }) =>
      query(
        `INSERT INTO emission_days (organization_id, grain, recorded_on, part, scope, co2e_tonnes, record_count)
         SELECT $1::uuid, 'month_facility', '2026-10-01', gen_random_uuid()::text, 'scope_1', 1, 1
         FROM generate_series(1, 20001)`,
        [organization.id],
      ),
    );
    const { log, lines } = createTestLog();
    await notifyOfAnomalies(gateway.database, organization.id, minutesOn(0), log);
    expect(lines()).toMatchObject([
      {
        msg: "skipped the search for anomalies: more than 20000 series of emissions",
        organization_id: organization.id,
      },
    ]);
  });
});
