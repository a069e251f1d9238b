import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { generateToken } from "../../src/access/secrets/token.js";
import { write } from "../../src/data/database/transaction.js";
import type { Body } from "../support/answers.js";
import { type MailServer, startMailServer } from "../support/hooks.js";
import { addMember, signIn, signUp, type TestPerson } from "../support/people.js";
import {
  type Answer,
  type Envelope,
  type Gateway,
  makeOrganization,
  NOW,
  startGateway,
} from "../support/server.js";
import {
  accept,
  completeStep,
  DECISION,
  draft,
  prepareVerification,
  step,
  submitTo,
  tokenOf,
} from "../support/verification.js";

const SITE = "https://carbon.example.com";
const DAY_MS = 86_400_000;

let gateway: Gateway;
let mailServer: MailServer;
beforeAll(async () => {
  mailServer = await startMailServer();
  const env = { SMTP_URL: mailServer.url, MAIL_FROM: "no-reply@example.com", PUBLIC_URL: SITE };
  gateway = await startGateway({ env: { ...env, REGISTRATION: "invite" }, deliveryMs: 20 });
});
afterAll(async () => {
  await gateway.stop();
  await mailServer.stop();
});
beforeEach(() => gateway.setNow(NOW));

const read = async (person: TestPerson, path: string): Promise<Body> => (await person.call(path)).body.data;
const codeOf = ({ status, body }: Answer<Envelope>) => [status, body.error?.code];
const NOT_A_LINK = [404, "NOT_FOUND"];
const NOT_INDEPENDENT = [
  422,
  {
    code: "VALIDATION_FAILED",
    message: "Somebody who is or was a member of the organization cannot verify it.",
    details: [
      { path: "verifier", message: "Somebody who is or was a member of the organization cannot verify it." },
    ],
  },
];

/** Submits a request, and returns it with the token of its link. */
async function submitted() {
  const prepared = await prepareVerification(gateway);
  const { path } = await draft(prepared.ada, prepared.vera);
  const request = await completeStep(prepared.ada, path, "submit");
  return { ...prepared, path, request, token: tokenOf(request) };
}

/** Expects that a person can neither read nor review a request. */
async function expectNoRights(person: TestPerson, path: string): Promise<void> {
  for (const url of [path, `${path}/records`, `${path}/records/export`]) {
    expect([url, (await person.call(url)).status]).toEqual([url, 404]);
  }
  expect((await read(person, "/v1/verification/assignments")).items).toEqual([]);
  const bodies = { decide: DECISION, findings: { text: "x", severity: "low" } };
  for (const name of ["start", "request-changes", "decide", "findings"] as const) {
    const body = name in bodies ? bodies[name as keyof typeof bodies] : undefined;
    expect([name, ...codeOf(await step(person, path, name, body))]).toEqual([name, ...NOT_A_LINK]);
  }
}

describe("the verifier of a request", () => {
  it("is the first account that opens the link, once the organization confirms it", async () => {
    const { ada, vera, path, request, token } = await submitted();
    expect(request.verifier_link).toMatch(new RegExp(`^${SITE}/console/#verify=cgw_vfy_[0-9A-Za-z]{43}$`));
    const thief = await signUp(gateway);
    await expectNoRights(vera, path);
    const { prisma } = gateway.database;
    const unconfirmed = await signUp(gateway);
    await prisma.user.update({ where: { id: unconfirmed.user.id }, data: { emailConfirmedAt: null } });
    await gateway.database.waitForAnnouncements();
    expect(codeOf(await accept(unconfirmed, token))).toEqual([403, "EMAIL_NOT_CONFIRMED"]);

    const accepted = await accept(vera, token);
    expect([accepted.status, accepted.body.data]).toEqual([
      200,
      { request_id: request.id, organization: ada.organization.name },
    ]);
    for (const person of [thief, vera]) expect(codeOf(await accept(person, token))).toEqual(NOT_A_LINK);
    const verifier = {
      email: vera.user.email,
      email_confirmed: true,
      name: vera.user.name,
      organization: vera.organization.name,
      account_created_at: expect.any(String),
      accepted_at: NOW.toISOString(),
      confirmed_at: null,
    };
    const shown = await read(ada, path);
    expect([shown.verifier, shown.verifier_link_expires_at, shown.version]).toEqual([verifier, null, 3]);
    expect(shown).not.toHaveProperty("verifier_link");
    await expectNoRights(vera, path);

    await prisma.user.update({ where: { id: vera.user.id }, data: { emailConfirmedAt: null } });
    await gateway.database.waitForAnnouncements();
    expect((await completeStep(ada, path, "verifier/confirm")).verifier).toEqual({
      ...verifier,
      email_confirmed: false,
      confirmed_at: NOW.toISOString(),
    });
    // The organization has confirmed her, but her e-mail address is unconfirmed.
    await expectNoRights(vera, path);
    await prisma.user.update({ where: { id: vera.user.id }, data: { emailConfirmedAt: NOW } });
    await gateway.database.waitForAnnouncements();
    expect(codeOf(await step(ada, path, "verifier/confirm"))).toEqual([409, "CONFLICT"]);
    expect(codeOf(await step(ada, path, "verifier/reject"))).toEqual([409, "CONFLICT"]);
    expect((await read(vera, `${path}/records`)).items).toHaveLength(3);
    await completeStep(vera, path, "start");
    const trail = await read(ada, `/v1/audit/log?target_id=${request.id}`);
    expect(JSON.stringify(trail)).not.toMatch(
      new RegExp(`cgw_vfy|"verifier_link_hash":"[0-9a-f]|${vera.organization.id}`),
    );
    const actions: string[] = trail.items.map(({ action }: Body) => action);
    expect(actions.filter((action) => action.startsWith("verification_request."))).toEqual([
      "verification_request.started",
      "verification_request.verifier_confirmed",
      "verification_request.accepted",
      "verification_request.submitted",
      "verification_request.created",
    ]);
  });

  it("can be rejected, and a new link invalidates the old one", async () => {
    const { ada, vera, path, token } = await submitted();
    const another = tokenOf(await completeStep(ada, path, "verifier-link"));
    expect(codeOf(await accept(vera, token))).toEqual(NOT_A_LINK);
    expect((await accept(await signUp(gateway), another)).status).toBe(200);
    expect(codeOf(await step(ada, path, "verifier-link"))).toEqual([409, "CONFLICT"]);
    const rejected = await completeStep(ada, path, "verifier/reject");
    expect([rejected.status, rejected.verifier.accepted_at]).toEqual(["submitted", null]);
    expect(codeOf(await accept(vera, another))).toEqual(NOT_A_LINK);
    expect(codeOf(await step(ada, path, "verifier/confirm"))).toEqual([409, "CONFLICT"]);
    const last = tokenOf(await completeStep(ada, path, "verifier-link"));
    expect((await accept(vera, last)).status).toBe(200);
  });

  it("cannot use a link that is unknown, expired or of a closed request", async () => {
    const { ada, vera, path, token } = await submitted();
    for (const wrong of [generateToken("verifier"), generateToken("invitation"), token.slice(0, -1), "\0"])
      expect(codeOf(await accept(vera, wrong))).toEqual(NOT_A_LINK);
    gateway.setNow(new Date(NOW.getTime() + 30 * DAY_MS));
    const late = await signUp(gateway, { now: new Date(NOW.getTime() + 30 * DAY_MS) });
    expect(codeOf(await accept(late, token))).toEqual(NOT_A_LINK);
    gateway.setNow(NOW);
    await completeStep(ada, path, "withdraw");
    expect(codeOf(await accept(vera, token))).toEqual(NOT_A_LINK);
  });

  it("is one account, even if two open the link concurrently", async () => {
    const { vera, token } = await submitted();
    const answers = await Promise.all([accept(vera, token), accept(await signUp(gateway), token)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });

  it("cannot be a current or former member", async () => {
    const { ada, owner, path, token } = await submitted();
    const former = await addMember(gateway, ada.organization.slug, "viewer");
    await owner.call(`/v1/members/${former.user.id}`, { method: "DELETE" });
    const home = await signUp(gateway);
    const { prisma } = gateway.database;
    // The session is for another organization.
    await prisma.membership.create({
      data: { organizationId: home.organization.id, userId: former.user.id, role: "viewer" },
    });
    await prisma.session.updateMany({
      where: { userId: former.user.id },
      data: { organizationId: home.organization.id, revokedAt: null },
    });
    await gateway.database.waitForAnnouncements();
    for (const person of [ada, former]) {
      const { status, body } = await accept(person, token);
      expect([status, body.error]).toEqual(NOT_INDEPENDENT);
    }
    // The database refuses it as well.
    const id = path.split("/").at(-1);
    const set = `UPDATE verification_requests SET verifier_id = '${former.user.id}', verifier_accepted_at = now() WHERE id = '${id}'`;
    await expect(gateway.database.transaction(({ execute }) => execute(set, []))).rejects.toThrow(
      "Somebody who is or was a member of the organization cannot verify it.",
    );
    const start = `UPDATE verification_requests SET status = 'in_review' WHERE id = '${id}'`;
    await expect(gateway.database.transaction(({ execute }) => execute(start, []))).rejects.toThrow(
      "a request without a confirmed verifier cannot be in_review",
    );
  });

  it("loses all rights by becoming a member, even before confirmation", async () => {
    const { ada, vera, path } = await submitted();
    const { path: other } = await draft(ada, vera, { period: { from: "2024-01-01", to: "2024-12-31" } });
    const waiting = tokenOf(await completeStep(ada, other, "submit"));
    await completeStep(ada, path, "withdraw");
    const { path: begun } = await draft(ada, vera, { level: "reasonable" });
    await submitTo(ada, vera, begun);
    await completeStep(vera, begun, "start");
    await accept(vera, waiting);
    const member = { organizationId: ada.organization.id, userId: vera.user.id };
    await gateway.database.prisma.membership.create({ data: { ...member, role: "viewer" } });
    await gateway.database.prisma.membership.delete({ where: { organizationId_userId: member } });
    await expectNoRights(vera, begun);
    const { status, body } = await step(ada, other, "verifier/confirm");
    expect([status, body.error]).toEqual(NOT_INDEPENDENT);
    const decide = (sql: Parameters<Parameters<typeof write>[2]>[0]) =>
      sql.execute("UPDATE verification_requests SET status = 'rejected' WHERE id = $1::uuid", [
        begun.split("/").at(-1),
      ]);
    const writer = {
      actor: { type: "user", id: vera.user.id } as const,
      organizationId: ada.organization.id,
      requestId: "11111111-1111-4111-8111-111111111111",
    };
    await expect(write(gateway.database, writer, decide)).rejects.toThrow("cannot verify it");
    await completeStep(ada, begun, "withdraw");
  });

  it("is not identified by an address, which anybody could register by invitation", async () => {
    const { ada, vera, path } = await prepareVerification(gateway).then(async (prepared) => {
      const { path } = await draft(prepared.ada, {
        user: { ...prepared.vera.user, email: "audit@big.example" },
      });
      return { ...prepared, path };
    });
    const mallory = await signUp(gateway);
    const invited = await mallory.call("/v1/invitations", {
      json: { email: "audit@big.example", role: "viewer" },
    });
    const invitation = new URL((invited.body.data as Body).link).hash.replace("#invitation=", "");
    const json = { invitation, name: "Big Audit", password: "a fairly long passphrase", transport: "bearer" };
    const registered = await gateway.call<Envelope>("/v1/auth/register", {
      method: "POST",
      body: JSON.stringify(json),
      headers: { "Content-Type": "application/json" },
    });
    expect(registered.status).toBe(201);
    const account = await gateway.database.prisma.user.findFirstOrThrow({
      where: { email: "audit@big.example" },
    });
    const taken = await signIn(gateway, account, mallory.organization);
    await completeStep(ada, path, "submit");
    await expectNoRights(taken, path);
    expect((await read(taken, "/v1/notifications")).items).toEqual([]);
    await completeStep(ada, path, "withdraw");
    await expectNoRights(vera, path);
  });
});

describe("the certificate of a request", () => {
  it("names the confirmed organization, not that of the verifier's session", async () => {
    const { ada, vera, path, token } = await submitted();
    await accept(vera, token);
    await completeStep(ada, path, "verifier/confirm");
    const other = await signUp(gateway, {
      organization: await makeOrganization(gateway.database, "Big Audit"),
    });
    await gateway.database.prisma.membership.create({
      data: { organizationId: other.organization.id, userId: vera.user.id, role: "viewer" },
    });
    const elsewhere = await signIn(gateway, vera.user, other.organization);
    await completeStep(elsewhere, path, "start");
    const { certificate_number } = await completeStep(elsewhere, path, "decide", DECISION);
    const { statement } = await read(ada, `/v1/verification/certificates/${certificate_number}`);
    expect(statement.verifier).toEqual({ name: vera.user.name, organization: vera.organization.name });
  });
});

describe("the e-mail to a verifier", () => {
  it("contains the link, but not the organization's name", async () => {
    const { ada, vera } = await prepareVerification(gateway);
    const { path } = await draft(ada, vera);
    const mails = () => mailServer.mails.filter(({ to }) => to === vera.user.email);
    const { verifier_link: link } = await completeStep(ada, path, "submit");
    tokenOf({ verifier_link: link });
    await vi.waitFor(() => expect(mails()).toHaveLength(1), { timeout: 60_000 });
    const text = (mails()[0]?.text ?? "").replaceAll("=\r\n", "").replaceAll("=3D", "=");
    expect(text).toContain(`\r\n${link}\r\n`);
    expect(text).not.toContain(ada.organization.name);
  });
});
