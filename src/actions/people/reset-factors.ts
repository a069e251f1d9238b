import { write } from "../../data/database/transaction.js";
import { type AccountRow, findAccount } from "../../data/people/accounts.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { lockUser } from "../../data/people/write-users.js";
import { removeFactors } from "../../data/second-factors/factors.js";
import { notifyOfCredentials } from "../notifications/security.js";
import type { MailingContext } from "./addresses.js";
import { refuseUnknownUser } from "./sign-in-links.js";

/**
 * Removes all second factors of an account at the operator's request, ends its sessions, and notifies its user. Throws
 * ActionError for an unknown address.
 */
export async function resetUserFactors(
  { database, now, ...queue }: MailingContext,
  email: string,
): Promise<AccountRow> {
  const account = (await findAccount(database, email)) ?? refuseUnknownUser(email);
  await write(
    database,
    "users reset-factors",
    async (sql) => {
      const user = await lockUser(sql, account.id);
      await removeFactors(sql, account, now);
      await endSessionsOf(sql, account.id, now);
      await notifyOfCredentials(queue, sql, {
        account: { ...account, isConfirmed: user?.isConfirmed ?? false },
        kind: "factor_reset",
        title: "Your second factors were reset by the operator",
        address: null,
        now,
      });
    },
    "factor.reset",
  );
  return account;
}
