import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkAllDomains } from "../../src/actions/domains/check-all.js";
import { checkDomains, listOrganizationsToCheck } from "../../src/actions/domains/check-daily.js";
import { createFindTexts } from "../../src/delivery/dns-text.js";
import { refused } from "../support/answers.js";
import { type NameServer, startNameServer, type Zone } from "../support/name-server.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Envelope, type Gateway, NOW, startGateway } from "../support/server.js";

interface Domain {
  readonly domain: string;
  readonly record: { readonly name: string; readonly type: string; readonly value: string };
  readonly status: string;
  readonly proven_at: string | null;
  readonly checked_at: string | null;
}

const DAY_MS = 86_400_000;
const daysLater = (days: number) => new Date(NOW.getTime() + days * DAY_MS);

let gateway: Gateway;
let names: NameServer;
beforeAll(async () => {
  names = await startNameServer();
  gateway = await startGateway({ env: { DNS_SERVERS: names.address } });
});
afterAll(async () => {
  await gateway.stop();
  await names.stop();
});

const newDomain = () => `${randomUUID()}.example`;
const send = (person: TestPerson, path: string, init?: Parameters<TestPerson["call"]>[1]) =>
  person.call<Envelope & { data: Domain }>(path, init);
const claim = async (person: TestPerson, domain: string) =>
  (await send(person, "/v1/domains", { json: { domain } })).body.data;
const check = (person: TestPerson, domain: string) =>
  send(person, `/v1/domains/${domain}/check`, { method: "POST" });

/** Claims a domain for a new organization, and proves it. */
async function prove(zone: (value: string) => Zone = (value) => [[value]]) {
  const owner = await signUp(gateway);
  const { domain, record } = await claim(owner, newDomain());
  names.set(record.name, zone(record.value));
  const { body } = await check(owner, domain);
  return { owner, domain, record, proven: body.data };
}

const actionsOf = async (organizationId: string) =>
  (
    await gateway.database.prisma.auditEntry.findMany({
      where: { organizationId, targetType: "domain" },
      orderBy: { seq: "asc" },
    })
  ).map(({ action }) => action);

/** Runs an organization's daily job at a given time. */
const runDaily = (organizationId: string, now: Date) => {
  const resources = {
    outbound: { mailer: {}, findTexts: createFindTexts([names.address]) } as never,
    pepper: undefined,
  };
  return checkDomains(resources, gateway.database, organizationId, now);
};

describe("POST /v1/domains", () => {
  it("claims a domain with a TXT record to publish, and lists it", async () => {
    const owner = await signUp(gateway);
    const domain = newDomain();
    const { status, headers, body } = await send(owner, "/v1/domains", {
      json: { domain: domain.toUpperCase() },
    });
    expect([status, headers.get("location")]).toEqual([201, "/v1/domains"]);
    expect(body.data).toEqual({
      domain,
      record: {
        name: `_carbon-gateway.${domain}`,
        type: "TXT",
        value: expect.stringMatching(/^carbon-gateway-verification=[0-9A-Za-z]{32}$/),
      },
      status: "pending",
      proven_at: null,
      checked_at: null,
    });
    const list = await owner.call<Envelope>("/v1/domains");
    expect(list.body.data).toEqual({ items: [body.data], next_cursor: null });
    expect((await send(owner, "/v1/domains", { json: { domain } })).status).toBe(409);
  });

  it("converts names in other scripts to A-labels", async () => {
    const owner = await signUp(gateway);
    const { domain, record } = await claim(owner, "Bücher.example");
    expect([domain, record.name]).toEqual(["xn--bcher-kva.example", "_carbon-gateway.xn--bcher-kva.example"]);
  });

  it.each([
    "localhost",
    "192.0.2.1",
    "*.example.com",
    "a b.example",
    "-a.example",
    `${"x".repeat(300)}.example`,
  ])("refuses an invalid domain: %s", async (domain) => {
    const owner = await signUp(gateway);
    await refused(send(owner, "/v1/domains", { json: { domain } }), 422);
  });

  it("needs an owner who gave their password within 10 minutes", async () => {
    const owner = await signUp(gateway, { now: new Date(NOW.getTime() - 11 * 60_000) });
    const late = send(owner, "/v1/domains", { json: { domain: newDomain() } });
    await refused(late, 403, undefined, "REAUTHENTICATION_REQUIRED");
  });
});

describe("POST /v1/domains/{domain}/check", () => {
  it("proves a domain by the exact value, even split or next to other records", async () => {
    const { owner, domain, proven } = await prove((value) => [
      ["v=spf1 -all"],
      [value.slice(0, 20), value.slice(20)],
    ]);
    expect(proven).toMatchObject({ domain, status: "proven", proven_at: NOW.toISOString() });
    expect(await actionsOf(owner.organization.id)).toEqual(["domain.created", "domain.proven"]);
  });

  it.each<[string, (value: string) => Zone]>([
    ["another value", (value) => [[`${value}x`], [` ${value}`]]],
    ["no record", () => []],
    ["NXDOMAIN", () => "NXDOMAIN"],
    ["SERVFAIL", () => "SERVFAIL"],
  ])("leaves a domain pending: %s", async (_, zone) => {
    const { proven } = await prove(zone);
    expect(proven).toMatchObject({ status: "pending", proven_at: null, checked_at: NOW.toISOString() });
  });

  it("does not prove a domain by the record of its parent", async () => {
    const { owner, domain } = await prove();
    await claim(owner, `eu.${domain}`);
    expect((await check(owner, `eu.${domain}`)).body.data.status).toBe("pending");
  });

  it("runs two lookups of an organization at once, queues two more, and refuses the rest", async () => {
    const { owner, domain } = await prove();
    const release = names.hold();
    const checks = Array.from({ length: 5 }, () => check(owner, domain));
    expect((await Promise.race(checks)).body.error?.code).toBe("RATE_LIMIT_EXCEEDED");
    release();
    const statuses = (await Promise.all(checks)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 429]);
  });

  it("proves a domain for only one organization", async () => {
    const { domain, record } = await prove();
    const other = await signUp(gateway);
    const claimed = await claim(other, domain);
    names.set(record.name, [[record.value], [claimed.record.value]]);
    await refused(check(other, domain), 409);
    await refused(check(await signUp(gateway), domain), 404);
  });
});

describe("DELETE /v1/domains/{domain}", () => {
  it("removes a domain, so that another organization can prove it", async () => {
    const { owner, domain, record } = await prove();
    expect((await send(owner, `/v1/domains/${domain}`, { method: "DELETE" })).status).toBe(200);
    expect((await actionsOf(owner.organization.id)).at(-1)).toBe("domain.removed");
    const other = await signUp(gateway);
    const claimed = await claim(other, domain);
    names.set(record.name, [[claimed.record.value]]);
    expect((await check(other, domain)).body.data.status).toBe("proven");
  });
});

describe("daily check of domains", () => {
  it("revokes a proof after 7 days without the record, and mails the owners daily", async () => {
    const { owner, domain, record } = await prove();
    const { id } = owner.organization;
    names.set(record.name, "NXDOMAIN");
    const statusAfter = async (days: number) => {
      await runDaily(id, daysLater(days));
      return (await owner.call<{ data: { items: Domain[] } }>("/v1/domains")).body.data.items[0]?.status;
    };
    const statuses = [];
    for (const day of [1, 2, 3, 4, 5, 6, 7, 7.99, 8]) statuses.push(await statusAfter(day));
    expect(statuses).toEqual([...new Array(8).fill("failing"), "pending"]);
    expect(await actionsOf(id)).toEqual([
      "domain.created",
      "domain.proven",
      "domain.updated",
      "domain.lapsed",
    ]);
    const mails = await gateway.database.prisma.mailJob.findMany({ where: { email: owner.user.email } });
    expect(mails.map(({ kind }) => kind)).toEqual(new Array(9).fill("domain_unchecked"));
    expect((await check(owner, domain)).body.data.status).toBe("pending");
  });

  it("keeps a proof while name servers fail, and starts over once the record is back", async () => {
    const { owner, record } = await prove();
    const { id } = owner.organization;
    names.set(record.name, "NXDOMAIN");
    await runDaily(id, daysLater(1));
    names.set(record.name, "SERVFAIL");
    await runDaily(id, daysLater(20));
    names.set(record.name, [[record.value]]);
    await runDaily(id, daysLater(21));
    names.set(record.name, []);
    await runDaily(id, daysLater(22));
    const list = await owner.call<{ data: { items: Domain[] } }>("/v1/domains");
    expect(list.body.data.items[0]).toMatchObject({ status: "failing", proven_at: NOW.toISOString() });
  });

  it("is due for a proven domain that was last checked a day ago", async () => {
    const { owner } = await prove();
    const listAt = (now: Date) => listOrganizationsToCheck(gateway.database, { after: "", max: 10_000, now });
    expect(await listAt(daysLater(0.5))).not.toContain(owner.organization.id);
    expect(await listAt(daysLater(1))).toContain(owner.organization.id);
  });
});

describe("gateway domains check", () => {
  it("checks the domains of all organizations", async () => {
    const { owner, domain, record } = await prove(() => []);
    names.set(record.name, [[record.value]]);
    const checked = await checkAllDomains(gateway.database, createFindTexts([names.address]), NOW);
    expect(checked).toContainEqual({ organization: owner.organization.slug, domain, status: "proven" });
  });
});
