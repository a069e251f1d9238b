import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import type { StoredSession } from "../../data/people/sessions.js";
import { findAccountById } from "../../data/people/users.js";
import { endSessionsOf, noteAuthentication, renewSession } from "../../data/people/write-sessions.js";
import { changePassword as storePassword } from "../../data/people/write-users.js";
import { findPasswordFault } from "../../domain/people/password-rules.js";
import { checkPassword, holdAccount } from "../accounts/check-password.js";
import { type AccountsContext, guessOf, type Visit, writerOf } from "../accounts/context.js";
import { requireNoFaults, wrongCredentials } from "../accounts/refusals.js";
import { tellOfPassword } from "../notifications/security.js";
import { lockLivingSession } from "./living-session.js";
import { createTokens, type IssuedSession } from "./tokens.js";

/** Notes that the session's user entered the password again, and replaces the session's tokens. */
export async function reauthenticate(
  context: AccountsContext,
  session: StoredSession,
  password: string,
  visit: Visit,
): Promise<IssuedSession> {
  const account = await checkOwnPassword(context, session, password, visit);
  const { database, noteChange } = context.resources;
  const issued = await write(database, writerOf(account, visit), (sql) =>
    renew(context, sql, session.id, visit.request.now),
  );
  noteChange({ table: "sessions", organizationId: session.organization?.id ?? null });
  return issued;
}

/** Changes a user's password, ends the user's other sessions and replaces the tokens of this one. */
export async function changePassword(
  context: AccountsContext,
  session: StoredSession,
  { current, next }: { readonly current: string; readonly next: string },
  visit: Visit,
): Promise<IssuedSession> {
  const { user, organization } = session;
  const owner = { email: user.email, ...(organization && { organization: organization.name }) };
  requireNoFaults({ new: findPasswordFault(next, owner) });
  const account = await checkOwnPassword(context, session, current, visit);
  const { database, noteChange } = context.resources;
  const { now } = visit.request;
  const hash = await context.passwords.hash(next, guessOf(visit, account.email, account));
  const issued = await write(
    database,
    writerOf(account, visit),
    async (sql) => {
      if (!(await holdAccount(sql, account))) throw wrongCredentials();
      const renewed = await renew(context, sql, session.id, now);
      await storePassword(sql, account.id, hash, now);
      await endSessionsOf(sql, account.id, now, session.id);
      await tellOfPassword(context.resources, sql, {
        account,
        title: "Your password was changed",
        address: visit.request.address(),
        now,
      });
      return renewed;
    },
    "user.password_changed",
  );
  noteChange({ table: "sessions", organizationId: null });
  return issued;
}

async function checkOwnPassword(
  context: AccountsContext,
  { user }: StoredSession,
  password: string,
  visit: Visit,
) {
  const { request } = visit;
  const account = await findAccountById(context.resources.database, user.id, request.address(), request.now);
  return checkPassword(context, guessOf(visit, user.email, account), account, password);
}

/** Replaces the tokens of a session whose user has just entered the password. */
async function renew({ resources }: AccountsContext, sql: SqlSession, id: string, now: Date) {
  const session = await lockLivingSession(sql, id);
  const { proof, issue } = createTokens(session, resources.pepper, now);
  await renewSession(sql, id, session, proof, now);
  await noteAuthentication(sql, id, now);
  return issue(id);
}
