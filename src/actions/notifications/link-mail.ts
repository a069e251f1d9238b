import type { Resources } from "../../access/context.js";
import { seal, unseal } from "../../access/secrets/sealing.js";
import type { SqlSession } from "../../data/database/types.js";
import {
  claimMailJobs,
  insertMailJob,
  type MailJobRow,
  type NewMailJob,
  settleMailJob,
} from "../../data/notifications/mail-jobs.js";
import { writeLinkMail } from "../../domain/notifications/link-mail.js";
import { RETRY_DELAYS_MINUTES } from "../../domain/notifications/retries.js";

/** An e-mail with a link and a fixed text. `token` is the secret in the link. */
export interface LinkMailRequest extends Omit<NewMailJob, "tokenSealed"> {
  readonly token: string;
}

/**
 * Queues an e-mail with a link in the transaction that creates its token. Returns false, and queues nothing, if
 * SMTP_URL is not set, or if the address, the user or the organization has reached a limit.
 */
export async function queueLinkMail(
  { outbound, pepper }: Pick<Resources, "outbound" | "pepper">,
  sql: SqlSession,
  { token, ...job }: LinkMailRequest,
): Promise<boolean> {
  if (outbound.mailer === null) return false;
  return insertMailJob(sql, { ...job, tokenSealed: seal(token, pepper) });
}

/** Claims at most `most` due e-mails with a link. */
export const takeLinkMails = ({ database }: Resources, most: number, now: Date): Promise<MailJobRow[]> =>
  claimMailJobs(database, most, now);

/** Sends a claimed e-mail with a link. Retries failures later, up to six attempts. */
export async function sendLinkMail(resources: Resources, job: MailJobRow, clock: () => Date): Promise<void> {
  const { error, isFinal } = await trySending(resources, job);
  const isOver = error === null || isFinal || job.attempts > RETRY_DELAYS_MINUTES.length;
  await settleMailJob(resources.database, job.id, { error, isOver, now: clock() });
}

async function trySending(
  { outbound, peppers, site }: Resources,
  { id, email, isTooMany, tokenSealed, ...job }: MailJobRow,
): Promise<{ readonly error: string | null; readonly isFinal: boolean }> {
  if (isTooMany) return { error: "too many e-mails in an hour or a day", isFinal: true };
  const token = unseal(tokenSealed, peppers);
  if (token === null) return { error: "KEY_PEPPER has changed since it was queued", isFinal: true };
  if (outbound.mailer === null) return { error: "SMTP_URL is not set", isFinal: false };
  try {
    await outbound.mailer.send({ ...writeLinkMail({ ...job, token }, site.link), id, to: email });
    return { error: null, isFinal: true };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), isFinal: false };
  }
}
