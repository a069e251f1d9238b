import {
  ADDITION_MAILS,
  type LinkMailKind,
  MAX_ADDITION_MAILS_PER_HOUR,
  MAX_LINK_MAILS_A_DAY,
  MAX_LINK_MAILS_PER_HOUR,
} from "../../domain/notifications/link-mail.js";
import { RETRY_DELAYS_MINUTES } from "../../domain/notifications/retries.js";
import type { MailedAddition } from "../../domain/people/additions.js";
import { cutText, TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { write } from "../database/transaction.js";
import type { Database, SqlSession } from "../database/types.js";
import { IS_SUBSCRIBER } from "./is-subscriber.js";

/** An e-mail about an account, to be queued. */
export interface NewMailJob {
  readonly kind: LinkMailKind;
  readonly email: string;
  /** The user whose daily limit it counts towards; null if none. */
  readonly userId: string | null;
  readonly organizationId: string | null;
  /** Encrypted token of the link; null for a notice, or if the link is created when the e-mail is sent. */
  readonly tokenSealed: string | null;
  /** IP address of the request; null if unknown. */
  readonly address: string | null;
  /** Additions that the e-mail lists. */
  readonly details?: readonly MailedAddition[] | null;
  readonly now: Date;
}

/** SQL that is true for a password reset that anyone could have requested. It must not use up the limits of others. */
const isAnonymous = (job: "j" | "o") => `(${job}.kind = 'reset' AND ${job}.user_id IS NULL)`;

/**
 * Returns the condition that an e-mail `j` exceeds a limit, counting the e-mails that satisfy `isEarlier`. A password
 * link sent after a change was undone has no limit. Notices to the owner of an account have no daily limit, except
 * `address_used`.
 */
const isTooMany = (isEarlier: string) => {
  const others = (condition: string, hours: number) =>
    `(SELECT count(*) FROM mail_jobs AS o WHERE ${condition} AND ${isEarlier}
      AND o.created_at > j.created_at - interval '${hours} hours')`;
  const { address, person, organization } = MAX_LINK_MAILS_A_DAY;
  const isSameReader = `lower(o.email) = lower(j.email) AND ${isAnonymous("o")} = ${isAnonymous("j")}`;
  return `((j.kind <> 'reset' OR j.user_id IS NULL) AND (
    ${others(`${isSameReader} AND o.kind = j.kind`, 1)} >= CASE WHEN j.kind IN (${ADDITION_MAILS.map((kind) => `'${kind}'`).join(", ")})
      THEN ${MAX_ADDITION_MAILS_PER_HOUR} ELSE ${MAX_LINK_MAILS_PER_HOUR} END
    OR j.kind IN ('confirm', 'verifier', 'invitation', 'reset', 'change', 'address_used') AND (
      ${others(isSameReader, 24)} >= ${address}
      OR ${others("o.user_id = j.user_id", 24)} >= ${person}
      OR ${others("o.organization_id = j.organization_id", 24)} >= ${organization})))`;
};

/** Queues an e-mail. Returns false if that would exceed a limit. */
export async function insertMailJob(sql: SqlSession, job: NewMailJob): Promise<boolean> {
  const { kind, email, userId, organizationId, tokenSealed, address, details, now } = job;
  const added = await sql.execute(
    `INSERT INTO mail_jobs (kind, email, user_id, organization_id, token_sealed, address, details, created_at, next_at)
     SELECT j.*, j.created_at FROM (SELECT $1::text COLLATE "C" AS kind, $2::text COLLATE "C" AS email, $3::uuid AS user_id,
       $4::uuid AS organization_id, $5::text, left($6::text, 200), $7::jsonb, $8::timestamptz AS created_at) AS j
     WHERE NOT ${isTooMany("true")}`,
    [
      kind,
      email,
      userId,
      organizationId,
      tokenSealed,
      address,
      details ? JSON.stringify(details) : null,
      now.toISOString(),
    ],
  );
  return added > 0;
}

/** A claimed e-mail. */
export interface MailJobRow extends Omit<NewMailJob, "organizationId" | "now"> {
  readonly id: string;
  readonly createdAt: Date;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  /** True if concurrent requests queued more than the limits allow. It must then not be sent. */
  readonly isTooMany: boolean;
}

/** Claims up to `max` due e-mails and schedules their next attempts. Concurrent processes claim different ones. */
export async function claimMailJobs(database: Database, max: number, now: Date): Promise<MailJobRow[]> {
  const time = now.toISOString();
  // Checked first, because usually nothing is due, and a writing transaction would be wasted.
  const isAnyDue = `SELECT FROM mail_jobs WHERE next_at <= $1::timestamptz AND NOT ${IS_SUBSCRIBER} LIMIT 1`;
  if ((await database.select(isAnyDue, [time])).length === 0) return [];
  return write(database, "serve", (sql) =>
    sql.query<MailJobRow>(
      `WITH due AS (SELECT id FROM mail_jobs WHERE next_at <= $1::timestamptz ORDER BY next_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       UPDATE mail_jobs AS j SET attempts = j.attempts + 1,
         next_at = $1::timestamptz + ($3::integer[])[least(j.attempts + 1, $4)] * interval '1 minute'
       FROM due WHERE j.id = due.id
       RETURNING j.id, j.kind, j.email, j.user_id AS "userId", j.token_sealed AS "tokenSealed", j.address, j.details,
         j.created_at AS "createdAt", j.attempts, ${isTooMany("(o.created_at, o.id) < (j.created_at, j.id)")} AS "isTooMany"`,
      [time, max, [...RETRY_DELAYS_MINUTES], RETRY_DELAYS_MINUTES.length],
    ),
  );
}

/** Stores the result of an attempt. Without an error, the e-mail was sent. `isOver` prevents further attempts. */
export async function settleMailJob(
  database: Database,
  id: string,
  { error, isOver, now }: { error: string | null; isOver: boolean; now: Date },
): Promise<void> {
  await write(database, "serve", (sql) =>
    sql.execute(
      `UPDATE mail_jobs SET error = $2::text, sent_at = CASE WHEN $2::text IS NULL THEN $3::timestamptz END,
         next_at = CASE WHEN NOT $4 THEN next_at END, token_sealed = CASE WHEN NOT $4 THEN token_sealed END
       WHERE id = $1::uuid AND next_at IS NOT NULL`,
      [id, error && cutText(error, TEXT_LIMITS.name), now.toISOString(), isOver],
    ),
  );
}

/** Returns true unless an e-mail has since been sent, abandoned or cancelled. */
export async function isMailWaiting(sql: SqlSession, id: string): Promise<boolean> {
  const rows = await sql.query("SELECT FROM mail_jobs WHERE id = $1::uuid AND next_at IS NOT NULL", [id]);
  return rows.length > 0;
}

/** Cancels a user's queued e-mails that confirm a new address. */
export async function cancelChangeMails(sql: SqlSession, userId: string): Promise<void> {
  await sql.execute(
    "UPDATE mail_jobs SET next_at = NULL, token_sealed = NULL WHERE user_id = $1::uuid AND kind = 'change' AND next_at IS NOT NULL",
    [userId],
  );
}

/**
 * Finds the time until which mailed links set no password of a user: that of the link that is then mailed. Null without
 * one.
 */
export async function findPasswordHold(
  sql: Pick<SqlSession, "query">,
  userId: string,
  now: Date,
): Promise<Date | null> {
  const [job] = await sql.query<{ nextAt: Date }>(
    `SELECT next_at AS "nextAt" FROM mail_jobs WHERE user_id = $1::uuid AND kind = 'reset' AND next_at > $2::timestamptz
       AND created_at > $2::timestamptz ORDER BY next_at LIMIT 1`,
    [userId, now.toISOString()],
  );
  return job?.nextAt ?? null;
}

/** Ends that wait. */
export async function endPasswordHold(sql: SqlSession, userId: string, now: Date): Promise<void> {
  await sql.execute(
    `UPDATE mail_jobs SET next_at = NULL WHERE user_id = $1::uuid AND kind = 'reset' AND next_at > $2::timestamptz
       AND created_at > $2::timestamptz`,
    [userId, now.toISOString()],
  );
}
