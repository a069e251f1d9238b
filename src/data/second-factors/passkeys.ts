import type { Database, SqlSession } from "../database/types.js";
import { isUniqueViolation } from "../database/unique-violation.js";
import type { PasskeyRow } from "./factors.js";

/** The stored data for verifying a passkey's signatures. */
export interface StoredPasskey {
  readonly id: string;
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly userVerified: boolean;
}

/** Finds a passkey by its WebAuthn credential id; null if it does not exist. */
export async function findPasskey(
  reader: Pick<Database, "select">,
  credentialId: string,
): Promise<StoredPasskey | null> {
  const [row] = await reader.select<Omit<StoredPasskey, "counter"> & { counter: string }>(
    `SELECT id, user_id AS "userId", credential_id AS "credentialId", public_key AS "publicKey", counter::text AS counter,
       user_verified AS "userVerified" FROM passkeys WHERE credential_id = $1`,
    [credentialId],
  );
  return row ? { ...row, counter: Number(row.counter) } : null;
}

export interface NewPasskey extends Omit<StoredPasskey, "id"> {
  readonly transports: readonly string[];
  readonly backedUp: boolean;
  readonly name: string;
}

/** Adds a passkey, and returns its id. Null if the credential exists; the transaction has then failed. */
export async function insertPasskey(sql: SqlSession, passkey: NewPasskey, now: Date): Promise<string | null> {
  const { userId, credentialId, publicKey, counter, transports, backedUp, userVerified, name } = passkey;
  try {
    const [row] = await sql.query<{ id: string }>(
      `INSERT INTO passkeys (user_id, credential_id, public_key, counter, transports, backed_up, user_verified, name, created_at)
       VALUES ($1::uuid, $2, $3, $4::bigint, $5::text[], $6, $7, $8, $9::timestamptz) RETURNING id`,
      [userId, credentialId, publicKey, counter, transports, backedUp, userVerified, name, now.toISOString()],
    );
    return row?.id ?? null;
  } catch (error) {
    if (isUniqueViolation(error)) return null;
    throw error;
  }
}

/** Stores a user's WebAuthn handle, unless one is already stored. */
export async function storeHandle(sql: SqlSession, userId: string, handle: string): Promise<void> {
  await sql.execute("UPDATE users SET webauthn_handle = $2 WHERE id = $1::uuid AND webauthn_handle IS NULL", [
    userId,
    handle,
  ]);
}

/** Records the use of a passkey. */
export async function recordPasskeyUse(
  sql: SqlSession,
  id: string,
  { counter, backedUp }: Pick<NewPasskey, "counter" | "backedUp">,
  now: Date,
): Promise<void> {
  await sql.execute(
    "UPDATE passkeys SET counter = $2::bigint, backed_up = $3, last_used_at = $4::timestamptz WHERE id = $1::uuid",
    [id, counter, backedUp, now.toISOString()],
  );
}

/** Records that a passkey was refused because its counter went backwards. */
export async function recordPasskeyRefusal(sql: SqlSession, id: string, now: Date): Promise<void> {
  await sql.execute("UPDATE passkeys SET refused_at = $2::timestamptz WHERE id = $1::uuid", [
    id,
    now.toISOString(),
  ]);
}

/** Renames a user's passkey. Returns false if it does not exist. */
export async function renamePasskey(
  sql: SqlSession,
  userId: string,
  { id, name }: Pick<PasskeyRow, "id" | "name">,
): Promise<boolean> {
  const renamed = await sql.execute(
    "UPDATE passkeys SET name = $3 WHERE id = $2::uuid AND user_id = $1::uuid",
    [userId, id, name],
  );
  return renamed > 0;
}

/** Removes a user's passkey. Returns false if it does not exist. */
export async function deletePasskey(sql: SqlSession, userId: string, id: string): Promise<boolean> {
  const deleted = await sql.execute("DELETE FROM passkeys WHERE id = $2::uuid AND user_id = $1::uuid", [
    userId,
    id,
  ]);
  return deleted > 0;
}
