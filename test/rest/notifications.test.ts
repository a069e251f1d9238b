import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Notice, notify } from "../../src/actions/notifications/notify.js";
import { prune } from "../../src/data/database/prune.js";
import { write } from "../../src/data/database/transaction.js";
import { addMember, signIn, signUp, type TestPerson } from "../support/people.js";
import { type Envelope, type Gateway, NOW, startGateway } from "../support/server.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);
const tell = ({ user, organization }: TestPerson, title: string, notice: Partial<Notice> = {}) =>
  write(
    gateway.database,
    { userId: user.id, organizationId: organization.id, requestId: randomUUID() },
    (sql) =>
      notify(sql, {
        ...{
          organizationId: organization.id,
          to: { users: [user.id] },
          key: randomUUID(),
          category: "credit",
        },
        ...{ severity: "low", title, body: "", link: null, now: NOW, ...notice },
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
  it("lists what a person was told, newest first, in pages, and what is unread", async () => {
    const person = await signUp(gateway);
    for (const [index, title] of ["one", "two", "three"].entries())
      await tell(person, title, { now: later(index) });
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

  it("holds what concerns the person alone and the active organization, and nobody else's", async () => {
    const person = await signUp(gateway);
    const elsewhere = await signUp(gateway);
    const colleague = await addMember(gateway, person.organization.slug, "admin");
    await gateway.database.prisma.membership.create({
      data: { organizationId: elsewhere.organization.id, userId: person.user.id, role: "viewer" },
    });
    await tell(person, "here");
    await tell(person, "alone", { organizationId: null, now: later(1) });
    await tell(elsewhere, "there", { to: { users: [person.user.id] }, now: later(2) });
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

  it("forgets notifications after 90 days, and deliveries 30 days after they ended", async () => {
    const person = await signUp(gateway);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    await tell(person, "old", { now: daysAgo(91) });
    await tell(person, "kept", { now: daysAgo(89) });
    const mine = { notification: { userId: person.user.id } };
    await gateway.database.prisma.delivery.updateMany({
      where: mine,
      data: { nextAt: null, doneAt: daysAgo(31) },
    });
    await prune(gateway.database);
    expect(await titlesOf(person)).toEqual(["kept"]);
    expect(await gateway.database.prisma.delivery.count({ where: mine })).toBe(0);
  });

  it("is counted in the graph for people alone", async () => {
    const person = await signUp(gateway);
    await tell(person, "one");
    const query =
      "{ viewer { notifications(unread: true) { totalCount nodes { title category severity link readAt } } } }";
    expect((await person.graphql(query)).body.data.viewer.notifications).toEqual({
      totalCount: 1,
      nodes: [{ title: "one", category: "CREDIT", severity: "LOW", link: null, readAt: null }],
    });
  });
});
