import { type MailedAddition, writeAdditions, writeMinute } from "../people/additions.js";

/** Kind of an e-mail about an account: either with a link, or a notice. */
export type LinkMailKind =
  | "confirm"
  | "verifier"
  | "invitation"
  | "reset"
  | "change"
  | "cancel"
  | "address_changed"
  | "address_replaced"
  | "address_used"
  | "password_changed"
  | "domain_unchecked"
  | "sso_required"
  | "sso_linked"
  | "sign_in_link_used"
  | "additions_removed"
  | "change_undone"
  | "break_glass_used"
  | FactorMailKind;

/** Kind of an e-mail about a second factor. */
export type FactorMailKind =
  | "factor_added"
  | "factor_removed"
  | "factor_reset"
  | "factor_required"
  | "recovery_codes_created"
  | "recovery_code_used"
  | "codes_wrong"
  | "passkey_refused";

type Purpose = "confirm" | "verify" | "invitation" | "reset" | "change" | "cancel" | "disown";

interface LinkMail {
  readonly subject: string;
  readonly intro: string;
  /** Purpose of the link and its lifetime; absent for a notice. */
  readonly link?: { readonly purpose: Purpose; readonly lifetime: string };
  /** Start of the sentence with the time; "It was requested" by default. */
  readonly origin?: string;
  readonly otherwise: string;
}

const IF_NOT_YOU =
  "If this wasn't you, change your password, remove the second factors that you don't recognize, and end the sessions that aren't yours.";

const DISOWN = { purpose: "disown", lifetime: "7 days" } as const;
const IF_YOU =
  "If this was you, ignore this e-mail. If not, use the link: it removes what was added and ends all sessions.";

/** Texts of the e-mails. They contain nothing written by a tenant, because the recipient may be a stranger. */
const LINK_MAILS: Readonly<Record<LinkMailKind, LinkMail>> = {
  confirm: {
    subject: "Confirm your e-mail address",
    intro: "Open this link to confirm your e-mail address for Carbon Gateway:",
    link: { purpose: "confirm", lifetime: "24 hours" },
    otherwise: `If this wasn't you, open the link and choose "This wasn't me".`,
  },
  verifier: {
    subject: "You have been asked to verify emissions",
    intro:
      "An organization that uses Carbon Gateway asks you to verify its emissions. To accept, open this link:",
    link: { purpose: "verify", lifetime: "30 days" },
    otherwise: "If you did not expect this, ignore this e-mail.",
  },
  invitation: {
    subject: "You have been invited to Carbon Gateway",
    intro: "An organization that uses Carbon Gateway invites you to join it. To accept, open this link:",
    link: { purpose: "invitation", lifetime: "7 days" },
    otherwise: "If you did not expect this, ignore this e-mail.",
  },
  reset: {
    subject: "Reset your password",
    intro:
      "Open this link to choose a new password for Carbon Gateway. You can also remove what was added to your account in the last 7 days:",
    link: { purpose: "reset", lifetime: "30 minutes" },
    otherwise: "If this wasn't you, ignore this e-mail. Nothing changes without the link.",
  },
  change: {
    subject: "Confirm your new e-mail address",
    intro: "Open this link to use this e-mail address for your Carbon Gateway account:",
    link: { purpose: "change", lifetime: "24 hours" },
    otherwise: "If this wasn't you, ignore this e-mail. Nothing changes without the link.",
  },
  cancel: {
    subject: "Your e-mail address is being changed",
    intro:
      "Somebody who is signed in to your Carbon Gateway account is changing its e-mail address. To stop or undo the change, open this link:",
    link: { purpose: "cancel", lifetime: "7 days" },
    otherwise:
      "If this was you, ignore this e-mail. If not, use the link: it also removes what was added to the account from 7 days before the change, ends all sessions, removes the password and e-mails you a link for a new one.",
  },
  address_changed: {
    subject: "Your e-mail address was changed",
    intro: "Your Carbon Gateway account now has a different e-mail address. This one is no longer in use.",
    otherwise:
      "If this wasn't you, open the link in the e-mail that announced the change. It works for 7 days.",
  },
  address_replaced: {
    subject: "Your e-mail address was changed",
    intro:
      "Your organization, or the operator of Carbon Gateway, changed the e-mail address of your Carbon Gateway account. This e-mail was sent to both the old and the new address.",
    origin: "It was changed",
    otherwise: "If you did not expect this, ask your organization's administrator.",
  },
  address_used: {
    subject: "Somebody tried to use your e-mail address",
    intro:
      "Somebody tried to use this e-mail address for another Carbon Gateway account. Nothing has changed.",
    otherwise:
      "If this wasn't you, there is nothing to do. If it was you, sign in to the account that has this address.",
  },
  password_changed: {
    subject: "Your password was changed",
    intro:
      "The password of your Carbon Gateway account was changed or removed, and its other sessions were ended.",
    otherwise: `If this wasn't you, choose "Forgot your password?" on the sign-in page. The link that you get also removes what was added to your account in the last 7 days.`,
  },
  sso_required: {
    subject: "Sign in with your organization",
    intro:
      "A new password was requested for your Carbon Gateway account. Your organization requires you to sign in with its identity provider, so there is no password to reset.",
    otherwise: "If this wasn't you, ignore this e-mail. Nothing has changed.",
  },
  sso_linked: {
    subject: "Single sign-on was added to your account",
    intro:
      "An organization's provider can now sign you in to your Carbon Gateway account. If you did not expect this, open this link to remove it:",
    link: DISOWN,
    origin: "It was added",
    otherwise: IF_YOU,
  },
  sign_in_link_used: {
    subject: "A sign-in link was used",
    intro:
      "Somebody signed in to your Carbon Gateway account with a link from its operator. If this wasn't you, open this link to end the session:",
    link: DISOWN,
    origin: "It was used",
    otherwise: "If this was you, ignore this e-mail. If not, use the link: it ends all sessions.",
  },
  additions_removed: {
    subject: "Access to your account was removed",
    intro: "A link from an e-mail removed the following from your Carbon Gateway account:",
    origin: "It was removed",
    otherwise:
      "All sessions were ended. Check the rest under Sign-in and security in the settings. If you have no recovery codes left, create new ones there. If this wasn't you, someone else reads your e-mails: ask your administrator for help.",
  },
  change_undone: {
    subject: "The change of your e-mail address was undone",
    intro:
      "A link in an e-mail to the former address undid the change of your Carbon Gateway account's e-mail address. This address is not in use.",
    origin: "It was undone",
    otherwise: "If you did not expect this, ask your administrator for help.",
  },
  break_glass_used: {
    subject: "A break-glass account was used",
    intro:
      "An owner who is exempt from your organization's single sign-on signed in to Carbon Gateway without it.",
    origin: "It happened",
    otherwise: "If the owner did not do this, end the owner's sessions at once.",
  },
  domain_unchecked: {
    subject: "The TXT record of a domain is missing",
    intro:
      "The TXT record that proves a domain of your organization is missing. After 7 days without the record, the domain is no longer proven, and single sign-on for its addresses stops.",
    origin: "It was found missing",
    otherwise: "To see the domain and its record, open Member sign-in in the settings of Carbon Gateway.",
  },
  factor_added: {
    subject: "A second factor was added",
    intro:
      "An authenticator app or a passkey was added to your Carbon Gateway account. If this wasn't you, open this link to remove it:",
    link: DISOWN,
    origin: "It was added",
    otherwise: IF_YOU,
  },
  recovery_codes_created: {
    subject: "New recovery codes were created",
    intro:
      "New recovery codes were created for your Carbon Gateway account, and the former ones ended. If this wasn't you, open this link to remove them:",
    link: DISOWN,
    origin: "They were created",
    otherwise: IF_YOU,
  },
  factor_removed: {
    subject: "A second factor was removed",
    intro: "An authenticator app or a passkey was removed from your Carbon Gateway account.",
    otherwise: IF_NOT_YOU,
  },
  factor_reset: {
    subject: "Your second factors were removed",
    intro:
      "An owner of your organization, or the operator of Carbon Gateway, removed all second factors of your account and ended its sessions.",
    otherwise: "If you did not ask for this, ask an owner of your organization.",
  },
  factor_required: {
    subject: "A second factor will be required",
    intro:
      "An organization that you belong to will require a second factor. Add an authenticator app or a passkey in the settings of your Carbon Gateway account within 7 days of the organization's decision. After that, you cannot access its data until you do.",
    origin: "This e-mail was written",
    otherwise: "If you already have a second factor, there is nothing to do.",
  },
  recovery_code_used: {
    subject: "A recovery code was used",
    intro: "A recovery code was used in place of the second factor of your Carbon Gateway account.",
    otherwise: IF_NOT_YOU,
  },
  codes_wrong: {
    subject: "Wrong codes were entered",
    intro:
      "Somebody who knows your Carbon Gateway password, or is signed in as you, entered wrong codes. No codes are accepted for a while.",
    otherwise: "If this wasn't you, change your password.",
  },
  passkey_refused: {
    subject: "A passkey was refused",
    intro:
      "A passkey of your Carbon Gateway account was refused, because it may be a copy: its counter did not increase.",
    otherwise: "If you cannot explain this, remove the passkey and add a new one.",
  },
};

/** Maximum number of e-mails of a kind to one address per hour. A password link after an undone change is exempt. */
export const MAX_LINK_MAILS_PER_HOUR = 3;

/** E-mails with a link that removes an addition. Without the e-mail, there is no addition. */
export const ADDITION_MAILS: readonly LinkMailKind[] = [
  "factor_added",
  "recovery_codes_created",
  "sso_linked",
  "sign_in_link_used",
];

/** Maximum number of ADDITION_MAILS of a kind to one address per hour. */
export const MAX_ADDITION_MAILS_PER_HOUR = 20;

/**
 * Maximum numbers per day: to an address, caused by a person, and on behalf of an organization. That password link and
 * notices to the owner of an account are exempt.
 */
export const MAX_LINK_MAILS_A_DAY = { address: 20, person: 20, organization: 50 };

export interface LinkMailInput {
  readonly kind: LinkMailKind;
  /** Secret of the link; null for a notice. */
  readonly token: string | null;
  readonly createdAt: Date;
  /** Network address of the request; empty or null if it is unknown. */
  readonly address: string | null;
  /** Additions, new or removed; null if the e-mail lists nothing. */
  readonly details: readonly MailedAddition[] | null;
}

/** Writes the subject and plain text of an e-mail. `linkTo` creates the link. */
export function writeLinkMail(
  { kind, token, createdAt, address, details }: LinkMailInput,
  linkTo: (purpose: Purpose, token: string) => string,
): { readonly subject: string; readonly text: string } {
  const { subject, intro, link, origin: begun = "It was requested", otherwise } = LINK_MAILS[kind];
  const origin = `${begun} on ${writeMinute(createdAt)}${address ? ` from the network address ${address}` : ""}.`;
  const list = details === null ? [] : [writeAdditions(details)];
  const paragraphs =
    link === undefined || token === null
      ? [intro, ...list, origin, otherwise]
      : [
          intro,
          linkTo(link.purpose, token),
          `The link works once and expires after ${link.lifetime}. ${origin}`,
          ...list.map((text) => `Added to your account:\n${text}`),
          otherwise,
        ];
  return { subject, text: `${paragraphs.join("\n\n")}\n` };
}
