/** A mail server, and the sender's address. */
export interface MailOptions {
  /** URL such as `smtps://user:password@mail.example.com`. */
  readonly url: string;
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Id that is the same for every attempt, so that receivers can drop duplicates. */
  readonly id: string;
}

/** Sends e-mails. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): void;
}

const TIME_LIMITS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** Creates a mailer for plain text. Loads nodemailer here, because only a gateway with a mail server needs it. */
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
        // An address object, so that nodemailer does not parse the address as a list or a name.
        to: { name: "", address: to },
        subject: subject.replaceAll(/\p{Cc}+/gu, " "),
        headers: { "Auto-Submitted": "auto-generated" },
      });
    },
    close: () => transport.close(),
  };
}
