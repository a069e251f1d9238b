import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import { type AccountRow, findAccount } from "../../data/people/accounts.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { lockUser } from "../../data/people/write-users.js";
import { removeFactors } from "../../data/second-factors/factors.js";
import { refuseUnknownUser } from "./sign-in-links.js";

/**
 * Removes all second factors of an account, for which the operator vouches, and ends its sessions. Throws ActionError for an
 * unknown address.
 */
export async function resetUserFactors(
  { database, now }: { readonly database: Database; readonly now: Date },
  email: string,
): Promise<AccountRow> {
  const account = (await findAccount(database, email)) ?? refuseUnknownUser(email);
  await write(
    database,
    "users reset-factors",
    async (sql) => {
      await lockUser(sql, account.id);
      await removeFactors(sql, account, now);
      await endSessionsOf(sql, account.id, now);
    },
    "factor.reset",
  );
  return account;
}
