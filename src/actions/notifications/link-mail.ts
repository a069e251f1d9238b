import { isIP } from "node:net";
import type { Resources } from "../../access/context.js";
import type { Pepper } from "../../access/secrets/api-key.js";
import { seal, unseal } from "../../access/secrets/sealing.js";
import type { SqlSession } from "../../data/database/types.js";
import {
  claimMailJobs,
  insertMailJob,
  type MailJobRow,
  type NewMailJob,
  settleMailJob,
} from "../../data/notifications/mail-jobs.js";
import { isFactorMissing } from "../../data/second-factors/policy.js";
import { writeLinkMail } from "../../domain/notifications/link-mail.js";
import { RETRY_DELAYS_MINUTES } from "../../domain/notifications/retries.js";
import { foldEmail } from "../../domain/people/email.js";
import { createDeferredLink, type DeferredMail } from "./deferred-links.js";

/** Dependencies of queueing an e-mail. */
export interface MailQueue {
  readonly outbound: { readonly mailer: object | null };
  readonly pepper: Pepper;
}

/** An account's e-mail with a fixed text. */
export interface LinkMailRequest extends Omit<NewMailJob, "tokenSealed"> {
  /** Secret in the link; null for a notice, and for a link that is created when the e-mail is sent. */
  readonly token: string | null;
}

/**
 * Queues an e-mail in the transaction that creates the token of its link. Returns false, and queues nothing, if
 * SMTP_URL is not set, or if the address, the user or the organization has reached a limit.
 */
export async function queueLinkMail(
  { outbound, pepper }: MailQueue,
  sql: SqlSession,
  { token, ...job }: LinkMailRequest,
): Promise<boolean> {
  if (outbound.mailer === null) return false;
  return insertMailJob(sql, { ...job, tokenSealed: token === null ? null : seal(token, pepper) });
}

/** Mails the old and the new address of an account whose address a directory or a command changed. */
export async function notifyOfReplacedAddress(
  queue: MailQueue,
  sql: SqlSession,
  {
    former,
    next,
    ...event
  }: Pick<NewMailJob, "userId" | "address" | "now"> & Readonly<Record<"former" | "next", string>>,
): Promise<void> {
  if (foldEmail(former) === foldEmail(next)) return;
  const mail = { kind: "address_replaced", token: null, organizationId: null, ...event } as const;
  for (const email of [former, next]) await queueLinkMail(queue, sql, { ...mail, email });
}

/** Claims at most `max` due e-mails. */
export const takeLinkMails = ({ database }: Resources, max: number, now: Date): Promise<MailJobRow[]> =>
  claimMailJobs(database, max, now);

/** Sends a claimed e-mail. Retries failures later, up to six attempts. */
export async function sendLinkMail(resources: Resources, job: MailJobRow, clock: () => Date): Promise<void> {
  const { error, isFinal } = await trySending(resources, job, clock());
  const isOver = error === null || isFinal || job.attempts > RETRY_DELAYS_MINUTES.length;
  await settleMailJob(resources.database, job.id, { error, isOver, now: clock() });
}

interface Attempt {
  readonly error: string | null;
  readonly isFinal: boolean;
}

const giveUp = (error: string): Attempt => ({ error, isFinal: true });

async function trySending(resources: Resources, job: MailJobRow, now: Date): Promise<Attempt> {
  const { outbound, site } = resources;
  const { id, createdAt, address, details = null, isTooMany } = job;
  if (isTooMany) return giveUp("too many e-mails in an hour or a day");
  if (outbound.mailer === null) return { error: "SMTP_URL is not set", isFinal: false };
  try {
    const mail = await completeMail(resources, job, now);
    if (mail === null) return giveUp("no account, or no longer needed");
    if (mail === "unreadable") return giveUp("KEY_PEPPER has changed since it was queued");
    const { email, ...text } = mail;
    await outbound.mailer.send({
      ...writeLinkMail(
        { ...text, createdAt, details, address: isPlainAddress(address) ? address : null },
        site.link,
      ),
      id,
      to: email,
    });
    return { error: null, isFinal: true };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), isFinal: false };
  }
}

/** Excludes the arbitrary text that X-Forwarded-For and the zone of an IPv6 address may contain. */
const isPlainAddress = (address: string | null): boolean =>
  address !== null && isIP(address) !== 0 && !address.includes("%");

/**
 * Adds the token of its link to an e-mail. Returns null if it is no longer needed, and "unreadable" if KEY_PEPPER has
 * changed.
 */
async function completeMail(
  resources: Resources,
  job: MailJobRow,
  now: Date,
): Promise<DeferredMail | "unreadable" | null> {
  const { kind, email, userId, tokenSealed } = job;
  if (tokenSealed !== null) {
    const token = unseal(tokenSealed, resources.peppers);
    return token === null ? "unreadable" : { kind, email, token };
  }
  if (kind === "factor_required") {
    const isNeeded = userId !== null && (await isFactorMissing({ query: resources.database.select }, userId));
    return isNeeded ? { kind, email, token: null } : null;
  }
  return kind === "reset" || kind === "change"
    ? createDeferredLink(resources, job, now)
    : { kind, email, token: null };
}
