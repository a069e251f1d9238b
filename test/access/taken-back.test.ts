import { randomUUID } from "node:crypto";
import { generateSync } from "otplib";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createResetLink } from "../../src/actions/people/addresses.js";
import { createSignInLink } from "../../src/actions/people/sign-in-links.js";
import { createSite } from "../../src/http/site.js";
import { openDirectory } from "../scim/directory.js";
import { list } from "../support/list.js";
import { signIn as signInAgain, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, NOW } from "../support/server.js";
import { use } from "../support/use.js";
import { MINUTE_MS, startMailing } from "./mailed.js";
import { createVisitor, isAccepted, newEmail, newPassword, refusalOf, type SessionBody } from "./visitor.js";

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PEPPER = "a pepper of this test";
const EXPIRED = [410, "LINK_EXPIRED"];
const NOTICE = "Your e-mail address is being changed";
const RESET = "Reset your password";

/** Time of both gateways, in milliseconds after NOW. */
let elapsed = 0;
/** Moves the clocks once no e-mail is on its way: a later time would have it sent again. */
const goTo = async (ms: number) => {
  const soon = new Date(NOW.getTime() + elapsed + HOUR_MS);
  const due = { where: { nextAt: { lt: soon } }, select: { kind: true, attempts: true, nextAt: true } };
  await vi.waitFor(async () => expect(await prisma().mailJob.findMany(due)).toEqual([]), {
    timeout: 60_000,
    interval: 20,
  });
  elapsed = ms;
  mailing.setNow(elapsed);
};
const mailing = use(startMailing);
beforeEach(() => goTo(0));

interface Addition {
  readonly kind: string;
  readonly name: string;
  readonly added_at: string | null;
}
interface Inspected {
  readonly kind: string;
  readonly additions: Addition[];
  readonly to_review: { readonly kind: string; readonly name: string; readonly organization: string }[];
  readonly password_delay_hours: number;
  readonly password_link_at: string | null;
}
interface Removed {
  readonly removed: Addition[];
  readonly to_review: Inspected["to_review"];
  readonly ended_sessions: number;
  readonly password_link_at: string | null;
}

const prisma = () => mailing.gateway.database.prisma;
const time = () => new Date(NOW.getTime() + elapsed);
const dataOf = <Data>({ body }: Answer<Envelope>) => body.data as Data;
const visitor = () => createVisitor(mailing.gateway);
const kindsOf = (additions: readonly { readonly kind: string }[]) =>
  additions.map(({ kind }) => kind).toSorted();
const inspect = async (token: string) => dataOf<Inspected>(await visitor().post("/link/inspect", { token }));
const codeAt = (secret: string) => generateSync({ secret, epoch: Math.floor(time().getTime() / 1_000) });

const signedUp = async () => {
  const password = newPassword();
  return { password, ...(await mailing.signUp({ password, now: time() })) };
};
type Person = Awaited<ReturnType<typeof signedUp>>;

/** Adds an authenticator app as its user does, and returns the recovery codes. */
async function addApp(person: TestPerson): Promise<{ secret: string; codes: string[] | null }> {
  const { secret } = dataOf<{ secret: string }>(await person.call("/v1/auth/totp", { json: {} }));
  const confirmed = await person.call("/v1/auth/totp/confirm", { json: { code: codeAt(secret) } });
  expect(refusalOf(confirmed)).toEqual([200, undefined]);
  return { secret, codes: dataOf<{ recovery_codes: string[] | null }>(confirmed).recovery_codes };
}

/** Adds a passkey, with the rows that enrolling one writes. */
async function addPasskey({ user: { id: userId } }: TestPerson, name = "Laptop"): Promise<string> {
  const data = { credentialId: randomUUID(), publicKey: "x", counter: 0n, transports: [], backedUp: false };
  const row = { ...data, userId, name, userVerified: true, createdAt: time() };
  const { id } = await prisma().passkey.create({ data: row });
  await prisma().user.update({ where: { id: userId }, data: { factorSince: time() } });
  return id;
}

/** Links an account to a provider of another organization, as a sign-in with it does. */
async function linkProvider({ user: { id: userId } }: TestPerson): Promise<string> {
  const { organization } = await mailing.signUp();
  const at = { createdAt: time(), lastUsedAt: time() };
  const provider = { issuer: "https://id.example", clientId: "x", defaultRole: "viewer" as const };
  const { id: connectionId } = await prisma().ssoConnection.create({
    data: { ...provider, organizationId: organization.id, clientSecretSealed: "x" },
  });
  await prisma().identity.create({ data: { connectionId, userId, subject: userId, ...at } });
  return organization.name;
}

const signIn = async ({ user: { email } }: TestPerson, password: string) =>
  dataOf<{ session: SessionBody | null; challenge?: { methods: string[] } }>(
    await visitor().post("/login", { email, password }),
  );
const askReset = async (email: string, count = 1) => {
  await visitor().post("/password-reset", { email });
  return mailing.token(email, RESET, count);
};
const finishReset = (token: string, password: string, more: object = {}) =>
  visitor().post("/password-reset/finish", { token, password, ...more });
const factorsOf = async ({ user: { id } }: TestPerson) => ({
  apps: await prisma().totpSecret.count({ where: { userId: id } }),
  passkeys: (await prisma().passkey.findMany({ where: { userId: id } })).map(({ name }) => name),
  codes: await prisma().recoveryCode.count({ where: { userId: id } }),
  identities: await prisma().identity.count({ where: { userId: id } }),
});
const NONE = { apps: 0, passkeys: [], codes: 0, identities: 0 };

describe("undoing a change of address", () => {
  /** Has somebody with the session of a person add all they can, change the address and begin another change. */
  async function takeOver(thief: TestPerson) {
    const [old, next] = [thief.user.email, newEmail()];
    const organization = await linkProvider(thief);
    await addApp(thief);
    await addPasskey(thief, "Thief's key");
    await thief.call("/v1/auth/recovery-codes", { json: {} });
    const settings = { channels: { email: { address: next }, webhook: { url: "https://9.9.9.9/hook" } } };
    const answers = [
      await thief.call("/v1/users/me/notification-preferences", { method: "PATCH", json: settings }),
      await thief.call("/v1/api-keys", {
        json: { name: "Thief's ERP", tier: "free", scopes: ["read:emissions"] },
      }),
      await thief.call("/v1/invitations", { json: { email: newEmail(), role: "admin" } }),
      await thief.call("/v1/auth/email", { json: { email: next } }),
    ];
    expect(answers.map(refusalOf)).toEqual([200, 201, 201, 202].map((status) => [status, undefined]));
    const undo = await mailing.token(old, NOTICE);
    return { undo, next, organization };
  }
  const confirm = async (thief: TestPerson, next: string) =>
    thief.call("/v1/auth/email/confirm", {
      json: { token: await mailing.token(next, "Confirm your new e-mail address") },
    });

  it("removes all that a thief added, names it, and lets the owner in with a new password alone", async () => {
    const person = await signedUp();
    const { undo, next, organization } = await takeOver(person);
    expect((await confirm(person, next)).status).toBe(200);
    const seen = await inspect(undo);
    const expected = list(
      "identity notification_address notification_webhook passkey recovery_codes session totp",
    );
    expect(seen.kind).toBe("cancel");
    expect(kindsOf(seen.additions)).toEqual(expected);
    expect(kindsOf(seen.to_review)).toEqual(["api_key", "invitation", "membership"]);
    const done = await visitor().post("/email/confirm", { token: undo });
    const { removed, to_review: left } = dataOf<Removed>(done);
    expect(removed).toEqual(seen.additions);
    expect(removed).toEqual(
      expect.arrayContaining([
        { kind: "passkey", name: "Thief's key", added_at: NOW.toISOString() },
        { kind: "identity", name: organization, added_at: NOW.toISOString() },
        { kind: "notification_webhook", name: "9.9.9.9", added_at: null },
      ]),
    );
    expect(left).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: "api_key", name: "Thief's ERP" })]),
    );
    expect(await factorsOf(person)).toEqual(NONE);
    expect(await isAccepted(mailing.other, person.session.token)).toBe(false);
    const [text] = await mailing.mails(person.user.email, "Access to your account was removed");
    for (const line of [
      "a passkey, added on 2026-11-20 10:00 UTC",
      "an authenticator app",
      "a set of recovery codes",
    ])
      expect(text).toContain(line);
    expect(text).not.toMatch(/Thief|thief/);
    await mailing.mails(next, "The change of your e-mail address was undone");
    const password = newPassword();
    await finishReset(await mailing.token(person.user.email, RESET), password);
    expect(await signIn(person, password)).toHaveProperty("session.id");
  });

  it.each([true, false])(
    "works whatever the thief's own directory does; it ends by leaving the account enabled: %s",
    async (active) => {
      const person = await signedUp();
      const directory = await openDirectory(mailing.gateway, await mailing.signUp());
      const next = directory.address();
      await person.call("/v1/auth/email", { json: { email: next } });
      const undo = await mailing.token(person.user.email, NOTICE);
      expect((await confirm(person, next)).status).toBe(200);

      const { id } = await directory.addUser({ userName: next });
      const moved = await directory.patch(`/Users/${id}`, {
        op: "replace",
        path: "emails[primary eq true].value",
        value: directory.address(),
      });
      expect([moved.status, moved.body["scimType"]]).toEqual([409, "mutability"]);
      for (const value of active ? [false, true] : [false])
        expect((await directory.patch(`/Users/${id}`, { op: "replace", path: "active", value })).status).toBe(
          200,
        );
      const taken = { email: person.user.email, password: newPassword(), name: "Eve", organization: "Eve" };
      expect((await visitor().post("/register", taken)).status).not.toBe(201);

      expect((await visitor().post("/email/confirm", { token: undo })).status).toBe(200);
      const password = newPassword();
      await finishReset(await mailing.token(person.user.email, RESET), password);
      expect(await signIn(person, password)).toHaveProperty("session.id");
    },
  );

  it("leaves an account disabled by the directory of an organization that it belonged to before", async () => {
    const directory = await openDirectory(mailing.gateway, await mailing.signUp());
    const { id: organizationId } = directory.owner.organization;
    const person = await signedUp();
    const { id: userId } = person.user;
    const joined = new Date(NOW.getTime() - DAY_MS);
    await prisma().membership.create({
      data: { organizationId, userId, role: "viewer", createdAt: joined },
    });
    const next = directory.address();
    await person.call("/v1/auth/email", { json: { email: next } });
    const undo = await mailing.token(person.user.email, NOTICE);
    expect((await confirm(person, next)).status).toBe(200);
    const path = "active";
    expect((await directory.patch(`/Users/${userId}`, { op: "replace", path, value: false })).status).toBe(
      200,
    );
    expect((await visitor().post("/email/confirm", { token: undo })).status).toBe(200);
    const { disabledBy, email } = await prisma().user.findUniqueOrThrow({ where: { id: userId } });
    expect([disabledBy, email]).toEqual([organizationId, person.user.email]);
  });

  it("leaves an account disabled by the directory of its own domain", async () => {
    const directory = await openDirectory(mailing.gateway, await mailing.signUp());
    const person = await mailing.signUp({ email: directory.address(), password: newPassword() });
    const next = directory.address();
    expect((await person.call("/v1/auth/email", { json: { email: next } })).status).toBe(202);
    const undo = await mailing.token(person.user.email, NOTICE);
    expect((await confirm(person, next)).status).toBe(200);
    const { id } = await directory.addUser({ userName: next });
    const disabled = await directory.patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
    expect([disabled.status, disabled.body.active]).toEqual([200, false]);
    expect((await visitor().post("/email/confirm", { token: undo })).status).toBe(200);
    const { disabledBy, email } = await prisma().user.findUniqueOrThrow({ where: { id: person.user.id } });
    expect([disabledBy, email]).toEqual([directory.owner.organization.id, person.user.email]);
  });

  it("keeps what is older than seven days before the request, however often the request was repeated", async () => {
    const person = await signedUp();
    const userId = person.user.id;
    const at = (ms: number) => new Date(NOW.getTime() + ms);
    const [oldest, kept, young] = [
      await addPasskey(person, "Old"),
      await addPasskey(person, "Kept"),
      await addPasskey(person, "Young"),
    ];
    const ages = [
      [oldest, -30 * DAY_MS],
      [kept, -7 * DAY_MS - 1],
      [young, -7 * DAY_MS],
    ] as const;
    for (const [id, ms] of ages)
      await prisma().passkey.update({ where: { id }, data: { createdAt: at(ms) } });
    await prisma().session.updateMany({ where: { userId }, data: { factorAt: NOW } });
    const next = newEmail();
    expect((await person.call("/v1/auth/email", { json: { email: next } })).status).toBe(202);
    await mailing.mails(person.user.email, NOTICE);
    // Asks again shortly before the notice expires: what was added before the first request stays within reach.
    await goTo(6 * DAY_MS);
    await prisma().session.updateMany({
      where: { userId },
      data: { factorAt: time(), authenticatedAt: time(), tokenExpiresAt: at(9 * DAY_MS) },
    });
    expect((await person.call("/v1/auth/email", { json: { email: next } })).status).toBe(202);
    const undo = await mailing.token(person.user.email, NOTICE, 2);
    const undone = await visitor().post("/email/confirm", { token: undo });
    expect(refusalOf(undone)).toEqual([200, undefined]);
    const { removed } = dataOf<Removed>(undone);
    expect(kindsOf(removed)).toEqual(["email_change", "passkey", "session"]);
    expect((await factorsOf(person)).passkeys.toSorted()).toEqual(["Kept", "Old"]);
    const password = newPassword();
    await finishReset(await mailing.token(person.user.email, RESET), password);
    const { session, challenge } = await signIn(person, password);
    expect([session, challenge?.methods.length]).toEqual([null, expect.any(Number)]);
  });

  it("does not lock out an owner whose recovery codes were replaced", async () => {
    const person = await signedUp();
    const { secret } = await addApp(person);
    const { id: userId } = person.user;
    const long = new Date(NOW.getTime() - 30 * DAY_MS);
    await prisma().totpSecret.update({ where: { userId }, data: { confirmedAt: long } });
    await prisma().user.update({ where: { id: userId }, data: { recoveryCodesAt: long } });
    await goTo(MINUTE_MS);
    await person.call("/v1/auth/recovery-codes", { json: {} });
    await person.call("/v1/auth/email", { json: { email: newEmail() } });
    const undo = await mailing.token(person.user.email, NOTICE);
    const { removed } = dataOf<Removed>(await visitor().post("/email/confirm", { token: undo }));
    expect(kindsOf(removed)).toEqual(["email_change", "recovery_codes", "session"]);
    const password = newPassword();
    await finishReset(await mailing.token(person.user.email, RESET), password);
    const { post } = visitor();
    const { challenge } = dataOf<{ challenge: { token: string; methods: string[] } }>(
      await post("/login", { email: person.user.email, password }),
    );
    expect(challenge.methods).toEqual(["totp"]);
    const entered = await post("/login/factor", { challenge: challenge.token, code: codeAt(secret) });
    expect(refusalOf(entered)).toEqual([200, undefined]);
  });
});

describe("a reset of the password", () => {
  /** Adds a passkey that is older than the reach of a reset. */
  const addOldPasskey = async (person: Person) => {
    await goTo(-8 * DAY_MS);
    await addPasskey(person, "Old");
    await goTo(0);
  };

  it("names what was added in the last seven days, removes it if asked to, and still asks for an older factor", async () => {
    const person = await signedUp();
    await addOldPasskey(person);
    await addPasskey(person, "Young");
    const token = await askReset(person.user.email);
    const { additions, password_delay_hours: delay } = await inspect(token);
    expect([kindsOf(additions), delay]).toEqual([["passkey", "session"], 0]);
    const password = newPassword();
    const done = await finishReset(token, password, { remove_added: true });
    expect(dataOf<Removed>(done)).toEqual({ ended_sessions: 1, removed: additions, password_link_at: null });
    expect((await factorsOf(person)).passkeys).toEqual(["Old"]);
    const { session, challenge } = await signIn(person, password);
    expect([session, challenge]).toEqual([null, expect.objectContaining({})]);
    await mailing.mails(person.user.email, "Access to your account was removed");
  });

  it("removes nothing unless asked to", async () => {
    const person = await signedUp();
    await addPasskey(person);
    const done = await finishReset(await askReset(person.user.email), newPassword());
    expect(dataOf<Removed>(done)).toEqual({ ended_sessions: 1 });
    expect((await factorsOf(person)).passkeys).toEqual(["Laptop"]);
  });

  it("that removes the last factor ends every way in at once, and sets no password for a day", async () => {
    const person = await signedUp();
    const { email, id } = person.user;
    await addApp(person);
    const token = await askReset(email);
    expect((await inspect(token)).password_delay_hours).toBe(24);
    const password = newPassword();
    const done = await finishReset(token, password, { remove_added: true });
    const at = new Date(NOW.getTime() + DAY_MS).toISOString();
    expect(kindsOf(dataOf<Removed>(done).removed)).toEqual(["recovery_codes", "session", "totp"]);
    expect(dataOf<Removed>(done).password_link_at).toEqual(at);
    expect(await factorsOf(person)).toEqual(NONE);
    for (const tried of [password, person.password])
      expect((await visitor().post("/login", { email, password: tried })).status).toBe(401);
    // Another reset does not shorten the wait.
    await goTo(23 * HOUR_MS);
    const again = await askReset(email, 2);
    expect((await inspect(again)).password_link_at).toBe(at);
    expect(dataOf<Removed>(await finishReset(again, password)).password_link_at).toBe(at);
    expect((await prisma().user.findUniqueOrThrow({ where: { id } })).passwordHash).toBeNull();
    await goTo(24 * HOUR_MS);
    const last = await mailing.token(email, RESET, 3);
    expect(dataOf<Removed>(await finishReset(last, password))).toEqual({ ended_sessions: 0 });
    expect(await signIn(person, password)).toHaveProperty("session.id");
  });

  it("by the operator's link sets a password at once, even during that wait", async () => {
    const person = await signedUp();
    const { email } = person.user;
    const { database } = mailing.gateway;
    const context = { database, pepper: PEPPER, site: createSite(undefined, () => 1), now: NOW };
    const tokenOf = async () => (await createResetLink(context, email)).link.split("=")[1] ?? "";
    await addApp(person);
    await finishReset(await askReset(email), newPassword(), { remove_added: true });
    const password = newPassword();
    expect((await finishReset(await tokenOf(), password)).status).toBe(200);
    const { session } = await signIn(person, password);
    expect(session?.id).toBeDefined();
    await addPasskey(person);
    const token = await tokenOf();
    expect(kindsOf((await inspect(token)).additions)).toEqual(["passkey", "session"]);
    const next = newPassword();
    const done = dataOf<Removed>(await finishReset(token, next, { remove_added: true }));
    expect([kindsOf(done.removed), done.password_link_at]).toEqual([["passkey", "session"], null]);
    expect(await signIn(person, next)).toHaveProperty("session.id");
  });
});

it("a sign-in link with a new password removes what was added before it asks for a factor", async () => {
  const person = await signedUp();
  const { database } = mailing.gateway;
  await addApp(person);
  const context = { database, pepper: PEPPER, site: createSite(undefined, () => 1), now: NOW };
  const token = (await createSignInLink(context, person.user.email)).link.split("=")[1] ?? "";
  expect(kindsOf((await inspect(token)).additions)).toEqual(["recovery_codes", "session", "totp"]);
  const password = newPassword();
  const body = { token, password, remove_added: true };
  const signedIn = dataOf<Removed & { session: SessionBody }>(await visitor().post("/link", body));
  expect(kindsOf(signedIn.removed)).toEqual(["recovery_codes", "session", "totp"]);
  expect(signedIn.session.id).toEqual(expect.any(String));
  expect(await isAccepted(mailing.other, person.session.token)).toBe(false);
});

describe("every e-mail about an addition", () => {
  const add: Readonly<Record<string, readonly [string, (person: Person) => Promise<unknown>]>> = {
    totp: ["A second factor was added", addApp],
    recovery_codes: [
      "New recovery codes were created",
      async (person) => {
        await addPasskey(person, "Own");
        await prisma().session.updateMany({ where: { userId: person.user.id }, data: { factorAt: time() } });
        await person.call("/v1/auth/recovery-codes", { json: {} });
      },
    ],
    session: [
      "A sign-in link was used",
      async (person) => {
        const { database } = mailing.gateway;
        const context = { database, pepper: PEPPER, site: createSite(undefined, () => 1), now: time() };
        const token = (await createSignInLink(context, person.user.email)).link.split("=")[1] ?? "";
        await visitor().post("/link", { token });
      },
    ],
  };

  it.each(Object.entries(add))(
    "has a link that names it and removes exactly that: %s",
    async (kind, [subject, run]) => {
      const person = await signedUp();
      await linkProvider(person);
      await goTo(MINUTE_MS);
      await run(person);
      const before = await factorsOf(person);
      const token = await mailing.token(person.user.email, subject);
      expect(token).toMatch(/^cgw_dsn_/);
      const seen = await inspect(token);
      expect([seen.kind, kindsOf(seen.additions)]).toEqual(["disown", [kind]]);
      const done = await visitor().post("/disown", { token });
      expect([done.status, dataOf<Removed>(done).removed]).toEqual([200, seen.additions]);
      const gone = { totp: { apps: 0, codes: 0 }, recovery_codes: { codes: 0 }, session: {} }[kind];
      expect(await factorsOf(person)).toEqual({ ...before, ...gone });
      expect(await isAccepted(mailing.other, person.session.token)).toBe(false);
      expect(await prisma().session.count({ where: { userId: person.user.id, revokedAt: null } })).toBe(0);
      expect(refusalOf(await visitor().post("/disown", { token }))).toEqual(EXPIRED);
      expect(refusalOf(await visitor().post("/link/inspect", { token }))).toEqual(EXPIRED);
      // The mailbox alone does not get past the factor that the link removed, but the password does.
      const { password } = person;
      const { challenge, session } = await signIn(person, password);
      expect([challenge === undefined, session !== null]).toEqual(
        kind === "recovery_codes" ? [false, false] : [true, true],
      );
      const reset = await finishReset(await askReset(person.user.email), newPassword());
      expect(dataOf<Removed>(reset).password_link_at === undefined).toBe(kind !== "totp");
    },
  );

  it("does not let a reader of the e-mails past a new factor by a reset before it", async () => {
    const person = await signedUp();
    const { email } = person.user;
    await addApp(person);
    const disown = await mailing.token(email, "A second factor was added");
    const password = newPassword();
    expect((await finishReset(await askReset(email), password)).status).toBe(200);
    const { session } = await signIn(person, password);
    expect(session).toBeNull();
    const pending = await askReset(email, 2);
    const done = dataOf<Removed & { password_removed: boolean }>(
      await visitor().post("/disown", { token: disown }),
    );
    expect([kindsOf(done.removed), done.password_removed]).toEqual([["totp"], true]);
    expect((await visitor().post("/login", { email, password })).status).toBe(401);
    expect(dataOf<Removed>(await finishReset(pending, password)).password_link_at).toBe(
      done.password_link_at,
    );
    expect((await visitor().post("/login", { email, password })).status).toBe(401);
  });

  it("about a factor that was added again begins the wait again when its link removes it", async () => {
    const person = await signedUp();
    const { email } = person.user;
    const subject = "A second factor was added";
    const removeAdded = async (count: number) => {
      const token = await mailing.token(email, subject, count);
      return dataOf<Removed>(await visitor().post("/disown", { token })).password_link_at;
    };
    const dayFrom = (ms: number) => new Date(NOW.getTime() + ms + DAY_MS).toISOString();
    await addApp(person);
    expect(await removeAdded(1)).toBe(dayFrom(0));
    await goTo(22 * HOUR_MS);
    const again = await signInAgain(mailing.gateway, person.user, person.organization, {
      now: time(),
      pepper: PEPPER,
    });
    await addApp(again);
    expect(await removeAdded(2)).toBe(dayFrom(22 * HOUR_MS));
  });

  it("is sent for the fifth in an hour as well; without its e-mail, nothing is added", async () => {
    const person = await signedUp();
    const { email } = person.user;
    await addPasskey(person);
    await prisma().session.updateMany({ where: { userId: person.user.id }, data: { factorAt: time() } });
    const add = () => person.call("/v1/auth/recovery-codes", { json: {} });
    for (let count = 1; count <= 5; count += 1) expect((await add()).status).toBe(200);
    await mailing.token(email, "New recovery codes were created", 5);
    const statuses = new Set<number>();
    for (let count = 6; count <= 21; count += 1) statuses.add((await add()).status);
    expect([...statuses]).toEqual([200, 429]);
  });

  it("names nothing once the addition was replaced", async () => {
    const person = await signedUp();
    await addApp(person);
    const token = await mailing.token(person.user.email, "A second factor was added");
    await person.call("/v1/auth/totp", { method: "DELETE" });
    await goTo(MINUTE_MS);
    await addApp(person);
    expect(refusalOf(await visitor().post("/disown", { token }))).toEqual(EXPIRED);
    expect((await factorsOf(person)).apps).toBe(1);
  });

  it("to an address that somebody else entered has a page that takes it away", async () => {
    const person = await signedUp();
    const [next, other] = [newEmail(), newEmail()];
    await person.call("/v1/auth/email", { json: { email: next } });
    const change = await mailing.token(next, "Confirm your new e-mail address");
    const denied = dataOf<Removed>(await visitor().post("/email/confirm", { token: change, deny: true }));
    expect(denied.removed).toEqual([{ kind: "email_change", name: next, added_at: NOW.toISOString() }]);
    const settings = { channels: { email: { address: other } } };
    await person.call("/v1/users/me/notification-preferences", { method: "PATCH", json: settings });
    const confirm = await mailing.token(other, "Confirm your e-mail address");
    const gone = dataOf<Removed>(await visitor().post("/email/confirm", { token: confirm, deny: true }));
    expect(gone.removed).toMatchObject([{ kind: "notification_address", name: other }]);
    expect(
      await prisma().notificationPreferences.findMany({ where: { userId: person.user.id } }),
    ).toMatchObject([{ emailAddress: null }]);
  });
});
