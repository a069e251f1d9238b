import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { notify } from "../../src/actions/notifications/notify.js";
import { write } from "../../src/data/database/transaction.js";
import { signUp, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { type Answer, type Envelope, type Gateway, NOW, startGateway } from "../support/server.js";
import { use } from "../support/use.js";
import { completeStep, draft, step, tokenOf } from "../support/verification.js";
import { actionsOn, MINUTE_MS, startMailing } from "./mailed.js";
import {
  BEHIND_PROXY,
  createVisitor,
  expectRefusal,
  isAccepted,
  newEmail,
  newPassword,
  refusalOf,
  type SessionBody,
} from "./visitor.js";

const DAY_MS = 24 * 60 * MINUTE_MS;
const PREFERENCES = "/v1/users/me/notification-preferences";

let gateway: Gateway;
const mailing = use(startMailing);
beforeAll(async () => {
  gateway = mailing.gateway;
});
beforeEach(() => mailing.setNow(0));

const SUBJECT = "Confirm your e-mail address";
const tokenTo = (address: string, count = 1) => mailing.token(address, SUBJECT, count);

const channelOf = async (person: TestPerson) => {
  const { body } = await person.call<Envelope>(PREFERENCES);
  return (body.data as { channels: { email: object } }).channels.email;
};
const setAddress = (person: TestPerson, address: string | null) =>
  person.call(PREFERENCES, { method: "PATCH", json: { channels: { email: { address } } } });
/** Opens a link without a session. */
const open = (body: object) => createVisitor(gateway).post("/email/confirm", body);
const send = async (person: TestPerson) => (await person.call("/v1/auth/email/send", { json: {} })).status;
const confirm = async (person: TestPerson, token: string) => {
  const { status, body } = await person.call<Envelope>("/v1/auth/email/confirm", { json: { token } });
  return [status, body.data ?? body.error?.code];
};
const notifyUser = ({ user }: TestPerson) =>
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
const confirmedAt = async ({ user: { id } }: TestPerson) =>
  (await gateway.database.prisma.user.findUniqueOrThrow({ where: { id } })).emailConfirmedAt;
const UNCONFIRMED = { deliverable: false, reason: "address_not_confirmed" };

describe("an e-mail address", () => {
  it("gets no notifications until its signed-in owner has opened a link sent there", async () => {
    const [person, stranger] = [await mailing.signUpUnconfirmed(), await mailing.signUp()];
    const { email } = person.user;
    await notifyUser(person);
    expect(await gateway.database.prisma.delivery.count({ where: { userId: person.user.id } })).toBe(0);
    expect(await channelOf(person)).toMatchObject(UNCONFIRMED);
    expect(await send(person)).toBe(202);
    const replaced = await tokenTo(email);
    for (let count = 2; count <= 4; count += 1) expect(await send(person)).toBe(202);
    await mailing.settled();
    const token = await tokenTo(email, 3);
    expect(await confirm(person, replaced)).toEqual(REFUSED);
    expect(await confirm(stranger, token)).toEqual(REFUSED);
    expect(await confirm(person, token)).toEqual([200, { email }]);
    expect(await confirm(person, token)).toEqual(REFUSED);
    expect(await channelOf(person)).toMatchObject({ deliverable: true, reason: null });
    await notifyUser(person);
    await mailing.mails(email, "There is news about a verification");
    expect(await actionsOn(gateway, person.user.id)).toContain("email.confirmed");
  });

  it("for notifications only is confirmed separately, and again after each change", async () => {
    const person = await mailing.signUp();
    const [first, second] = [`${randomUUID()}@example.net`, `${randomUUID()}@example.net`];
    await setAddress(person, first);
    expect(await channelOf(person)).toMatchObject({ address: first, ...UNCONFIRMED });
    const replaced = await tokenTo(first);
    await setAddress(person, second);
    const token = await tokenTo(second);
    expect(await confirm(person, replaced)).toEqual(REFUSED);
    expect(await confirm(person, token)).toEqual([200, { email: second }]);
    expect(await channelOf(person)).toMatchObject({ deliverable: true });
    await setAddress(person, first);
    expect(await channelOf(person)).toMatchObject(UNCONFIRMED);
    await setAddress(person, null);
    expect(await channelOf(person)).toMatchObject({ deliverable: true });
  });

  it("cannot be confirmed after a day", async () => {
    const person = await mailing.signUpUnconfirmed();
    await send(person);
    const token = await tokenTo(person.user.email);
    mailing.setNow(DAY_MS);
    expect(refusalOf(await open({ token, password: person.password }))).toEqual(REFUSED);
  });

  it("can be confirmed without a session with the account's password, but not with the link alone", async () => {
    const person = await mailing.signUpUnconfirmed();
    const { email } = person.user;
    await send(person);
    const token = await tokenTo(email);
    await expectRefusal(open({ token }), 401, "UNAUTHENTICATED");
    await expectRefusal(open({ token, password: newPassword() }), 401, "INVALID_CREDENTIALS");
    expect(await confirmedAt(person)).toBeNull();
    expect((await open({ token, password: person.password })).body.data).toEqual({ email });
    expect(await confirmedAt(person)).toEqual(NOW);
  });

  it("is freed, and its account disabled, by a reader who did not register", async () => {
    const { dataOf, post } = createVisitor(gateway);
    const registration = { email: newEmail(), password: newPassword(), name: "X" };
    const named = { ...registration, organization: { name: `Works ${randomUUID()}` } };
    const { session } = await dataOf<{ session: SessionBody }>("/register", named);
    const token = await tokenTo(registration.email);
    expect((await open({ token, deny: true })).body.data).toEqual({ email: registration.email });
    expect(refusalOf(await open({ token, deny: true }))).toEqual(REFUSED);
    expect(await isAccepted(mailing.other, session.access_token)).toBe(false);
    await expectRefusal(post("/login", { ...registration, name: undefined }), 401, "INVALID_CREDENTIALS");
    await dataOf("/register", { ...named, organization: { name: `Works ${randomUUID()}` } });
  });
});

describe("an invitation", () => {
  it("is e-mailed with its own link, and only that one confirms the address", async () => {
    const owner = await mailing.signUp();
    const join = async (isMailed: boolean) => {
      const email = newEmail();
      const { body } = await owner.call<Envelope>("/v1/invitations", { json: { email, role: "viewer" } });
      const [, shown = ""] = (body.data as { link: string }).link.split("#invitation=");
      learnKeys(shown);
      const mailed = await mailing.token(email, "You have been invited to Carbon Gateway");
      expect(mailed).not.toBe(shown);
      const invitation = isMailed ? mailed : shown;
      const { dataOf, post } = createVisitor(gateway);
      const registration = { invitation, password: newPassword(), name: "Charles" };
      const { user } = await dataOf<{ user: { id: string } }>("/register", registration);
      const other = { ...registration, invitation: isMailed ? shown : mailed };
      expect((await post("/register", other)).status).toBe(404);
      const [text] = await mailing.mails(email, "You have been invited to Carbon Gateway");
      for (const name of [owner.user.name, owner.organization.name]) expect(text).not.toContain(name);
      const { emailConfirmedAt } = await gateway.database.prisma.user.findUniqueOrThrow({
        where: { id: user.id },
      });
      if (!isMailed) expect(await tokenTo(email)).toMatch(/^cgw_cnf_/);
      return emailConfirmedAt;
    };
    expect([await join(true), await join(false)]).toEqual([NOW, null]);
  });
});

describe("an account whose address is not confirmed", () => {
  const NEEDED = [403, "EMAIL_NOT_CONFIRMED"];
  const acts = (person: TestPerson) =>
    Promise.all(
      [
        ["/v1/invitations", { email: newEmail(), role: "viewer" }],
        ["/v1/api-keys", { name: "ERP", tier: "free", scopes: ["read:emissions"] }],
        ["/v1/service-accounts", { name: "ERP", role: "viewer", scopes: ["read:emissions"] }],
        ["/v1/webhook-endpoints", { url: "https://example.com/hook", types: ["facility.created"] }],
      ].map(async ([path, json]) =>
        refusalOf(await person.call<Envelope>(String(path), { json })).slice(0, 2),
      ),
    );

  it("can read, but cannot invite or create keys, service accounts or webhooks", async () => {
    const person = await mailing.signUpUnconfirmed();
    expect((await person.call("/v1/emissions/kpis")).status).toBe(200);
    expect(await acts(person)).toEqual([NEEDED, NEEDED, NEEDED, NEEDED]);
    await send(person);
    await confirm(person, await tokenTo(person.user.email));
    expect(await acts(person)).not.toContainEqual(NEEDED);
  });

  it("cannot redirect a webhook, take over its secret, or have strangers e-mailed", async () => {
    const person = await mailing.signUp();
    const WEBHOOKS = "/v1/webhook-endpoints";
    const url = "https://93.184.215.14/hook";
    const created = await person.call<Envelope>(WEBHOOKS, { json: { url, types: ["facility.created"] } });
    learnKeys(JSON.stringify(created.body));
    const { webhook_endpoint: hook } = created.body.data as { webhook_endpoint: { id: string } };
    const drafted = await draft(person, { user: { email: newEmail() } } as TestPerson);
    const submitted = await draft(person, { user: { email: newEmail() } } as TestPerson, {
      period: { from: "2024-01-01", to: "2024-12-31" },
    });
    tokenOf(await completeStep(person, submitted.path, "submit"));
    await gateway.database.prisma.user.update({
      where: { id: person.user.id },
      data: { emailConfirmedAt: null },
    });
    await gateway.database.waitForAnnouncements();
    const path = `${WEBHOOKS}/${hook.id}`;
    const headers = { "If-Match": "*" };
    const answers = [
      await person.call<Envelope>(path, { method: "PATCH", json: { url: `${url}/2` }, headers }),
      await person.call<Envelope>(`${path}/rotate-secret`, { json: { overlap_hours: 0 }, headers }),
      await step(person, drafted.path, "submit"),
      await step(person, submitted.path, "verifier-link"),
      await setAddress(person, newEmail()),
    ];
    expect(answers.map((answer) => refusalOf(answer as Answer<Envelope>))).toEqual(answers.map(() => NEEDED));
    expect((await setAddress(person, null)).status).toBe(200);
    const harmless = { method: "PATCH", json: { description: "ERP" }, headers };
    expect((await person.call(path, harmless)).status).toBe(200);
  });

  it("is not restricted for 30 days if the account is older than the rule", async () => {
    const person = await mailing.signUpUnconfirmed();
    const confirmationDueAt = new Date(NOW.getTime() + MINUTE_MS);
    await gateway.database.prisma.user.update({ where: { id: person.user.id }, data: { confirmationDueAt } });
    expect(await acts(person)).not.toContainEqual(NEEDED);
    mailing.setNow(MINUTE_MS);
    expect(await acts(person)).toEqual([NEEDED, NEEDED, NEEDED, NEEDED]);
  });

  it("is not restricted where confirming is impossible, and a request for e-mails names the operator's command", async () => {
    const silent = await startGateway({ env: BEHIND_PROXY });
    onTestFinished(() => silent.stop());
    const person = await signUp(silent);
    const { id } = person.user;
    await silent.database.prisma.user.update({ where: { id }, data: { emailConfirmedAt: null } });
    expect(await acts(person)).not.toContainEqual(NEEDED);
    const { post } = createVisitor(silent);
    const answers = [
      await post("/password-reset", { email: person.user.email }),
      await post("/password-reset", { email: newEmail() }),
      await person.call<Envelope>("/v1/auth/email", { json: { email: newEmail() } }),
      await person.call<Envelope>("/v1/auth/email/send", { json: {} }),
    ];
    const commands = ["users reset-link <email>", "users reset-link <email>"];
    commands.push("users change-email <email> <new>", "users confirm-email <email>");
    expect(answers.map(refusalOf)).toEqual(
      commands.map((command) => [
        409,
        "OPERATOR_REQUIRED",
        [
          {
            path: "SMTP_URL",
            message: `This gateway cannot send e-mail. Ask your administrator to run on the server: gateway ${command}`,
          },
        ],
      ]),
    );
  });
});
