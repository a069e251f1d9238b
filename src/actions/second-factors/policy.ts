import { write } from "../../data/database/transaction.js";
import { lockMember, type MemberRow } from "../../data/people/members.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { lockUser } from "../../data/people/write-users.js";
import { type Factors, readFactors, removeFactors } from "../../data/second-factors/factors.js";
import {
  cancelFactorMails,
  GRACE_DAYS,
  isReliedOnElsewhere,
  listWithoutFactor,
  queueFactorMails,
  setSecondFactorFrom,
} from "../../data/second-factors/policy.js";
import { AppError } from "../../errors.js";
import { ActionError, requireFound } from "../action-error.js";
import { type PersonContext, requireRecent } from "../actor-context.js";
import { notifyOfCredentials, notifyOfSecurity } from "../notifications/security.js";

const DAY_MS = 86_400_000;

export interface SignInPolicy {
  readonly secondFactor: "off" | "required";
  /** Time from which members at the time of the decision need a second factor; null if none is required. */
  readonly secondFactorFrom: Date | null;
}

/**
 * Starts or stops requiring a second factor of the organization's members. Throws REAUTHENTICATION_REQUIRED, and
 * CONFLICT for a user without one: a stolen password must not be enough to end the requirement.
 */
export async function setSignInPolicy(
  caller: PersonContext,
  secondFactor: SignInPolicy["secondFactor"],
): Promise<SignInPolicy> {
  const { resources, writer, person, now } = caller;
  const { organizationId } = writer;
  const isRequired = secondFactor === "required";
  if (!person.hasFactor)
    throw new ActionError(
      "CONFLICT",
      "organization",
      "Add a second factor to your own account first.",
      "second_factor",
    );
  requireRecent(caller);
  const from = isRequired ? new Date(now.getTime() + GRACE_DAYS * DAY_MS) : null;
  const secondFactorFrom = await write(
    resources.database,
    writer,
    async (sql) => {
      const { secondFactorFrom, isChanged } = await setSecondFactorFrom(sql, organizationId, from);
      if (isChanged && from === null) await cancelFactorMails(sql, organizationId);
      if (!isChanged || from === null) return secondFactorFrom;
      const users = await listWithoutFactor(sql, organizationId);
      const day = from.toISOString().slice(0, 10);
      await notifyOfSecurity(sql, {
        organizationId,
        to: { users },
        // At most once a day, however often the policy is switched off and on.
        key: `second factor required ${day}`,
        now,
        title: "A second factor will be required",
        summary: "A second factor will be required",
        body: `From ${day} on, everybody in the organization needs an authenticator app or a passkey.`,
        link: "/console/settings/security",
        isMailed: true,
      });
      if (resources.outbound.mailer !== null)
        await queueFactorMails(sql, organizationId, users, { from, now });
      return secondFactorFrom;
    },
    "policy.changed",
  );
  return { secondFactor, secondFactorFrom };
}

/**
 * Removes all second factors of another member, and ends the member's sessions. Throws REAUTHENTICATION_REQUIRED,
 * FORBIDDEN for the user's own account, NOT_FOUND, and CONFLICT for a member on whose factors others rely, so that an
 * organization cannot weaken their account.
 */
export function resetMemberFactors(caller: PersonContext, userId: string): Promise<MemberRow> {
  const { resources, writer, person, now, request } = caller;
  const { organizationId } = writer;
  if (userId.toLowerCase() === person.user.id)
    throw new AppError("FORBIDDEN", "You cannot reset your own second factors. Ask another owner.");
  requireRecent(caller);
  return write(
    resources.database,
    writer,
    async (sql) => {
      const user = await lockUser(sql, userId);
      const member = requireFound(await lockMember(sql, organizationId, userId), "user", userId, "member");
      if (user === null || (await isReliedOnElsewhere(sql, userId, organizationId))) {
        const message =
          "This person also belongs to another organization, verifies for one, or is a super admin. Ask your administrator. On the server: gateway users reset-factors <email>";
        throw new ActionError("CONFLICT", "user", message);
      }
      await removeFactors(sql, { id: userId }, now);
      await endSessionsOf(sql, userId, now);
      await notifyOfCredentials(resources, sql, {
        account: { id: userId, email: user.email, isConfirmed: user.isConfirmed },
        kind: "factor_reset",
        title: "Your second factors were reset by an owner",
        address: request.address(),
        now,
      });
      return { ...member, hasFactor: false };
    },
    "factor.reset",
  );
}

export async function readViewerFactors({ resources, person, now }: PersonContext): Promise<Factors> {
  const factors = await readFactors({ query: resources.database.select }, person.user.id, now);
  if (factors === null) throw new Error(`the user ${person.user.id} no longer exists`);
  return factors;
}
