import { WRITING_ROLE } from "../../data/database/schema/grants.js";
import type { WritingRoleState } from "../../data/database/schema/writing-role.js";
import { listSome } from "../output/list-some.js";
import { type Finding, fail, ok } from "./finding.js";

const MIGRATE = "As the owner: npm run gateway -- migrate";

/** Returns what to do if a role may not act as the writing role. The owner of the tables need not. */
export const remedyFor = (role: string, isForCommands: boolean): string =>
  isForCommands
    ? `${role} owns the tables, and is for commands: set DATABASE_URL to the role that serves. See Roles of PostgreSQL in docs/operations.md.`
    : `As a superuser: GRANT ${WRITING_ROLE} TO ${role}`;

/** Checks that the writing role has the rights that users' requests need, and no others. */
export function examineWritingRole({
  role,
  exists,
  canAct,
  isForCommands,
  inherits,
  missing,
  excess,
  unpoliced,
}: WritingRoleState): Finding[] {
  const check = "writing role";
  if (!exists) {
    return [
      fail(
        check,
        `${WRITING_ROLE} does not exist.`,
        `Roles are not part of a backup. As a superuser: CREATE ROLE ${WRITING_ROLE}. ${MIGRATE}`,
      ),
    ];
  }
  const found: Finding[] = [];
  if (!canAct)
    found.push(
      fail(
        check,
        `${role} may not act as ${WRITING_ROLE}, so nobody can sign in, and users' requests cannot write.`,
        remedyFor(role, isForCommands),
      ),
    );
  if (inherits)
    found.push(
      fail(
        check,
        `${role} inherits from ${WRITING_ROLE}, so it cannot record the use of keys and sessions.`,
        `As a superuser: ALTER ROLE ${role} NOINHERIT; REVOKE ${WRITING_ROLE} FROM ${role}; GRANT ${WRITING_ROLE} TO ${role}`,
      ),
    );
  if (missing.length > 0)
    found.push(fail(check, `${WRITING_ROLE} lacks rights: ${listSome(missing, "; ")}.`, MIGRATE));
  if (excess.length > 0)
    found.push(
      fail(
        check,
        `${WRITING_ROLE} has rights that it should not have: ${listSome(excess, "; ")}.`,
        `${MIGRATE}; then REVOKE what is left from PUBLIC, or from the roles that ${WRITING_ROLE} belongs to.`,
      ),
    );
  if (unpoliced.length > 0)
    found.push(
      fail(
        check,
        `The policies of ${listSome(unpoliced)} are missing or disabled, so one organization's members could write another's rows.`,
        MIGRATE,
      ),
    );
  return found.length > 0
    ? found
    : [ok(check, `${WRITING_ROLE} has the rights and policies that it should have.`)];
}
