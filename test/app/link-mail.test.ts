import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { generateToken } from "../../src/access/secrets/token.js";
import { queueLinkMail } from "../../src/actions/notifications/link-mail.js";
import { write } from "../../src/data/database/transaction.js";
import { createMailer } from "../../src/delivery/mail.js";
import { MAX_LINK_MAILS_A_DAY, MAX_LINK_MAILS_PER_HOUR } from "../../src/domain/notifications/link-mail.js";
import { startMailServer } from "../support/hooks.js";
import { signUp, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";
import { use } from "../support/use.js";

const PEPPER = "a pepper of this test";
const SITE = "https://carbon.example.com";
const HOUR_MS = 3_600_000;

let gateway: Gateway;
let person: TestPerson;
const mailServer = use(startMailServer);
beforeAll(async () => {
  const mail = { SMTP_URL: mailServer.url, MAIL_FROM: "no-reply@example.com" };
  gateway = await startGateway({
    env: { ...mail, PUBLIC_URL: SITE, KEY_PEPPER: PEPPER },
    deliveryMs: 20,
  });
  person = await signUp(gateway, { pepper: PEPPER });
});
afterAll(() => gateway.stop());

const newAddress = () => `${randomUUID()}@example.net`;
const mailsTo = (address: string) => mailServer.mails.filter(({ to }) => to === address);
const soon = { timeout: 60_000, interval: 20 };

/** Queues an e-mail to a verifier as a user's request does; resolves to its token, or to null if it was refused. */
async function queueMail(
  email: string,
  { now = NOW, by = person, address = "203.0.113.7" } = {},
): Promise<string | null> {
  const token = generateToken("verifier");
  learnKeys(token);
  const { database } = gateway;
  const mailer = await createMailer({ url: mailServer.url, from: "no-reply@example.com" });
  const resources = {
    pepper: PEPPER,
    outbound: {
      mailer,
      webhooks: undefined as never,
      enqueueTest: undefined as never,
      enqueueLookup: undefined as never,
      enqueueExchange: undefined as never,
      findTexts: undefined as never,
      providers: undefined as never,
    },
  };
  const actor = { type: "user", id: by.user.id } as const;
  const writer = { actor, organizationId: by.organization.id, requestId: randomUUID() };
  const isQueued = await write(database, writer, (sql) =>
    queueLinkMail(resources, sql, {
      kind: "verifier",
      email,
      token,
      address,
      now,
      userId: by.user.id,
      organizationId: by.organization.id,
    }),
  );
  return isQueued ? token : null;
}

describe("an e-mail with a link", () => {
  it("contains only the link and fixed text, and its token is then forgotten", async () => {
    const address = newAddress();
    const token = await queueMail(address);
    await vi.waitFor(() => expect(mailsTo(address)).toHaveLength(1), soon);
    const [{ text } = { text: "" }] = mailsTo(address);
    expect(text).toMatch(/^Subject: You have been asked to verify emissions\r$/m);
    expect(text.replaceAll("=\r\n", "").replaceAll("=3D", "=")).toContain(`${SITE}/console/#verify=${token}`);
    expect(text).not.toContain(person.organization.name);
    await vi.waitFor(async () => {
      const [row] = await gateway.database.prisma.mailJob.findMany({ where: { email: address } });
      expect(row).toMatchObject({ attempts: 1, tokenSealed: null, nextAt: null, sentAt: NOW, error: null });
    }, soon);
  });

  it.each(["Call +49 555 0100", "fe80::1%evil.example.com"])(
    "does not quote an invalid network address of a request: %s",
    async (given) => {
      const address = newAddress();
      await queueMail(address, { address: given });
      await vi.waitFor(() => expect(mailsTo(address)).toHaveLength(1), soon);
      expect(mailsTo(address)[0]?.text).not.toMatch(/Call|evil|network address/);
    },
  );

  it("is sent to an address a few times an hour, whoever the sender and however the address is spelled", async () => {
    const address = newAddress();
    const another = await signUp(gateway, { pepper: PEPPER });
    const max = MAX_LINK_MAILS_PER_HOUR;
    const asked = [];
    for (let index = 0; index < 2 * max; index += 1)
      asked.push(
        await queueMail(index % 2 ? address : address.toUpperCase(), { by: index % 2 ? person : another }),
      );
    expect(asked.filter((token) => token !== null)).toHaveLength(max);
    const later = new Date(NOW.getTime() + HOUR_MS);
    expect(await queueMail(address, { now: later })).not.toBeNull();
  });

  it("is not sent beyond that limit if concurrent requests have queued more", async () => {
    const address = newAddress();
    const max = MAX_LINK_MAILS_PER_HOUR;
    const row = { kind: "verifier", email: address, createdAt: NOW, nextAt: NOW };
    await gateway.database.prisma.mailJob.createMany({
      data: Array.from({ length: max + 2 }, () => ({ ...row, tokenSealed: "unreadable" })),
    });
    await vi.waitFor(async () => {
      const rows = await gateway.database.prisma.mailJob.findMany({ where: { email: address } });
      const count = (error: string) => rows.filter((one) => one.error === error).length;
      expect(count("KEY_PEPPER has changed since it was queued")).toEqual(max);
      expect(count("too many e-mails in an hour or a day")).toBe(2);
    }, soon);
    expect(mailsTo(address)).toEqual([]);
  });

  it("is sent for an organization a few times a day", async () => {
    const owner = await signUp(gateway, { pepper: PEPPER });
    const { organization } = owner;
    const row = { kind: "verifier", createdAt: NOW, organizationId: organization.id };
    const data = Array.from({ length: MAX_LINK_MAILS_A_DAY.organization }, () => ({
      ...row,
      email: newAddress(),
    }));
    await gateway.database.prisma.mailJob.createMany({ data });
    expect(await queueMail(newAddress(), { by: owner })).toBeNull();
    expect(await queueMail(newAddress())).not.toBeNull();
  });
});
