import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  listOrganizationsToTell,
  notifyOfAnnouncements,
} from "../../src/actions/notifications/notify-of-announcements.js";
import { notifyOfAnomalies } from "../../src/actions/notifications/notify-of-anomalies.js";
import { remindOfDeadlines } from "../../src/actions/notifications/remind.js";
import {
  NOTIFICATION_CATEGORIES,
  type NotificationCategory,
} from "../../src/domain/notifications/categories.js";
import { refused } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { addBatch, addDeadline, addRecord } from "../support/fixtures.js";
import { addMember, type PersonRequest, signUp, type TestPerson } from "../support/people.js";
import { createTestLog, learnKeys } from "../support/secrets.js";
import { type Envelope, type Gateway, NOW, startGateway } from "../support/server.js";
import { accept, completeStep, draft, tokenOf } from "../support/verification.js";

const PATH = "/v1/users/me/notification-preferences";
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "hooks.example.com": ["1.1.1.1", "2606:4700:4700::1111"],
  "mixed.example.com": ["1.1.1.1", "127.0.0.1"],
  "inside.example.com": ["10.1.2.3"],
};

let gateway: Gateway;
beforeAll(async () => {
  // IP addresses resolve to themselves.
  const resolve = async (host: string) => ADDRESSES[host] ?? (/[:\d]$/.test(host) ? [host] : []);
  gateway = await startGateway({ webhooks: { resolve } });
});
afterAll(() => gateway.stop());

const patch = async (person: TestPerson, body: unknown, init: PersonRequest = {}) => {
  const answer = await person.call<Envelope>(PATH, {
    method: "PATCH",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/merge-patch+json" },
    ...init,
  });
  learnKeys(JSON.stringify(answer.body));
  return answer;
};
/** Expects a patch to be refused, and returns its problems by path. */
const faultsOf = async (person: TestPerson, body: unknown) => {
  const { status, body: answer } = await patch(person, body);
  const { code, details = [] } = answer.error as {
    code: string;
    details?: { path: string; message: string }[];
  };
  expect([status, code]).toEqual([422, "VALIDATION_FAILED"]);
  return Object.fromEntries(details.map(({ path, message }) => [path, message]));
};

const ways = { in_app: true, email: true, webhook: true };
const DEFAULTS = {
  channels: {
    in_app: { enabled: true },
    email: { enabled: true, address: null, deliverable: false, reason: "mail_not_configured" },
    webhook: { enabled: false, url: null },
  },
  categories: {
    deadline: { ...ways, days_before: [30, 7, 1] },
    anomaly: { ...ways, min_severity: "low" },
    verification: ways,
    credit: ways,
    market: ways,
    announcement: ways,
    security: ways,
  },
  digest: { frequency: "immediate", weekday: "monday", hour: 8, timezone: "UTC" },
  webhook_secret: null,
  version: 1,
};

describe("GET and PATCH /v1/users/me/notification-preferences", () => {
  it("return all settings, and change only what the patch names", async () => {
    const person = await signUp(gateway);
    const first = await person.call<Envelope>(PATH);
    expect([first.status, first.headers.get("etag"), first.body.data]).toEqual([
      200,
      expect.stringMatching(/^"1-/),
      DEFAULTS,
    ]);
    const changed = await patch(person, {
      channels: { email: { address: "ada@example.org" } },
      categories: { deadline: { days_before: [90, 0], email: false } },
      digest: { frequency: "weekly", weekday: "friday", hour: 0, timezone: "Asia/Kolkata" },
    });
    const expected = {
      ...DEFAULTS,
      channels: {
        ...DEFAULTS.channels,
        email: {
          enabled: true,
          address: "ada@example.org",
          deliverable: false,
          reason: "mail_not_configured",
        },
      },
      categories: { ...DEFAULTS.categories, deadline: { ...ways, email: false, days_before: [90, 0] } },
      digest: { frequency: "weekly", weekday: "friday", hour: 0, timezone: "Asia/Kolkata" },
      version: 2,
    };
    expect([changed.status, changed.headers.get("etag"), changed.body.data]).toEqual([200, '"2"', expected]);
    expect((await person.call<Envelope>(PATH)).body.data).toEqual(expected);
    const back = await patch(person, {
      channels: null,
      categories: { deadline: null },
      digest: { weekday: null },
    });
    expect(back.body.data).toEqual({
      ...DEFAULTS,
      digest: { ...expected.digest, weekday: "monday" },
      version: 3,
    });
  });

  it("need recent authentication only to change where notifications go", async () => {
    const person = await signUp(gateway, { now: new Date(NOW.getTime() - 11 * 60_000) });
    for (const channels of [
      { email: { address: "ada@example.org" } },
      { webhook: { url: "https://hooks.example.com/1" } },
    ]) {
      await refused(patch(person, { channels }), 403, undefined, "REAUTHENTICATION_REQUIRED");
    }
    expect((await patch(person, { channels: { email: { enabled: false } } })).status).toBe(200);
  });

  it("belong to one person", async () => {
    const [person, other] = [await signUp(gateway), await signUp(gateway)];
    await patch(person, { digest: { hour: 5 } });
    expect((await other.call<Envelope>(PATH)).body.data).toEqual(DEFAULTS);
  });

  it("refuse an outdated version", async () => {
    const person = await signUp(gateway);
    const ifMatch = { "Content-Type": "application/json", "If-Match": '"1"' };
    expect((await patch(person, { digest: { hour: 5 } }, { headers: ifMatch })).status).toBe(200);
    const late = patch(person, { digest: { hour: 6 } }, { headers: ifMatch });
    await refused(late, 409, { version: expect.stringContaining("VERSION_MISMATCH") });
  });

  it("report all problems together by path, and change nothing", async () => {
    const person = await signUp(gateway);
    const faults = await faultsOf(person, {
      version: 3,
      __proto_: {},
      digest: { hour: 24, timezone: "Mars/Olympus", weekday: 1, minute: 5 },
      channels: {
        email: [],
        webhook: { url: "http://hooks.example.com", enabled: "yes" },
        fax: {},
        in_app: true,
      },
      categories: {
        security: { email: false },
        deadline: { days_before: [1, 2.5] },
        anomaly: { min_severity: "huge" },
        credit: "off",
      },
    });
    expect(faults).toEqual({
      version: 'expected one of channels, categories, digest, got "version"',
      __proto_: 'expected one of channels, categories, digest, got "__proto_"',
      "digest.hour": "expected a whole number from 0 to 23, got 24",
      "digest.timezone": 'expected an IANA time zone such as Europe/Berlin, got "Mars/Olympus"',
      "digest.weekday": expect.stringContaining("expected one of sunday, monday"),
      "digest.minute": 'expected one of frequency, weekday, hour, timezone, got "minute"',
      "channels.email": "expected an object, got a list",
      "channels.webhook.url":
        'expected an https URL without a user name or password, of at most 2000 characters, got "http://hooks.example.com"',
      "channels.webhook.enabled": 'expected true or false, got "yes"',
      "channels.fax": 'expected one of in_app, email, webhook, got "fax"',
      "channels.in_app": "expected an object, got true",
      "categories.security.email":
        "expected true, because security notifications cannot be turned off, got false",
      "categories.deadline.days_before":
        "expected a list of at most 10 whole numbers from 0 to 365, got a list",
      "categories.anomaly.min_severity": 'expected one of low, medium, high, got "huge"',
      "categories.credit": 'expected an object, got "off"',
    });
    expect((await person.call<Envelope>(PATH)).body.data).toEqual(DEFAULTS);
  });

  it("refuse a list, a body of 1 MB, and an enabled webhook without a URL", async () => {
    const person = await signUp(gateway);
    expect((await patch(person, [1])).status).toBe(422);
    expect((await patch(person, { digest: { timezone: "x".repeat(1 << 20) } })).status).toBe(413);
    expect(await faultsOf(person, { channels: { webhook: { enabled: true } } })).toEqual({
      "channels.webhook.enabled": "expected false without channels.webhook.url, got true",
    });
  });

  it.each([
    "https://127.0.0.1/hook",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/",
    "https://0.0.0.0/",
    "https://inside.example.com/",
    "https://mixed.example.com/",
  ])("refuse a webhook at a private address: %s", async (url) => {
    const person = await signUp(gateway);
    expect(await faultsOf(person, { channels: { webhook: { url } }, digest: { hour: -1 } })).toEqual({
      "channels.webhook.url":
        "must resolve only to public addresses, or to those that the operator allows with WEBHOOK_ALLOW_NETWORKS",
      "digest.hour": "expected a whole number from 0 to 23, got -1",
    });
  });

  it("refuse a webhook whose host name does not resolve", async () => {
    const person = await signUp(gateway);
    expect(
      await faultsOf(person, { channels: { webhook: { url: "https://nowhere.example.com/" } } }),
    ).toEqual({ "channels.webhook.url": "must have a name that can be resolved" });
  });

  it("show a webhook's secret once, and replace it when its URL is sent", async () => {
    const person = await signUp(gateway);
    const webhook = { enabled: true, url: "https://hooks.example.com/carbon?token=hidden" };
    const secretOf = (answer: { body: Envelope }) =>
      (answer.body.data as { webhook_secret: string | null }).webhook_secret;
    const first = await patch(person, { channels: { webhook } });
    expect([first.status, secretOf(first)]).toEqual([200, expect.stringMatching(/^whsec_[\w+/]{43}=$/)]);
    expect(secretOf(await person.call<Envelope>(PATH))).toBeNull();
    expect(secretOf(await patch(person, { digest: { hour: 5 } }))).toBeNull();
    const stored = () =>
      gateway.database.prisma.notificationPreferences.findUniqueOrThrow({
        where: { userId: person.user.id },
      });
    const before = await stored();
    const second = secretOf(await patch(person, { channels: { webhook: { url: webhook.url } } }));
    expect([second === secretOf(first), (await stored()).webhookSecret === before.webhookSecret]).toEqual([
      false,
      false,
    ]);
    expect(before.webhookSecret).not.toContain(secretOf(first)?.slice(8));
    expect(await patch(person, { channels: { webhook: null } })).toMatchObject({ status: 200 });
    expect(await stored()).toMatchObject({ webhookUrl: null, webhookSecret: null });

    const entries = (await readAuditTrail(gateway.database, null)).filter(
      ({ target }) => target.id === person.user.id && target.type !== "user",
    );
    expect(entries.map(({ action }) => action)).toEqual([
      "notification_preferences.created",
      ...Array.from({ length: 4 }, () => "notification_preferences.updated"),
    ]);
    expect(JSON.stringify(entries)).not.toContain("hooks.example.com");
    expect(entries[1]).toMatchObject({
      actor: { type: "user", id: person.user.id },
      changes: { webhook_url: { from: null, to: "***" } },
    });
  });

  it("are also available in GraphQL", async () => {
    const person = await signUp(gateway);
    const { body } = await person.graphql(
      `mutation { updateNotificationPreferences(patch: { digest: { hour: 6 } }, expectedVersion: 1) {
        preferences { settings version webhookSecret } } }`,
    );
    const { webhook_secret: webhookSecret, version: _, ...settings } = DEFAULTS;
    expect(body).toEqual({
      data: {
        updateNotificationPreferences: {
          preferences: {
            settings: { ...settings, digest: { ...settings.digest, hour: 6 } },
            version: 2,
            webhookSecret,
          },
        },
      },
    });
    const refused = await person.graphql(
      `mutation { updateNotificationPreferences(patch: { fooBar: 1 }) { preferences { version } } }`,
    );
    expect(refused.body.errors).toMatchObject([
      { extensions: { code: "VALIDATION_FAILED", details: [{ path: "fooBar" }] } },
    ]);
  });
});

describe("each category of notifications", () => {
  /** Causes an event of each category in an organization. */
  const EVENTS: Readonly<Record<NotificationCategory, (ada: TestPerson) => Promise<unknown>>> = {
    async deadline({ organization: { id, slug } }) {
      await addDeadline(gateway.database, slug, { dueDate: "2026-11-27" });
      await remindOfDeadlines(gateway.database, id, NOW);
    },
    async anomaly({ organization: { id, slug } }) {
      for (let index = 0; index < 24; index += 1) {
        const recordedOn = new Date(Date.UTC(2024, 10 + index, 15)).toISOString().slice(0, 10);
        await addRecord(gateway.database, slug, {
          recordedOn,
          co2eTonnes: index === 23 ? 950 : 40 + (index % 3),
        });
      }
      await notifyOfAnomalies(gateway.database, id, NOW, createTestLog().log);
    },
    async verification(ada) {
      await addRecord(gateway.database, ada.organization.slug, { recordedOn: "2025-06-30" });
      const vera = await signUp(gateway);
      const { path } = await draft(ada, vera);
      expect((await accept(vera, tokenOf(await completeStep(ada, path, "submit")))).status).toBe(200);
    },
    async credit(ada) {
      const { id } = await addBatch(gateway.database, ada.organization.slug, { quantity: 10 });
      for (const quantity of [4, 6])
        expect((await ada.call(`/v1/credits/batches/${id}/sales`, { json: { quantity } })).status).toBe(201);
    },
    async market(ada) {
      for (const [price, as_of] of [
        [100, "2026-11-16"],
        [105, "2026-11-17"],
        [94, "2026-11-18"],
      ]) {
        const source = { source: "EEX", source_url: "https://example.org/auction" };
        const json = { credit_type: "EUA", exchange: "EEX", currency: "EUR", price, as_of, ...source };
        expect((await ada.call("/v1/markets/prices", { json })).status).toBe(201);
      }
    },
    async announcement({ organization: { id, slug } }) {
      const { database } = gateway;
      const list = () => listOrganizationsToTell(database, { after: "", max: 1_000, now: NOW });
      expect(await list()).toEqual([]);
      const values = { body: "Tonight", level: "info", startsAt: NOW };
      const audience = { kind: "organizations", values: [slug] };
      await gateway.database.prisma.announcement.create({
        data: { ...values, title: "Maintenance", audience },
      });
      const ended = { ...values, title: "Over", audience, startsAt: new Date(0), endsAt: NOW };
      await gateway.database.prisma.announcement.create({ data: ended });
      expect(await list()).toContain(id);
      for (let time = 0; time < 2; time += 1) await notifyOfAnnouncements(database, id, NOW);
    },
    async security(ada) {
      const json = { name: "ERP", scopes: ["read:market"], tier: "free" };
      expect((await ada.call("/v1/api-keys", { json })).status).toBe(201);
    },
  };

  it.each(NOTIFICATION_CATEGORIES)("has an event that its switches govern: %s", async (category) => {
    const ada = await signUp(gateway);
    const grace = await addMember(gateway, ada.organization.slug, "owner");
    if (category === "security")
      expect(await faultsOf(grace, { categories: { security: { in_app: false } } })).toEqual({
        "categories.security.in_app": expect.stringContaining("cannot be turned off"),
      });
    else expect((await patch(grace, { categories: { [category]: { in_app: false } } })).status).toBe(200);
    await EVENTS[category](ada);
    const categoriesOf = async (person: TestPerson) => {
      const { body } = await person.call<Envelope>("/v1/notifications");
      return (body.data as { items: { category: string }[] }).items.map((item) => item.category);
    };
    expect(await categoriesOf(ada)).toEqual([category]);
    expect(await categoriesOf(grace)).toEqual(category === "security" ? [category] : []);
  });
});
