import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { NOW } from "../support/server.js";
import { use } from "../support/use.js";
import { actionsOn, MINUTE_MS, startMailing, withoutRequest } from "./mailed.js";
import { createVisitor, expectRefusal, isAccepted, newEmail, newPassword, refusalOf } from "./visitor.js";

const SUBJECT = "Reset your password";
const EXPIRED = [410, "LINK_EXPIRED"];

const mailing = use(startMailing);
beforeEach(() => mailing.setNow(0));

const ask = (email: string, at = mailing.gateway) => createVisitor(at).post("/password-reset", { email });
const finish = (token: string, password = newPassword(), at = mailing.gateway) =>
  createVisitor(at).post("/password-reset/finish", { token, password });
const tokenFor = async (email: string, count = 1) => {
  await ask(email);
  return mailing.token(email, SUBJECT, count);
};

describe("POST /v1/auth/password-reset", () => {
  it("e-mails a link that sets a new password, and revokes every other way in", async () => {
    const person = await mailing.signUpUnconfirmed();
    const { email, id } = person.user;
    const { prisma } = mailing.gateway.database;
    // A stranger registered with the address, and still has time to confirm it.
    const confirmationDueAt = new Date(NOW.getTime() + MINUTE_MS);
    await prisma.user.update({ where: { id }, data: { confirmationDueAt } });
    const elsewhere = { channels: { email: { address: newEmail() } } };
    const preferences = "/v1/users/me/notification-preferences";
    expect((await person.call(preferences, { method: "PATCH", json: elsewhere })).status).toBe(200);
    const answer = await ask(email.toUpperCase());
    expect([answer.status, answer.body.data]).toEqual([202, {}]);
    const token = await mailing.token(email, SUBJECT);
    const [text] = await mailing.mails(email, SUBJECT);
    expect(text).toContain(`https://carbon.example.com/console/#reset=${token}`);
    expect(text).toMatch(/30 minutes.*requested on 2026-11-20 10:00 UTC from the network address 2001:db8:/);
    for (const name of [person.organization.name, person.user.name]) expect(text).not.toContain(name);
    await person.call("/v1/auth/email/send", { json: {} });
    const confirmation = await mailing.token(email, "Confirm your e-mail address");

    await expectRefusal(finish(token, "password1234"), 422, "VALIDATION_FAILED", [
      { path: "password", message: "This password is too common. Try a longer phrase." },
    ]);
    const password = newPassword();
    const done = await finish(token, password);
    expect([done.status, done.body.data]).toEqual([200, { ended_sessions: 1 }]);
    expect(await isAccepted(mailing.other, person.session.token)).toBe(false);
    const visitor = createVisitor(mailing.other);
    await expectRefusal(
      visitor.post("/login", { email, password: person.password }),
      401,
      "INVALID_CREDENTIALS",
    );
    expect((await visitor.post("/login", { email, password })).status).toBe(200);
    expect(refusalOf(await visitor.post("/email/confirm", { token: confirmation, password }))).toEqual(
      EXPIRED,
    );
    expect((await prisma.user.findUniqueOrThrow({ where: { id } })).emailConfirmedAt).not.toBeNull();
    expect(await prisma.notificationPreferences.findMany({ where: { userId: id } })).toMatchObject([
      { emailAddress: null, settings: {} },
    ]);
    expect(await actionsOn(mailing.gateway, id)).toContain("password.reset");
    await mailing.mails(email, "Your password was changed");
  });

  it("answers alike with or without an account, and e-mails only enabled accounts", async () => {
    const [known, unknown, disabled] = [await mailing.signUp(), newEmail(), await mailing.signUp()];
    const { prisma } = mailing.gateway.database;
    await prisma.user.update({ where: { id: disabled.user.id }, data: { disabledAt: new Date() } });
    const addresses = [known.user.email, unknown, disabled.user.email];
    const answers = await Promise.all(addresses.map((email) => ask(email)));
    expect(new Set(answers.map(withoutRequest)).size).toBe(1);
    await mailing.mails(known.user.email, SUBJECT);
    await mailing.settled();
    expect([unknown, disabled.user.email].map(mailing.mailsTo)).toEqual([[], []]);
  });

  it("sends three e-mails an hour to an address, and does not reveal that", async () => {
    const { email } = (await mailing.signUp()).user;
    const statuses = [];
    for (let index = 0; index < 5; index += 1) statuses.push((await ask(email)).status);
    expect(statuses).toEqual([202, 202, 202, 202, 202]);
    await mailing.settled();
    expect(mailing.mailsTo(email)).toHaveLength(3);
  });

  it("accepts ten requests an hour from a network address, whatever they contain", async () => {
    const { post } = createVisitor(mailing.gateway);
    for (let index = 0; index < 10; index += 1)
      expect((await post("/password-reset", index % 2 ? { email: newEmail() } : {})).status).not.toBe(429);
    const { status, headers } = await post("/password-reset", { email: newEmail() });
    expect([status, Number(headers.get("retry-after")) > 0]).toEqual([429, true]);
  });
});

describe("without Redis", () => {
  it("still works, and each process counts separately", async () => {
    const alone = await startMailing({ REDIS_URL: "redis://127.0.0.1:9" });
    onTestFinished(() => alone.stop());
    const { email } = (await alone.signUp()).user;
    const visitor = createVisitor(alone.gateway);
    const statuses = [];
    for (let index = 0; index < 11; index += 1)
      statuses.push((await visitor.post("/password-reset", { email: index ? newEmail() : email })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 202), 429]);
    const json = { token: await alone.token(email, SUBJECT), password: newPassword() };
    const elsewhere = createVisitor(alone.other);
    expect((await elsewhere.post("/password-reset/finish", json)).status).toBe(200);
    expect(refusalOf(await visitor.post("/password-reset/finish", json))).toEqual(EXPIRED);
  });
});

describe("an e-mailed link", () => {
  it("is invalid once it is used, replaced, expired or made up, and all such answers are equal", async () => {
    const person = await mailing.signUp();
    const { email } = person.user;
    const replaced = await tokenFor(email);
    const used = await tokenFor(email, 2);
    const dead = [await finish(replaced), await finish(`cgw_rst_${"a".repeat(43)}`), await finish("x")];
    expect((await finish(used)).status).toBe(200);
    dead.push(await finish(used));
    const old = await tokenFor(email, 3);
    mailing.setNow(30 * MINUTE_MS);
    dead.push(await finish(old));
    for (const answer of dead) expect(refusalOf(answer)).toEqual(EXPIRED);
    expect(new Set(dead.map(withoutRequest)).size).toBe(1);
  });

  it("works once, even if 20 concurrent requests at two processes use it", async () => {
    const token = await tokenFor((await mailing.signUp()).user.email);
    const { gateway, other } = mailing;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => finish(token, newPassword(), index % 2 ? gateway : other)),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 410)]);
  });

  it("is not spent by a GET request", async () => {
    const token = await tokenFor((await mailing.signUp()).user.email);
    const { status } = await mailing.gateway.call(`/v1/auth/password-reset/finish?token=${token}`);
    expect([status, (await finish(token)).status]).toEqual([405, 200]);
  });
});
