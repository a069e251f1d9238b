import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import { cancelChangeMails } from "../../data/notifications/mail-jobs.js";
import { type AccountRow, findAccount } from "../../data/people/accounts.js";
import { endLinksOf, endMailLink, insertMailLink } from "../../data/people/mail-links.js";
import { changeEmail, confirmEmail } from "../../data/people/write-addresses.js";
import { lockUser } from "../../data/people/write-users.js";
import { ActionError } from "../action-error.js";
import { type MailQueue, notifyOfReplacedAddress } from "../notifications/link-mail.js";
import { createMailLink } from "../notifications/mail-tokens.js";
import { readEmail } from "../read-text.js";
import {
  type LinkContext,
  refuseUnknownUser,
  requireEnabledAccount,
  type SignInLink,
} from "./sign-in-links.js";

/** Dependencies of a command whose change is mailed to its user. */
export interface MailingContext extends MailQueue {
  readonly database: Database;
  readonly now: Date;
}

/**
 * Confirms the address of an account at the operator's request, without an e-mail. Throws ActionError if it is unknown.
 */
export async function confirmUserEmail(database: Database, email: string, now: Date): Promise<AccountRow> {
  const account = (await findAccount(database, email)) ?? refuseUnknownUser(email);
  await write(
    database,
    "users confirm-email",
    (sql) => confirmEmail(sql, account.id, now),
    "email.confirmed",
  );
  return account;
}

/**
 * Changes the address of an account at the operator's request, ends the links that were sent to the account, and mails
 * both addresses. Throws InvalidInput for a bad address, and ActionError for an unknown or a taken one.
 */
export async function changeUserEmail(
  { database, now, ...queue }: MailingContext,
  email: string,
  next: string,
): Promise<AccountRow> {
  const changed = readEmail("user", next);
  const account = (await findAccount(database, email)) ?? refuseUnknownUser(email);
  await write(
    database,
    "users change-email",
    async (sql) => {
      await lockUser(sql, account.id);
      if (!(await changeEmail(sql, account.id, changed, now)))
        throw new ActionError(
          "CONFLICT",
          "user",
          `A user with the e-mail address ${changed} already exists.`,
        );
      await endLinksOf(sql, account.id, now);
      await endMailLink(sql, account.id, "cancel", now);
      await cancelChangeMails(sql, account.id);
      const change = { userId: account.id, former: account.email, next: changed, address: null, now };
      await notifyOfReplacedAddress(queue, sql, change);
    },
    "email.changed",
  );
  return { ...account, email: changed };
}

/**
 * Creates a link for setting a new password, valid for 30 minutes. It replaces the user's previous one. Throws
 * ActionError if the account does not exist or is disabled.
 */
export async function createResetLink(context: LinkContext, email: string): Promise<SignInLink> {
  const { database, pepper, site, now } = context;
  const account = await requireEnabledAccount(database, email);
  const { token, row } = createMailLink(
    { userId: account.id, kind: "reset", email: account.email, now },
    pepper,
  );
  await write(database, "users reset-link", (sql) => insertMailLink(sql, { ...row, byOperator: true }));
  const { id, name } = account;
  return { id, email: account.email, name, link: site.link("reset", token), expiresAt: row.expiresAt };
}
