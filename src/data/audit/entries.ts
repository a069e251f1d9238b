import type { Database } from "../database/types.js";
import { ENTRY, findHead, ofChain, readChain, type StoredEntry } from "./chain.js";

/** Which entries of a chain are asked for. Whatever is absent leaves out none. */
export interface AuditFilter {
  /** At that time or later. */
  readonly from?: Date;
  /** Before that time. */
  readonly to?: Date;
  /** The id of a person, or a command's name. */
  readonly actor?: string;
  readonly action?: string;
  readonly targetType?: string;
  readonly targetId?: string;
}

/** An entry of the trail, with the name that the person who acted has now. */
export interface AuditEntryRow extends StoredEntry {
  readonly actorName: string | null;
}

const CONDITIONS: Readonly<Record<keyof AuditFilter, (parameter: string) => string>> = {
  from: (parameter) => `e.occurred_at >= ${parameter}::timestamptz`,
  to: (parameter) => `e.occurred_at < ${parameter}::timestamptz`,
  actor: (parameter) => `e.actor_id = ${parameter}`,
  action: (parameter) => `e.action = ${parameter}`,
  targetType: (parameter) => `e.target_type = ${parameter}`,
  targetId: (parameter) => `e.target_id = ${parameter}`,
};

/** At most `limit` entries of an organization's chain, or of the platform's (null), newest first; those before `before`, a number. */
export function listAuditEntries(
  database: Database,
  organizationId: string | null,
  filter: AuditFilter,
  { limit, before = Number.MAX_SAFE_INTEGER }: { readonly limit: number; readonly before?: number },
): Promise<AuditEntryRow[]> {
  const given = (Object.keys(CONDITIONS) as (keyof AuditFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  const conditions = given.map((name, index) => CONDITIONS[name](`$${index + 4}`));
  return database.select<AuditEntryRow>(
    `SELECT ${ENTRY}, u.name AS "actorName" FROM audit_entries AS e
     LEFT JOIN users AS u ON u.id = CASE WHEN e.actor_type = 'user' THEN e.actor_id::uuid END
     WHERE ${[ofChain(organizationId), "e.seq < $2", ...conditions].join(" AND ")}
     ORDER BY e.seq DESC LIMIT $3`,
    [organizationId, before, limit, ...given.map((name) => filter[name])],
  );
}

/** A chain's entries, oldest first, as anybody can check them: `hash` is the SHA-256 of `prev_hash`, a line feed and `entry`. */
export async function* exportChain(
  database: Database,
  organizationId: string | null,
): AsyncGenerator<{ readonly entry: string; readonly prev_hash: string; readonly hash: string }> {
  const head = await findHead(database, organizationId);
  for await (const { entry, prevHash, hash } of readChain(database, organizationId, head?.seq ?? 0)) {
    yield { entry, prev_hash: prevHash, hash };
  }
}
