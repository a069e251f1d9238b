import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Notice, notify } from "../../src/actions/notifications/notify.js";
import { createSignInLink } from "../../src/actions/people/sign-in-links.js";
import { write } from "../../src/data/database/transaction.js";
import { prune } from "../../src/data/database/upkeep/prune.js";
import { createSite } from "../../src/http/site.js";
import { addMember, signIn, signUp, type TestPerson } from "../support/people.js";
import { learnKeys, learnPassword } from "../support/secrets.js";
import { type Envelope, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const gateway = useGateway();

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);
const notifyUser = ({ user, organization }: TestPerson, title: string, notice: Partial<Notice> = {}) =>
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
        title,
        body: "",
        link: null,
        now: NOW,
        ...notice,
      }),
  );

interface Item {
  readonly id: string;
  readonly title: string;
  readonly read_at: string | null;
}
const list = async (person: TestPerson, query = "") => {
  const { status, body } = await person.call<Envelope>(`/v1/notifications${query}`);
  expect([status, body.error]).toEqual([200, null]);
  return body.data as { items: Item[]; next_cursor: string | null };
};
const titlesOf = async (person: TestPerson, query?: string) =>
  (await list(person, query)).items.map(({ title }) => title);
const read = async (person: TestPerson, path: string) => {
  const { status, body } = await person.call<Envelope>(`/v1/notifications/${path}`, { method: "POST" });
  return [status, body.data ?? body.error?.code];
};

describe("/v1/notifications", () => {
  it("pages through a person's notifications, newest first, and filters unread ones", async () => {
    const person = await signUp(gateway);
    for (const [index, title] of ["one", "two", "three"].entries())
      await notifyUser(person, title, { now: later(index) });
    const first = await list(person, "?limit=2");
    expect(first.items.map(({ title }) => title)).toEqual(["three", "two"]);
    expect(await titlesOf(person, `?limit=2&cursor=${first.next_cursor}`)).toEqual(["one"]);
    const [{ id } = { id: "" }] = first.items;
    expect(await read(person, `${id}/read`)).toEqual([
      200,
      expect.objectContaining({ id, read_at: NOW.toISOString() }),
    ]);
    expect(await titlesOf(person, "?unread=true")).toEqual(["two", "one"]);
    expect(await read(person, "read")).toEqual([200, { read: 2 }]);
    expect(await titlesOf(person, "?unread=true")).toEqual([]);
    expect(await titlesOf(person)).toEqual(["three", "two", "one"]);
  });

  it("marks notifications as read up to a given time in GraphQL", async () => {
    const person = await signUp(gateway);
    for (const [index, title] of ["one", "two", "three"].entries())
      await notifyUser(person, title, { now: later(index) });
    const { body } = await person.graphql(
      "mutation ($until: DateTime) { readAllNotifications(input: { until: $until }) { readCount } }",
      { until: later(1).toISOString() },
    );
    expect(body.data).toEqual({ readAllNotifications: { readCount: 2 } });
    expect(await titlesOf(person, "?unread=true")).toEqual(["three"]);
  });

  it("shows personal notifications and those of the active organization only", async () => {
    const person = await signUp(gateway);
    const elsewhere = await signUp(gateway);
    const colleague = await addMember(gateway, person.organization.slug, "admin");
    await gateway.database.prisma.membership.create({
      data: { organizationId: elsewhere.organization.id, userId: person.user.id, role: "viewer" },
    });
    await notifyUser(person, "here");
    await notifyUser(person, "alone", { organizationId: null, now: later(1) });
    await notifyUser(elsewhere, "there", { to: { users: [person.user.id] }, now: later(2) });
    expect(await titlesOf(person)).toEqual(["alone", "here"]);
    const switched = await signIn(gateway, person.user, elsewhere.organization);
    expect(await titlesOf(switched)).toEqual(["there", "alone"]);
    expect([await titlesOf(colleague), await titlesOf(elsewhere)]).toEqual([[], []]);

    const { items } = await list(person);
    for (const { id } of items) expect(await read(colleague, `${id}/read`)).toEqual([404, "NOT_FOUND"]);
    expect(await read(colleague, "read")).toEqual([200, { read: 0 }]);
    expect(await read(switched, "read")).toEqual([200, { read: 2 }]);
    expect(await titlesOf(person, "?unread=true")).toEqual(["here"]);
  });

  it("deletes notifications after 90 days, and deliveries 30 days after they ended", async () => {
    const person = await signUp(gateway);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    await notifyUser(person, "old", { now: daysAgo(91) });
    await notifyUser(person, "kept", { now: daysAgo(89) });
    const mine = { notification: { userId: person.user.id } };
    await gateway.database.prisma.delivery.updateMany({
      where: mine,
      data: { nextAt: null, doneAt: daysAgo(31) },
    });
    await prune(gateway.database);
    expect(await titlesOf(person)).toEqual(["kept"]);
    expect(await gateway.database.prisma.delivery.count({ where: mine })).toBe(0);
  });

  it("lists and counts a viewer's notifications in GraphQL", async () => {
    const person = await signUp(gateway);
    await notifyUser(person, "one");
    const query =
      "{ viewer { notifications(onlyUnread: true) { totalCount nodes { title category severity link readAt } } } }";
    expect((await person.graphql(query)).body.data.viewer.notifications).toEqual({
      totalCount: 1,
      nodes: [{ title: "one", category: "VERIFICATION", severity: "LOW", link: null, readAt: null }],
    });
  });
});

describe("security notifications", () => {
  const titles = async (person: TestPerson) => (await list(person)).items.map(({ title }) => title);

  it("notify a person of each change of role, even if requests share an id", async () => {
    const owner = await signUp(gateway);
    const member = await addMember(gateway, owner.organization.slug, "viewer");
    const headers = { "X-Request-Id": randomUUID() };
    const change = (role: string) =>
      owner.call(`/v1/members/${member.user.id}`, { method: "PATCH", json: { role }, headers });
    for (const role of ["viewer", "editor", "admin"]) expect((await change(role)).status).toBe(200);
    const changed = ["editor", "admin"].map(
      (role) => `Your role in ${owner.organization.name} is now ${role}`,
    );
    expect((await titles(member)).toSorted()).toEqual(changed.toSorted());
    expect(await titles(owner)).toEqual([]);
  });

  it("notify people who can manage keys of each key created or rotated", async () => {
    const owner = await signUp(gateway);
    const { slug } = owner.organization;
    const [admin, editor] = [
      await addMember(gateway, slug, "admin"),
      await addMember(gateway, slug, "editor"),
    ];
    const made = await owner.call<Envelope>("/v1/api-keys", {
      json: { name: "ERP", scopes: ["read:market"], tier: "free" },
    });
    learnKeys(JSON.stringify(made.body));
    const { id } = made.body.data as { id: string };
    const rotated = await owner.call<Envelope>(`/v1/api-keys/${id}/rotate`, { json: {} });
    learnKeys(JSON.stringify(rotated.body));
    expect([made.status, rotated.status]).toEqual([201, 201]);
    expect(await titles(admin)).toEqual(['API key "ERP" created', 'API key "ERP" created']);
    expect((await list(admin)).items[0]).toMatchObject({ body: `By ${owner.user.email}.` });
    expect(await titles(editor)).toEqual([]);
  });

  it("notify a person of a new password and of a used sign-in link", async () => {
    const password = "a heron by the river";
    const person = await signUp(gateway, { password });
    const next = "two herons by the river";
    learnPassword(next);
    const changed = await person.call<Envelope>("/v1/auth/password", {
      json: { current: password, new: next },
    });
    learnKeys(JSON.stringify(changed.body));
    expect(changed.status).toBe(200);
    const { database } = gateway;
    const site = createSite(undefined, () => 0);
    const { link } = await createSignInLink(
      { database, pepper: undefined, site, now: NOW },
      person.user.email,
    );
    const token = link.split("=")[1];
    learnKeys(link);
    const followed = await gateway.call<Envelope>("/v1/auth/link", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    });
    learnKeys(JSON.stringify(followed.body));
    expect(followed.status).toBe(200);
    const again = await signIn(gateway, person.user, person.organization);
    expect((await titles(again)).toSorted()).toEqual([
      "A sign-in link was used",
      "Your password was changed",
    ]);
  });
});
