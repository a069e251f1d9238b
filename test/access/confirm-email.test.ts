import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { notify } from "../../src/actions/notifications/notify.js";
import { write } from "../../src/data/database/transaction.js";
import { type MailServer, startMailServer, tokenIn } from "../support/hooks.js";
import { signIn, signUp, type TestPerson } from "../support/people.js";
import { type Envelope, type Gateway, NOW, startGateway } from "../support/server.js";
import { createVisitor, newPassword } from "./visitor.js";

const PEPPER = "a pepper of this test";
const HOUR_MS = 3_600_000;
const PREFERENCES = "/v1/users/me/notification-preferences";

let gateway: Gateway;
let mailServer: MailServer;
beforeAll(async () => {
  mailServer = await startMailServer();
  const mail = { SMTP_URL: mailServer.url, MAIL_FROM: "no-reply@example.com" };
  gateway = await startGateway({ env: { ...mail, KEY_PEPPER: PEPPER }, deliveryMs: 20 });
});
afterAll(async () => {
  await gateway.stop();
  await mailServer.stop();
});
beforeEach(() => gateway.setNow(NOW));

const soon = { timeout: 10_000, interval: 20 };
const mailsTo = (address: string) => mailServer.mails.filter(({ to }) => to === address);
const hasMails = (address: string, count: number) =>
  vi.waitFor(() => expect(mailsTo(address)).toHaveLength(count), soon);

/** A person who has registered, and whose address is not confirmed. */
async function join(): Promise<TestPerson> {
  const person = await signUp(gateway, { pepper: PEPPER });
  const { id } = person.user;
  await gateway.database.prisma.user.update({ where: { id }, data: { emailConfirmedAt: null } });
  return person;
}
const channelOf = async (person: TestPerson) => {
  const { body } = await person.call<Envelope>(PREFERENCES);
  return (body.data as { channels: { email: object } }).channels.email;
};
const setAddress = (person: TestPerson, address: string | null) =>
  person.call(PREFERENCES, { method: "PATCH", json: { channels: { email: { address } } } });
const send = async (person: TestPerson) => (await person.call("/v1/auth/email/send", { json: {} })).status;
const confirm = async (person: TestPerson, token: string) => {
  const { status, body } = await person.call<Envelope>("/v1/auth/email/confirm", { json: { token } });
  return [status, body.data ?? body.error?.code];
};
const tell = ({ user }: TestPerson) =>
  write(gateway.database, "serve", (sql) =>
    notify(sql, {
      organizationId: null,
      to: { users: [user.id] },
      key: randomUUID(),
      category: "verification",
      severity: "low",
      title: "x",
      body: "",
      link: null,
      now: NOW,
    }),
  );
const REFUSED = [410, "LINK_EXPIRED"];
const UNCONFIRMED = { deliverable: false, reason: "address_not_confirmed" };

describe("an e-mail address", () => {
  it("gets no notifications until its owner has opened a link that was sent there, while signed in", async () => {
    const [person, stranger] = [await join(), await join()];
    const { email } = person.user;
    await tell(person);
    expect(await gateway.database.prisma.delivery.count({ where: { userId: person.user.id } })).toBe(0);
    expect(await channelOf(person)).toMatchObject(UNCONFIRMED);
    expect([await send(person), await send(person)]).toEqual([202, 202]);
    await hasMails(email, 1);
    const token = tokenIn(mailsTo(email)[0]);
    expect(await confirm(stranger, token)).toEqual(REFUSED);
    expect(await confirm(person, token)).toEqual([200, { email }]);
    expect(await confirm(person, token)).toEqual(REFUSED);
    expect(await channelOf(person)).toMatchObject({ deliverable: true, reason: null });
    await tell(person);
    await hasMails(email, 2);
  });

  it("for notifications alone is confirmed by itself, again after each change", async () => {
    const person = await signUp(gateway, { pepper: PEPPER });
    const [first, second] = [`${randomUUID()}@example.net`, `${randomUUID()}@example.net`];
    await setAddress(person, first);
    expect(await channelOf(person)).toMatchObject({ address: first, ...UNCONFIRMED });
    await hasMails(first, 1);
    await setAddress(person, second);
    await hasMails(second, 1);
    expect(await confirm(person, tokenIn(mailsTo(first)[0]))).toEqual(REFUSED);
    expect(await confirm(person, tokenIn(mailsTo(second)[0]))).toEqual([200, { email: second }]);
    expect(await channelOf(person)).toMatchObject({ deliverable: true });
    await setAddress(person, first);
    expect(await channelOf(person)).toMatchObject(UNCONFIRMED);
    await setAddress(person, null);
    expect(await channelOf(person)).toMatchObject({ deliverable: true });
  });

  it("of somebody who registers by an invitation gets the link at once", async () => {
    const owner = await signUp(gateway, { pepper: PEPPER });
    const email = `${randomUUID()}@example.net`;
    const { body } = await owner.call<Envelope>("/v1/invitations", { json: { email, role: "viewer" } });
    const [, invitation = ""] = (body.data as { link: string }).link.split("#invitation=");
    const { dataOf } = createVisitor(gateway);
    await dataOf("/register", { invitation, password: newPassword(), name: "Charles" });
    await hasMails(email, 1);
    expect(tokenIn(mailsTo(email)[0])).toMatch(/^cgw_cnf_/);
  });

  it("cannot be confirmed after a day", async () => {
    const person = await join();
    await send(person);
    await hasMails(person.user.email, 1);
    const now = new Date(NOW.getTime() + 24 * HOUR_MS);
    gateway.setNow(now);
    const later = await signIn(gateway, person.user, person.organization, { pepper: PEPPER, now });
    expect(await confirm(later, tokenIn(mailsTo(person.user.email)[0]))).toEqual(REFUSED);
  });
});
