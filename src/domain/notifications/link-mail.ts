/** Kind of an e-mail with a link. */
export type LinkMailKind = "confirm" | "verifier";
type Purpose = "confirm" | "verify";

interface LinkMail {
  readonly subject: string;
  readonly intro: string;
  /** Purpose of the link. */
  readonly purpose: Purpose;
  readonly expiry: string;
  readonly otherwise: string;
  /** Maximum number per address and hour. */
  readonly mostPerHour: number;
}

/** Texts of the e-mails. They contain no text written by a tenant, because the recipient may be a stranger. */
const LINK_MAILS: Readonly<Record<LinkMailKind, LinkMail>> = {
  confirm: {
    subject: "Confirm your email address",
    intro: "Open this link to confirm that Carbon Gateway may send notifications to this address:",
    purpose: "confirm",
    expiry: "The link expires after 24 hours.",
    otherwise: "If you did not ask for this, ignore this e-mail. You will then get no notifications.",
    mostPerHour: 1,
  },
  verifier: {
    subject: "You have been asked to verify emissions",
    intro:
      "An organization that uses Carbon Gateway asks you to verify its emissions. To accept, open this link:",
    purpose: "verify",
    expiry: "The link expires after 30 days.",
    otherwise: "If you did not expect this, ignore this e-mail.",
    mostPerHour: 3,
  },
};

/**
 * Maximum numbers of e-mails with a link per day: to an address, caused by a person, and on behalf of an organization.
 */
export const MOST_LINK_MAILS_A_DAY = { address: 20, person: 20, organization: 50 };

/** Returns the maximum number of e-mails of a kind to one address per hour. */
export const mostLinkMailsPerHour = (kind: LinkMailKind): number => LINK_MAILS[kind].mostPerHour;

/** Writes the subject and plain text of an e-mail with a link. `linkTo` creates the link. */
export function writeLinkMail(
  { kind, token, createdAt }: { kind: LinkMailKind; token: string; createdAt: Date },
  linkTo: (purpose: Purpose, token: string) => string,
): { readonly subject: string; readonly text: string } {
  const { subject, intro, purpose, expiry, otherwise } = LINK_MAILS[kind];
  const time = `${createdAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return {
    subject,
    text: `${intro}\n\n${linkTo(purpose, token)}\n\n${expiry} It was requested on ${time}.\n\n${otherwise}\n`,
  };
}
