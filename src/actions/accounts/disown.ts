import { isToken } from "../../access/secrets/token.js";
import { write } from "../../data/database/transaction.js";
import {
  findOpenAdditionLink,
  type OpenAdditionLink,
  spendAdditionLink,
} from "../../data/people/addition-links.js";
import { listAdditions } from "../../data/people/additions.js";
import { findAccountById } from "../../data/people/users.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { lockUser, removePasswordSince } from "../../data/people/write-users.js";
import { asQueryable, type Queryable } from "../../data/sso/enforcement.js";
import { type Addition, reachFrom } from "../../domain/people/additions.js";
import { deadLink } from "./account-errors.js";
import { holdPassword, remove } from "./additions.js";
import { type AccountsContext, type ClientInfo, findByToken, hashesOf, writerOf } from "./context.js";

export interface Disowned {
  readonly removed: readonly Addition[];
  readonly endedSessions: number;
  /** True if the password was removed, because it may have been set by a mailed link. */
  readonly isPasswordRemoved: boolean;
  /** Time until which no mailed link sets a password; null if they do. */
  readonly passwordLinkAt: Date | null;
}

/** Finds what a link removes; null for a token of another kind. Rejects with LINK_EXPIRED if the link does not work. */
export async function findDisowned(context: AccountsContext, token: string, client: ClientInfo) {
  if (!isToken("disown", token)) return null;
  const { database } = context.resources;
  const { now } = client.request;
  const find = () => findOpenAdditionLink(database, hashesOf(context, token), now);
  const link = await findByToken(context, client, find);
  const account = link && (await findAccountById(database, link.userId, client.request.address(), now));
  const addition = link && (await findAddition(asQueryable(database), link, now));
  if (!link || !account || !addition) throw deadLink();
  return { link, account, addition };
}

/** Finds the addition of a link; undefined if it has been removed or replaced since. */
const findAddition = async (sql: Queryable, link: OpenAdditionLink, now: Date) =>
  (await listAdditions(sql, link.userId, link.addedAt, now)).find(
    ({ kind, id, addedAt }) =>
      kind === link.kind && id === link.targetId && addedAt?.getTime() === link.addedAt.getTime(),
  );

/**
 * Removes the addition that a mailed link is about, and ends all of the user's sessions. If that was the last second
 * factor, also removes a password that was set since 7 days before the addition. Rejects with LINK_EXPIRED,
 * whatever the reason, if the link cannot be used.
 */
export async function disown(context: AccountsContext, token: string, client: ClientInfo): Promise<Disowned> {
  const { database, noteChange } = context.resources;
  const { now } = client.request;
  const found = await findDisowned(context, token, client);
  if (found === null) throw deadLink();
  const { link, account } = found;
  const result = await write(
    database,
    writerOf(account, client),
    async (sql) => {
      const user = await lockUser(sql, account.id);
      if (!user || user.disabledAt !== null || !(await spendAdditionLink(sql, link.id))) throw deadLink();
      const addition = await findAddition(sql, link, now);
      if (addition === undefined) throw deadLink();
      const signIn = { context, sql, client, account };
      const removal = await remove(signIn, [addition]);
      const endedSessions = await endSessionsOf(sql, account.id, now);
      // Otherwise someone who reads the e-mails could first reset the password, then remove the factor.
      const isPasswordRemoved =
        removal.isBare && (await removePasswordSince(sql, account.id, reachFrom(link.addedAt), now));
      return {
        removed: removal.removed,
        endedSessions,
        isPasswordRemoved,
        passwordLinkAt: await holdPassword(signIn, removal),
      };
    },
    "factor.removed",
  );
  noteChange({ table: "users", organizationId: null });
  return result;
}
