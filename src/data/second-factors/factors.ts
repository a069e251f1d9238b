import type { SqlSession } from "../database/types.js";
import type { Account } from "../people/users.js";
import { FACTOR_REQUIRED_FROM } from "./policy.js";

/** A user's second factors, and the state of the account that decisions about them need. */
export interface Factors {
  readonly passwordHash: string | null;
  readonly disabledAt: Date | null;
  readonly isSuperAdmin: boolean;
  readonly webauthnHandle: string | null;
  readonly recoveryCodesAt: Date | null;
  /** Time until which codes are refused after too many wrong ones; null if they are accepted. */
  readonly lockedUntil: Date | null;
  /** The authenticator app; null without one. */
  readonly totp: {
    readonly secretSealed: string;
    readonly lastStep: number;
    /** Null until its first code is confirmed. Until then, it is not a factor. */
    readonly confirmedAt: Date | null;
  } | null;
  /** Oldest first. */
  readonly passkeys: readonly PasskeyRow[];
  readonly recoveryCodesLeft: number;
  /** Time from which the user must have a second factor; null if never. */
  readonly requiredFrom: Date | null;
}

/** A passkey, as its user sees it. */
export interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly backedUp: boolean;
  /** True if its authenticator verified the user at creation, so that it alone is enough to sign in. */
  readonly userVerified: boolean;
  readonly credentialId: string;
  readonly transports: readonly string[];
}

/** Number of wrong codes that lock the codes, and the interval they are counted in. */
const LIMITS = [
  [5, "15 minutes"],
  [20, "1 day"],
] as const;

/** SQL for the time until which codes of the user `u` are refused; null if they are accepted at the time $2. */
const LOCKED_UNTIL = `(SELECT max(l.until) FROM (${LIMITS.map(
  ([max, interval]) =>
    `(SELECT f + interval '${interval}' AS until FROM unnest(u.factor_failures) AS f ORDER BY f DESC OFFSET ${max - 1} LIMIT 1)`,
).join(" UNION ALL ")}) AS l WHERE l.until > $2::timestamptz)`;

type FactorsRow = Omit<Factors, "totp" | "passkeys"> & {
  readonly secretSealed: string | null;
  readonly lastStep: string | null;
  readonly confirmedAt: Date | null;
};

/** Reads a user's second factors; null for an unknown user. If a decision depends on them, lock the user first. */
export async function readFactors(
  sql: Pick<SqlSession, "query">,
  userId: string,
  now: Date,
): Promise<Factors | null> {
  const [row] = await sql.query<FactorsRow>(
    `SELECT u.password_hash AS "passwordHash", u.disabled_at AS "disabledAt", u.is_super_admin AS "isSuperAdmin",
       u.webauthn_handle AS "webauthnHandle", u.recovery_codes_at AS "recoveryCodesAt", ${LOCKED_UNTIL} AS "lockedUntil",
       ${FACTOR_REQUIRED_FROM} AS "requiredFrom", t.secret_sealed AS "secretSealed", t.last_step::text AS "lastStep", t.confirmed_at AS "confirmedAt",
       (SELECT count(*)::integer FROM recovery_codes AS r WHERE r.user_id = u.id AND r.used_at IS NULL) AS "recoveryCodesLeft"
     FROM users AS u LEFT JOIN totp_secrets AS t ON t.user_id = u.id WHERE u.id = $1::uuid`,
    [userId, now.toISOString()],
  );
  if (!row) return null;
  const { secretSealed, lastStep, confirmedAt, ...rest } = row;
  const totp = secretSealed === null ? null : { secretSealed, lastStep: Number(lastStep), confirmedAt };
  return { ...rest, totp, passkeys: await listPasskeys(sql, userId) };
}

const listPasskeys = (sql: Pick<SqlSession, "query">, userId: string): Promise<PasskeyRow[]> =>
  sql.query<PasskeyRow>(
    `SELECT id, name, created_at AS "createdAt", last_used_at AS "lastUsedAt", backed_up AS "backedUp",
       user_verified AS "userVerified", credential_id AS "credentialId", transports FROM passkeys WHERE user_id = $1::uuid ORDER BY created_at, id`,
    [userId],
  );

/** Returns true if a user has an authenticator app or a passkey. Recovery codes alone are not enough. */
export const hasFactor = ({ totp, passkeys }: Pick<Factors, "totp" | "passkeys">): boolean =>
  (totp !== null && totp.confirmedAt !== null) || passkeys.length > 0;

/** Returns a string that changes with the user's password and factors. A challenge is void once the string changes. */
export const challengeBasisOf = ({
  passwordHash,
  webauthnHandle,
  recoveryCodesAt,
  totp,
  passkeys,
}: Factors): string =>
  JSON.stringify([
    passwordHash,
    webauthnHandle,
    recoveryCodesAt?.toISOString(),
    totp?.confirmedAt ? totp.secretSealed : null,
    passkeys.map(({ id }) => id),
  ]);

/**
 * Updates the time since which a user has had a factor. Call it after every change of the factors. If none is left,
 * also clears the sessions' record of having used one.
 */
export async function updateFactorSince(sql: SqlSession, userId: string, now: Date): Promise<void> {
  const [user] = await sql.query<{ hasFactor: boolean }>(
    `UPDATE users AS u SET factor_since = CASE WHEN f.has THEN coalesce(u.factor_since, $2::timestamptz) END
     FROM (SELECT EXISTS (SELECT FROM totp_secrets WHERE user_id = $1::uuid AND confirmed_at IS NOT NULL)
       OR EXISTS (SELECT FROM passkeys WHERE user_id = $1::uuid) AS has) AS f
     WHERE u.id = $1::uuid RETURNING f.has AS "hasFactor"`,
    [userId, now.toISOString()],
  );
  if (user?.hasFactor === false)
    await sql.execute(
      "UPDATE sessions SET factor_at = NULL WHERE user_id = $1::uuid AND factor_at IS NOT NULL",
      [userId],
    );
}

/** Removes a user's second factors and recovery codes. Returns false if the user had none. */
export async function removeFactors(
  sql: SqlSession,
  { id }: Pick<Account, "id">,
  now: Date,
): Promise<boolean> {
  const counts = [
    await sql.execute("DELETE FROM totp_secrets WHERE user_id = $1::uuid", [id]),
    await sql.execute("DELETE FROM passkeys WHERE user_id = $1::uuid", [id]),
    await sql.execute("DELETE FROM recovery_codes WHERE user_id = $1::uuid", [id]),
  ];
  await updateFactorSince(sql, id, now);
  return counts.some((count) => count > 0);
}

/** Records that the user of a session has just used a second factor. */
export async function recordFactorGiven(sql: SqlSession, sessionId: string, now: Date): Promise<void> {
  await sql.execute("UPDATE sessions SET factor_at = $2::timestamptz WHERE id = $1::uuid", [
    sessionId,
    now.toISOString(),
  ]);
}

/**
 * Records a wrong code; lock the user first. Returns true if there were too many, so that codes are refused from now
 * on.
 */
export async function recordWrongCode(sql: SqlSession, userId: string, now: Date): Promise<boolean> {
  const max = Math.max(...LIMITS.map(([count]) => count));
  const [user] = await sql.query<{ isLocked: boolean }>(
    `UPDATE users AS u SET factor_failures = ARRAY(
       SELECT f FROM unnest(u.factor_failures || $2::timestamptz) AS f ORDER BY f DESC LIMIT ${max})
     WHERE u.id = $1::uuid RETURNING ${LOCKED_UNTIL} IS NOT NULL AS "isLocked"`,
    [userId, now.toISOString()],
  );
  return user?.isLocked ?? false;
}

/** Records that a user's codes were locked, for the audit trail. */
export async function recordCodeLock(sql: SqlSession, userId: string, now: Date): Promise<void> {
  await sql.execute("UPDATE users SET factors_locked_at = $2::timestamptz WHERE id = $1::uuid", [
    userId,
    now.toISOString(),
  ]);
}
