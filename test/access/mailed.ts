import { expect, vi } from "vitest";
import { type MailServer, startMailServer, tokenIn } from "../support/hooks.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, type Gateway, NOW, startGateway } from "../support/server.js";
import { BEHIND_PROXY, newPassword } from "./visitor.js";

const PEPPER = "a pepper of this test";
const SITE = "https://carbon.example.com";
const PATIENCE = { timeout: 10_000, interval: 20 };
export const MINUTE_MS = 60_000;

/** A mail without the soft line breaks of quoted-printable. */
const textOf = (mail: { readonly text: string }) => mail.text.replaceAll("=\r\n", "").replaceAll("=3D", "=");

/** Two processes of one database that send e-mails, and the server that gets them. */
export async function startMailing(env: Record<string, string> = {}) {
  const mailServer: MailServer = await startMailServer();
  const mail = { SMTP_URL: mailServer.url, MAIL_FROM: "no-reply@example.com", PUBLIC_URL: SITE };
  const all = { ...BEHIND_PROXY, ...mail, KEY_PEPPER: PEPPER, ...env };
  const gateway = await startGateway({ env: all, deliveryMs: 20 });
  const other = await startGateway({ env: all, database: gateway.database, deliveryMs: 20 });
  // The mailer lowers the case of a domain.
  const mailsTo = (address: string) =>
    mailServer.mails.filter(({ to }) => to.toLowerCase() === address.toLowerCase()).map(textOf);
  return {
    gateway,
    other,
    mailsTo,
    allMails: () => mailServer.mails.map(textOf),
    /** The mails to an address with a subject, once there are as many. */
    async mails(address: string, subject: string, count = 1): Promise<string[]> {
      const found = () => mailsTo(address).filter((text) => text.includes(`Subject: ${subject}\r\n`));
      await vi.waitFor(
        () => expect([mailsTo(address), found()]).toMatchObject([{}, { length: count }]),
        PATIENCE,
      );
      return found();
    },
    /** The token of the last link that was mailed to an address under a subject. */
    async token(address: string, subject: string, count = 1): Promise<string> {
      const text = (await this.mails(address, subject, count)).at(-1) ?? "";
      return tokenIn({ text });
    },
    /** Resolves once no mail waits. */
    settled: () =>
      vi.waitFor(
        async () =>
          expect(await gateway.database.prisma.mailJob.count({ where: { nextAt: { not: null } } })).toBe(0),
        PATIENCE,
      ),
    setNow(ms: number): void {
      for (const each of [gateway, other]) each.setNow(new Date(NOW.getTime() + ms));
    },
    signUp: (overrides = {}) => signUp(gateway, { pepper: PEPPER, ...overrides }),
    /** A person with an address that is not confirmed. */
    async signUpUnconfirmed(overrides = {}): Promise<TestPerson & { readonly password: string }> {
      const password = newPassword();
      const person = await signUp(gateway, { pepper: PEPPER, password, ...overrides });
      const { id } = person.user;
      await gateway.database.prisma.user.update({ where: { id }, data: { emailConfirmedAt: null } });
      return { ...person, password };
    },
    async stop(): Promise<void> {
      await other.stop();
      await gateway.stop();
      await mailServer.stop();
    },
  };
}

export type Mailing = Awaited<ReturnType<typeof startMailing>>;

/** An answer byte for byte, without what names the request. */
export const withoutRequest = ({ status, headers, body }: Answer<Envelope>) => {
  const { request_id: id } = (body as { meta?: { request_id: string } }).meta ?? { request_id: "" };
  const kept = [...headers].filter(([name]) => !["date", "x-request-id"].includes(name));
  return JSON.stringify([status, kept, body])
    .replaceAll(id || "-", "-")
    .replaceAll(/"timestamp":"[^"]*"/g, "");
};

/** The actions of a user's entries in the platform's trail, in order. */
export async function actionsOn({ database }: Gateway, userId: string): Promise<string[]> {
  const rows = await database.select<{ action: string }>(
    "SELECT action FROM audit_entries WHERE organization_id IS NULL AND target_id = $1 ORDER BY seq",
    [userId],
  );
  return rows.map(({ action }) => action);
}
