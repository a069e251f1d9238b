import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import type { TestPerson } from "../support/people.js";
import type { Envelope } from "../support/server.js";
import { use } from "../support/use.js";
import { actionsOn, MINUTE_MS, startMailing, withoutRequest } from "./mailed.js";
import { createVisitor, expectRefusal, isAccepted, newEmail, newPassword, refusalOf } from "./visitor.js";

const NEW = "Confirm your new e-mail address";
const NOTICE = "Your e-mail address is being changed";
const EXPIRED = [410, "LINK_EXPIRED"];
const DAY_MS = 24 * 60 * MINUTE_MS;

const mailing = use(startMailing);
beforeEach(() => mailing.setNow(0));

const change = (person: TestPerson, email: string) =>
  person.call<Envelope>("/v1/auth/email", { json: { email } });
const open = (person: TestPerson, token: string) =>
  person.call<Envelope>("/v1/auth/email/confirm", { json: { token } });
const openAsVisitor = (body: object) => createVisitor(mailing.gateway).post("/email/confirm", body);
const emailOf = async ({ user: { id } }: TestPerson) =>
  (await mailing.gateway.database.prisma.user.findUniqueOrThrow({ where: { id } })).email;

describe("POST /v1/auth/email", () => {
  it("changes the address once the new one is confirmed, with the account's session or password", async () => {
    const password = newPassword();
    const [person, stranger] = [await mailing.signUp({ password }), await mailing.signUp()];
    const [old, next] = [person.user.email, newEmail()];
    const { status, body } = await change(person, next);
    expect([status, body.data]).toEqual([202, {}]);
    const token = await mailing.token(next, NEW);
    await mailing.mails(old, NOTICE);
    expect(token).toMatch(/^cgw_chg_/);
    expect(await emailOf(person)).toBe(old);
    expect(refusalOf(await open(stranger, token))).toEqual(EXPIRED);
    await expectRefusal(openAsVisitor({ token }), 401, "UNAUTHENTICATED");
    await expectRefusal(openAsVisitor({ token, password: newPassword() }), 401, "INVALID_CREDENTIALS");
    const done = await openAsVisitor({ token, password });
    expect([done.status, done.body.data, await emailOf(person)]).toEqual([200, { email: next }, next]);
    expect(refusalOf(await open(person, token))).toEqual(EXPIRED);
    expect(await actionsOn(mailing.gateway, person.user.id)).toContain("email.changed");
    await mailing.mails(old, "Your e-mail address was changed");
    const seen = await person.call<{ data: { user: { email: string } } }>("/v1/auth/me");
    expect(seen.body.data.user.email).toBe(next);
  });

  it("can be undone for 7 days with the link to the old address, which nobody else can claim in the meantime", async () => {
    const person = await mailing.signUp();
    const [old, next] = [person.user.email, newEmail()];
    await change(person, next);
    const undo = await mailing.token(old, NOTICE);
    await open(person, await mailing.token(next, NEW));
    expect(refusalOf(await change(person, newEmail())).slice(0, 2)).toEqual([409, "CONFLICT"]);
    const visitor = createVisitor(mailing.gateway);
    const registration = {
      email: old,
      password: newPassword(),
      name: "X",
      organization: { name: "X Works" },
    };
    expect((await visitor.post("/register", registration)).status).toBe(409);
    await visitor.post("/password-reset", { email: next });
    const reset = await mailing.token(next, "Reset your password");
    await visitor.post("/password-reset/finish", { token: reset, password: newPassword() });

    mailing.setNow(7 * DAY_MS - 1);
    const undone = await openAsVisitor({ token: undo });
    expect(undone.status).toBe(200);
    expect(undone.body.data).toEqual(expect.objectContaining({ email: old }));
    expect(await emailOf(person)).toEqual(old);
    expect(refusalOf(await openAsVisitor({ token: undo }))).toEqual(EXPIRED);
    expect(await isAccepted(mailing.other, person.session.token)).toBe(false);
    expect(await actionsOn(mailing.gateway, person.user.id)).toContain("email.change_cancelled");
    await mailing.mails(old, "Reset your password");
  });

  it("can be cancelled with the same link before the new address is confirmed", async () => {
    const person = await mailing.signUp();
    const [old, next] = [person.user.email, newEmail()];
    await change(person, next);
    const [token, stop] = [await mailing.token(next, NEW), await mailing.token(old, NOTICE)];
    expect((await openAsVisitor({ token: stop })).status).toBe(200);
    const password = newPassword();
    const reset = await mailing.token(old, "Reset your password");
    await createVisitor(mailing.gateway).post("/password-reset/finish", { token: reset, password });
    expect(refusalOf(await openAsVisitor({ token, password }))).toEqual(EXPIRED);
    expect(await emailOf(person)).toBe(old);
  });

  it("does not reveal that an address is taken, and e-mails its owner", async () => {
    const [person, owner] = [await mailing.signUp(), await mailing.signUp()];
    const answer = await change(person, owner.user.email);
    const [text] = await mailing.mails(owner.user.email, "Somebody tried to use your e-mail address");
    expect(text).not.toMatch(/#|cgw_/);
    const answers = [answer, await change(person, newEmail())];
    expect(new Set(answers.map(withoutRequest)).size).toBe(1);
    await mailing.mails(person.user.email, NOTICE, 2);
  });

  it("needs a recent password", async () => {
    const person = await mailing.signUp();
    mailing.setNow(11 * MINUTE_MS);
    await expectRefusal(change(person, newEmail()), 403, "REAUTHENTICATION_REQUIRED");
  });

  it("gives the reader of a never confirmed address no way back into the account", async () => {
    const person = await mailing.signUpUnconfirmed();
    const next = newEmail();
    await change(person, next);
    expect((await open(person, await mailing.token(next, NEW))).status).toBe(200);
    await mailing.settled();
    // Neither the link that cancels the change nor an e-mail that refers to it.
    expect(
      mailing.mailsTo(person.user.email).filter((text) => /being changed|was changed/.test(text)),
    ).toEqual([]);
  });

  it("is refused once the session has ended, even if the request started earlier", async () => {
    const person = await mailing.signUp();
    const [old, next] = [person.user.email, newEmail()];
    await change(person, next);
    const undo = await mailing.token(old, NOTICE);
    await open(person, await mailing.token(next, NEW));
    const [path, body] = ["/v1/auth/email", JSON.stringify({ email: newEmail() })];
    const headers = {
      Authorization: `Bearer ${person.session.token}`,
      "Content-Type": "application/json",
      "Content-Length": body.length,
      Expect: "100-continue",
    };
    const late = request(`${mailing.gateway.url}${path}`, { method: "POST", headers });
    late.write(body.slice(0, 5));
    await once(late, "continue");
    expect((await openAsVisitor({ token: undo })).status).toBe(200);
    late.end(body.slice(5));
    const [answer] = (await once(late, "response")) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(401);
    await mailing.settled();
    expect(mailing.mailsTo(next).filter((text) => text.includes(NOTICE))).toEqual([]);
  });

  it("can be undone with the password, which then e-mails a link for a new one, however many strangers asked before", async () => {
    const password = newPassword();
    const person = await mailing.signUp({ password });
    const [old, next] = [person.user.email, newEmail()];
    await change(person, next);
    const undo = await mailing.token(old, NOTICE);
    const token = await mailing.token(next, NEW);
    await mailing.settled();
    mailing.setNow(23 * 60 * MINUTE_MS);
    const visitor = createVisitor(mailing.gateway);
    expect((await openAsVisitor({ token, password })).status).toBe(200);
    for (let count = 0; count < 4; count += 1) await visitor.post("/password-reset", { email: old });
    await mailing.settled();
    mailing.setNow(23 * 60 * MINUTE_MS + 7 * DAY_MS - 1);
    expect((await openAsVisitor({ token: undo })).status).toBe(200);
    expect((await visitor.post("/login", { email: old, password })).status).toBe(401);
    const reset = { token: await mailing.token(old, "Reset your password"), password: newPassword() };
    expect((await visitor.post("/password-reset/finish", reset)).status).toBe(200);
  });

  it("leaves the address to its reader if they did not register with it", async () => {
    const squatter = await mailing.signUpUnconfirmed();
    await squatter.call("/v1/auth/email/send", { json: {} });
    const token = await mailing.token(squatter.user.email, "Confirm your e-mail address");
    await change(squatter, newEmail());
    expect((await openAsVisitor({ token, deny: true })).status).toBe(200);
    const registration = {
      email: squatter.user.email,
      password: newPassword(),
      name: "X",
      organization: { name: "X Works" },
    };
    expect((await createVisitor(mailing.gateway).post("/register", registration)).status).toBe(201);
  });

  it("gives an address to only one of two accounts that confirm it at the same time", async () => {
    for (let round = 0; round < 4; round += 1) {
      const [one, other] = [await mailing.signUp(), await mailing.signUp()];
      const next = newEmail();
      await change(one, next);
      const token = await mailing.token(next, NEW);
      await change(other, next);
      const otherToken = await mailing.token(next, NEW, 2);
      const answers = await Promise.all([
        open(one, token),
        mailing.other.call("/v1/auth/email/confirm", {
          method: "POST",
          headers: { Authorization: `Bearer ${other.session.token}`, "Content-Type": "application/json" },
          body: JSON.stringify({ token: otherToken }),
        }),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.toSorted((first, second) => first - second)).toEqual([200, 410]);
    }
  });
});
