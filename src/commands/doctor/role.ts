import type { Rights } from "../../data/database/schema/serving-role.js";
import { listSome } from "../output/list-some.js";
import { type Finding, fail, ok, warn } from "./finding.js";

/** Checks that the role has the rights that `serve` needs, and as few others as possible. */
export function examineRights({
  role,
  isSuperuser,
  unreadable,
  missing,
  owned,
  writable,
}: Rights): Finding[] {
  const check = "database role";
  const mend =
    "Run serve as a role that can only read. Only migrate and the other commands need the owner. See Roles of PostgreSQL in docs/operations.md.";
  const grant = `As the owner: npm run gateway -- migrate --grant-to ${role}`;
  if (unreadable.length > 0) {
    return [fail(check, `${role} cannot read ${listSome(unreadable)}.`, grant)];
  }
  const found: Finding[] = [];
  if (missing.length > 0) {
    found.push(
      warn(
        check,
        `${role} cannot record the use of keys and sessions, run jobs, notify people, or delete expired rows: it lacks ${listSome(missing)}.`,
        grant,
      ),
    );
  }
  if (isSuperuser) found.push(warn(check, `${role} is a superuser.`, mend));
  else if (owned.length > 0) found.push(warn(check, `${role} owns the tables.`, mend));
  else if (writable.length > 0) found.push(warn(check, `${role} can write to ${listSome(writable)}.`, mend));
  return found.length > 0 ? found : [ok(check, `${role} can read what serve needs, and nothing else.`)];
}
