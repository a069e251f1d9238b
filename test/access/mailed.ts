import { expect, vi } from "vitest";
import { type MailServer, startMailServer, tokenIn } from "../support/hooks.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, type Gateway, NOW, startGateway } from "../support/server.js";
import { BEHIND_PROXY, newPassword } from "./visitor.js";

const PEPPER = "a pepper of this test";
const SITE = "https://carbon.example.com";
const PATIENCE = { timeout: 60_000, interval: 20 };
export const MINUTE_MS = 60_000;

/** Returns an e-mail's text without the soft line breaks of quoted-printable. */
const textOf = (mail: { readonly text: string }) => mail.text.replaceAll("=\r\n", "").replaceAll("=3D", "=");

/** Starts two gateways on one database that send e-mails, and a mail server that collects them. */
export async function startMailing(env: Record<string, string> = {}) {
  const mailServer: MailServer = await startMailServer();
  const mail = { SMTP_URL: mailServer.url, MAIL_FROM: "no-reply@example.com", PUBLIC_URL: SITE };
  const all = { ...BEHIND_PROXY, ...mail, KEY_PEPPER: PEPPER, ...env };
  const gateway = await startGateway({ env: all, deliveryMs: 20 });
  const other = await startGateway({ env: all, database: gateway.database, deliveryMs: 20 });
  // The mailer converts domains to lower case.
  const mailsTo = (address: string) =>
    mailServer.mails.filter(({ to }) => to.toLowerCase() === address.toLowerCase()).map(textOf);
  return {
    gateway,
    other,
    mailsTo,
    allMails: () => mailServer.mails.map(textOf),
    /** Waits until an address has received `count` e-mails with a subject, and returns them. */
    async mails(address: string, subject: string, count = 1): Promise<string[]> {
      const found = () => mailsTo(address).filter((text) => text.includes(`Subject: ${subject}\r\n`));
      await vi.waitFor(
        () => expect([mailsTo(address), found()]).toMatchObject([{}, { length: count }]),
        PATIENCE,
      );
      return found();
    },
    /** Returns the token in the latest of an address's e-mails with a subject. */
    async token(address: string, subject: string, count = 1): Promise<string> {
      const text = (await this.mails(address, subject, count)).at(-1) ?? "";
      return tokenIn({ text });
    },
    /** Resolves once no e-mail is pending. */
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
    /** Signs up a user whose address is not confirmed. */
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

/** Returns an answer for comparison, without its id and times. */
export const withoutRequest = ({ status, headers, body }: Answer<Envelope>) => {
  const { request_id: id } = (body as { meta?: { request_id: string } }).meta ?? { request_id: "" };
  const kept = [...headers].filter(([name]) => !["date", "x-request-id"].includes(name));
  return JSON.stringify([status, kept, body])
    .replaceAll(id || "-", "-")
    .replaceAll(/"timestamp":"[^"]*"/g, "");
};

/** Returns the actions of the platform's audit entries about a user, in order. */
export async function actionsOn({ database }: Gateway, userId: string): Promise<string[]> {
  const rows = await database.select<{ action: string }>(
    "SELECT action FROM audit_entries WHERE organization_id IS NULL AND target_id = $1 ORDER BY seq",
    [userId],
  );
  return rows.map(({ action }) => action);
}
