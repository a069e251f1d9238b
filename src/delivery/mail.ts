/** A server that takes e-mails, and whom they are from. */
export interface MailOptions {
  /** Such as `smtps://user:password@mail.example.com`. */
  readonly url: string;
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for every attempt, for receivers to notice what comes twice. */
  readonly id: string;
}

/** Sends e-mails. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): void;
}

const TIME_LIMITS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** Makes what sends e-mails of plain text. The library is loaded where a server is set alone. */
export async function createMailer({ url, from }: MailOptions): Promise<Mailer> {
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    url,
    ...TIME_LIMITS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^>]+)/.exec(from)?.[1] ?? "localhost";
  return {
    async send({ to, subject, text, id }) {
      await transport.sendMail({
        from,
        text,
        messageId: `<${id}@${domain}>`,
        // As an address of its own, which is not read as a list or a name.
        to: { name: "", address: to },
        subject: subject.replaceAll(/\p{Cc}+/gu, " "),
        headers: { "Auto-Submitted": "auto-generated" },
      });
    },
    close: () => transport.close(),
  };
}
