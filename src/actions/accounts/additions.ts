import { endPasswordHold, findPasswordHold, insertMailJob } from "../../data/notifications/mail-jobs.js";
import { listAdditions, listReceivers, removeAdditions } from "../../data/people/additions.js";
import { hasFactor, readFactors } from "../../data/second-factors/factors.js";
import { type Addition, HOLD_HOURS } from "../../domain/people/additions.js";
import { notifyUser, type SignInContext } from "../sessions/sign-in-methods.js";

const HOLD_MS = HOLD_HOURS * 3_600_000;

/** Result of removing additions. */
export interface Removal {
  readonly removed: readonly Addition[];
  /** True if the last second factor was removed. */
  readonly isBare: boolean;
}

/**
 * Removes what was added to a locked account since a time, and mails the list. With `withReceivers`, also removes the
 * account's own address and webhook for notifications, whose age is unknown. The caller ends the sessions.
 */
export async function removeAddedSince(
  signIn: SignInContext,
  since: Date,
  { withReceivers = false } = {},
): Promise<Removal> {
  const { sql, account, client } = signIn;
  const { now } = client.request;
  const receivers = withReceivers ? await listReceivers(sql, account.id) : [];
  return remove(signIn, [...(await listAdditions(sql, account.id, since, now)), ...receivers]);
}

/** Removes additions of a locked account, and mails the list. */
export async function remove(signIn: SignInContext, removed: readonly Addition[]): Promise<Removal> {
  const { sql, account, client } = signIn;
  const isBare = await removeAdditions(sql, account.id, removed, client.request.now);
  if (removed.length > 0)
    await notifyUser(signIn, "additions_removed", "Access to your account was removed", { removed });
  return { removed, isBare };
}

/**
 * Returns the time until which mailed links set no password, because one of them removed the last second factor: now,
 * or in the last hours. Null if they set one. At that time, a link for a new password is mailed.
 */
export async function holdPassword(
  { sql, account, client }: SignInContext,
  { isBare }: Pick<Removal, "isBare">,
): Promise<Date | null> {
  const { now } = client.request;
  if (!isBare) {
    const held = await findPasswordHold(sql, account.id, now);
    const factors = held && (await readFactors(sql, account.id, now));
    if (!factors || !hasFactor(factors)) return held;
    await endPasswordHold(sql, account.id, now);
    return null;
  }
  // A factor that was added in the meantime has its owner's whole day to notice its removal.
  await endPasswordHold(sql, account.id, now);
  const until = new Date(now.getTime() + HOLD_MS);
  await insertMailJob(sql, {
    kind: "reset",
    email: account.email,
    userId: account.id,
    organizationId: null,
    tokenSealed: null,
    address: client.request.address(),
    now: until,
  });
  return until;
}
