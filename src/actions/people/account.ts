import { BROWSER_IDLE_MS } from "../../access/session.js";
import { write } from "../../data/database/transaction.js";
import {
  type ActiveSessionFilter,
  endOwnSession,
  type OwnSessionRow,
} from "../../data/people/own-sessions.js";
import { renameUser, type UserRow } from "../../data/people/profile.js";
import { asQueryable } from "../../data/sso/enforcement.js";
import { type IdentityRow, listIdentities } from "../../data/sso/identities.js";
import { ActionError } from "../action-error.js";
import type { PersonContext } from "../actor-context.js";
import { readName } from "../read-text.js";

/** Selects the user's active sessions. */
export const activeSessionFilter = ({
  person,
  now,
}: Pick<PersonContext, "person" | "now">): ActiveSessionFilter => ({
  userId: person.user.id,
  now,
  idleSince: new Date(now.getTime() - BROWSER_IDLE_MS),
});

/** Lists the identities by which providers know the user. */
export const listOwnIdentities = ({ resources, person }: PersonContext): Promise<IdentityRow[]> =>
  listIdentities(asQueryable(resources.database), person.user.id, person.session.id);

/** Ends one of the user's sessions. Throws ActionError if it is unknown or has ended. */
export function endSession(caller: PersonContext, id: string): Promise<OwnSessionRow> {
  const { database } = caller.resources;
  return write(database, caller.writer, async (sql) => {
    const session = await endOwnSession(sql, activeSessionFilter(caller), id);
    if (session) return session;
    throw new ActionError("NOT_FOUND", "session", `You have no session with the id ${id}.`);
  });
}

/** Changes the user's name. Throws InvalidInput for a bad name. */
export function renamePerson({ resources, person, writer }: PersonContext, name: string): Promise<UserRow> {
  const read = readName("user", name);
  return write(resources.database, writer, (sql) => renameUser(sql, person.user.id, read));
}
