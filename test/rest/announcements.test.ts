import { beforeAll, describe, expect, it } from "vitest";
import { answer, refused } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { addFacility } from "../support/fixtures.js";
import { addMember, signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { type Envelope, makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

interface Announcement {
  readonly id: string;
  readonly title: string;
  readonly dismissed: boolean;
}

let root: TestPerson;
let owner: TestPerson;
const gateway = useGateway();
beforeAll(async () => {
  root = await signUpSuperAdmin(gateway);
  owner = await signUp(gateway);
});

const HOUR_MS = 3_600_000;
const at = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS).toISOString();

/** Publishes an announcement to one organization, so that tests do not see each other's. */
async function announce(given: object = {}, to = owner): Promise<Announcement & { version: number }> {
  const json = {
    title: "Maintenance",
    body_markdown: "From **02:00 UTC** on.",
    audience: { kind: "organizations", values: [to.organization.slug] },
    ...given,
  };
  return answer(root.call("/v1/admin/announcements", { json }), 201);
}

const activeFor = async (person: TestPerson): Promise<Announcement[]> => {
  const { body } = await person.call("/v1/announcements/active");
  return (body.data as { items: Announcement[] }).items;
};
const titlesFor = async (person: TestPerson) => (await activeFor(person)).map(({ title }) => title);

describe("GET /v1/announcements/active", () => {
  it("lists active announcements, most urgent first, then newest, for GET and POST alike", async () => {
    const reader = await signUp(gateway);
    const times = [
      { title: "old info", starts_at: at(-5) },
      { title: "critical", level: "critical", starts_at: at(-4) },
      { title: "new info", starts_at: NOW.toISOString() },
      { title: "warning", level: "warning", starts_at: at(-3), ends_at: at(0.001) },
      { title: "not yet", starts_at: at(0.001) },
      { title: "over", starts_at: at(-2), ends_at: NOW.toISOString() },
    ];
    for (const given of times) await announce(given, reader);
    const expected = ["critical", "warning", "new info", "old info"];
    expect(await titlesFor(reader)).toEqual(expected);
    const { key } = await makeKey(gateway.database, reader.organization.slug);
    const { body } = await gateway.call<Envelope>("/v1/announcements/active", {
      method: "POST",
      headers: { "X-API-Key": key },
    });
    const { items } = body.data as { items: Announcement[] };
    expect(items.map(({ title }) => title)).toEqual(expected);
    expect(items[2]).toEqual({
      id: expect.any(String),
      title: "new info",
      body_markdown: "From **02:00 UTC** on.",
      level: "info",
      starts_at: NOW.toISOString(),
      ends_at: null,
      dismissible: true,
      dismissed: false,
    });
    expect(await titlesFor(owner)).not.toContain("critical");
  });

  it("reaches the announcement's audience: all, plans, regions, organizations or roles", async () => {
    const admin = await signUp(gateway);
    const { slug } = admin.organization;
    const viewer = await addMember(gateway, slug, "viewer");
    await addFacility(gateway.database, slug, { country: "SG" });
    for (const [kind, values] of [
      ["all", []],
      ["plans", ["enterprise", "free"]],
      ["regions", ["SG", "MY"]],
      ["organizations", [slug]],
      ["roles", ["viewer"]],
    ] as const) {
      await announce({ title: `to ${kind}`, audience: { kind, values } });
    }
    const forAll = ["to all", "to organizations", "to plans", "to regions"];
    expect((await titlesFor(admin)).sort()).toEqual(expect.arrayContaining(forAll));
    expect(await titlesFor(admin)).not.toContain("to roles");
    expect(await titlesFor(viewer)).toEqual(expect.arrayContaining([...forAll, "to roles"]));
    const { key } = await makeKey(gateway.database, slug);
    const { body } = await gateway.call<Envelope>("/v1/announcements/active", {
      headers: { "X-API-Key": key },
    });
    expect(JSON.stringify(body.data)).not.toContain("to roles");
    expect(await titlesFor(owner)).not.toContain("to regions");
    await gateway.database.prisma.announcement.deleteMany({ where: { title: { startsWith: "to " } } });
  });
});

describe("POST /v1/announcements/{id}/dismiss", () => {
  it("hides the announcement for one person; a critical one stays, marked as dismissed", async () => {
    const reader = await signUp(gateway);
    const other = await addMember(gateway, reader.organization.slug, "editor");
    const info = await announce({ title: "info" }, reader);
    const critical = await announce({ title: "critical", level: "critical" }, reader);
    for (const { id } of [info, critical, info]) {
      const { status, body } = await reader.call(`/v1/announcements/${id}/dismiss`, { method: "POST" });
      expect([status, body.data]).toMatchObject([200, { id, dismissed: true }]);
    }
    expect(await activeFor(reader)).toMatchObject([{ title: "critical", dismissed: true }]);
    expect((await titlesFor(other)).sort()).toEqual(["critical", "info"]);
  });

  it("answers 404 for one outside its time or audience, and 409 for one that must stay", async () => {
    const [others, over, fixed] = [
      await announce({}, await signUp(gateway)),
      await announce({ starts_at: at(-2), ends_at: at(-1) }),
      await announce({ dismissible: false }),
    ];
    const dismiss = (id: string) => owner.call(`/v1/announcements/${id}/dismiss`, { method: "POST" });
    for (const { id } of [others, over]) await refused(dismiss(id), 404);
    await refused(dismiss(fixed.id), 409);
    const { key } = await makeKey(gateway.database, owner.organization.slug);
    const asKey = await gateway.call(`/v1/announcements/${fixed.id}/dismiss`, {
      method: "POST",
      headers: { "X-API-Key": key },
    });
    expect(asKey.status).toBe(401);
  });
});

describe("/v1/admin/announcements", () => {
  it("creates, lists, changes and deletes announcements, and audits each change", async () => {
    const made = await announce({ level: "warning", ends_at: at(1) });
    expect(made).toEqual({
      id: made.id,
      title: "Maintenance",
      body_markdown: "From **02:00 UTC** on.",
      level: "warning",
      starts_at: NOW.toISOString(),
      ends_at: at(1),
      dismissible: true,
      audience: { kind: "organizations", values: [owner.organization.slug] },
      version: 1,
    });
    const path = `/v1/admin/announcements/${made.id}`;
    const patch = { ends_at: null, audience: { kind: "all" } };
    const changed = { ...made, ends_at: null, audience: { kind: "all", values: [] }, version: 2 };
    await answer(root.call(path, { json: patch, method: "PATCH" }), 200, changed);
    const { body } = await root.call("/v1/admin/announcements?limit=100");
    const { items } = body.data as { items: Announcement[] };
    expect(items).toContainEqual(expect.objectContaining({ id: made.id, version: 2 }));
    expect((await root.call(path, { method: "DELETE" })).status).toBe(200);
    expect((await root.call(path, { method: "DELETE" })).status).toBe(404);
    const trail = (await readAuditTrail(gateway.database, null)).filter(
      ({ target }) => target.id === made.id,
    );
    expect(trail.map(({ action, actor }) => [action, actor.id])).toEqual(
      ["created", "updated", "deleted"].map((verb) => [`announcement.${verb}`, root.user.id]),
    );
  });

  it("lists and counts more than 1,000 announcements", async () => {
    const announcement = {
      body: "Text",
      level: "info",
      audience: { kind: "organizations", values: ["none"] },
    };
    const data = Array.from({ length: 1_001 }, (_, index) => ({
      ...announcement,
      title: `one of many ${index}`,
      startsAt: new Date(index * HOUR_MS),
    }));
    await gateway.database.prisma.announcement.createMany({ data });
    const { body } = await root.graphql("{ announcements(last: 1) { totalCount nodes { title } } }");
    const totalCount = await gateway.database.prisma.announcement.count();
    expect(body.data).toEqual({ announcements: { totalCount, nodes: [{ title: "one of many 0" }] } });
    await gateway.database.prisma.announcement.deleteMany({
      where: { title: { startsWith: "one of many" } },
    });
  });

  it("suggests the nearest organization, and keeps an audience that no longer exists", async () => {
    const slug = "northern-steel-works";
    await gateway.database.prisma.organization.create({ data: { slug, name: "Northern Steel Works" } });
    const send = (method: string, path: string, json: object) =>
      root.call(`/v1/admin/announcements${path}`, {
        method,
        json: { title: "Maintenance", body_markdown: "Text", ...json },
      });
    const messageFor = async (kind: string, value: string) =>
      (await send("POST", "", { audience: { kind, values: [value] } })).body.error?.message;
    expect(await messageFor("organizations", "northern-steal-works")).toBe(
      `audience.values must be slugs of existing organizations, such as ${slug} (got northern-steal-works).`,
    );
    expect(await messageFor("regions", "Atlantis")).toMatch(
      /^audience\.values must be countries: .* \(got Atlantis\)/,
    );
    const made = await send("POST", "", { audience: { kind: "organizations", values: [slug] } });
    const { id } = made.body.data as { id: string };
    await gateway.database.prisma.organization.delete({ where: { slug } });
    expect((await send("PATCH", `/${id}`, { title: "Later" })).status).toBe(200);
  });

  it.each<[what: string, path: string, given: object]>([
    [
      "no time between start and end",
      "ends_at",
      { starts_at: NOW.toISOString(), ends_at: NOW.toISOString() },
    ],
    ["an end before the start", "ends_at", { ends_at: at(-1) }],
    ["4,001 characters", "body_markdown", { body_markdown: "x".repeat(4_001) }],
    ["a blank body", "body_markdown", { body_markdown: " " }],
    ["a blank title", "title", { title: "" }],
    ["an unknown plan", "audience.values", { audience: { kind: "plans", values: ["gold"] } }],
    ["no plan", "audience.values", { audience: { kind: "plans", values: [] } }],
    ["an unknown role", "audience.values", { audience: { kind: "roles", values: ["king"] } }],
    ["an unknown country", "audience.values", { audience: { kind: "regions", values: ["Atlantis"] } }],
    [
      "an unknown organization",
      "audience.values",
      { audience: { kind: "organizations", values: ["no-such"] } },
    ],
    ["values for all", "audience.values", { audience: { kind: "all", values: ["IN"] } }],
    ["an unknown kind", "audience.kind", { audience: { kind: "everyone" } }],
    ["an unknown level", "level", { level: "loud" }],
  ])("refuses %s", async (_what, path, given) => {
    const json = { title: "Maintenance", body_markdown: "Text", ...given };
    await refused(root.call("/v1/admin/announcements", { json }), 422, [path]);
  });
});
