import {
  ANNOUNCEMENT_LEVELS,
  type AnnouncementLevel,
  type Audience,
} from "../../domain/announcements/announcement.js";
import { type Announcement, Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { countRows, newestFirst, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { mine, own } from "../tenant/sources.js";

export interface AnnouncementRow extends Readonly<Omit<Announcement, "audience" | "level">> {
  readonly level: AnnouncementLevel;
  readonly audience: Audience;
}

/** An announcement as a user sees it. */
export interface ReadAnnouncementRow extends AnnouncementRow {
  /** True if the user has dismissed it. */
  readonly isDismissed: boolean;
}

const COLUMNS = `a.id, a.title, a.body, a.level, a.starts_at AS "startsAt", a.ends_at AS "endsAt", a.dismissible AS "isDismissible",
  a.audience, a.version`;

/** Maximum number of active announcements shown together. */
const MAX_ACTIVE = 20;

const LEVELS = Prisma.raw(ANNOUNCEMENT_LEVELS.map((level) => `'${level}'`).join(", "));

/**
 * Lists the active announcements for a caller with a role (null for an API key), most urgent first, then by latest
 * start. Omits those that the user has dismissed, unless they are critical. With `id`, returns only that announcement,
 * dismissed or not.
 */
export function listActive(
  tenant: TenantReader,
  role: string | null,
  now: Date,
  id: string | null = null,
): Promise<readonly ReadAnnouncementRow[]> {
  const time = Prisma.sql`${now.toISOString()}::timestamptz`;
  return tenant.query<ReadAnnouncementRow>(Prisma.sql`
    SELECT * FROM (
      SELECT ${Prisma.raw(COLUMNS)}, EXISTS (SELECT FROM ${mine.announcement_dismissals} AS d
          WHERE d.announcement_id = a.id) AS "isDismissed"
      FROM ${own.announcements} AS a
      WHERE a.starts_at <= ${time} AND (a.ends_at IS NULL OR a.ends_at > ${time})
        AND (${id}::uuid IS NULL OR a.id = ${id}::uuid)
        AND CASE a.audience ->> 'kind'
          WHEN 'all' THEN true
          WHEN 'roles' THEN a.audience -> 'values' @> to_jsonb(${role}::text)
          WHEN 'regions' THEN EXISTS (SELECT FROM ${own.facilities} AS f
            WHERE a.audience -> 'values' @> to_jsonb(f.country::text))
          ELSE EXISTS (SELECT FROM ${own.organizations} AS o WHERE a.audience -> 'values'
            @> to_jsonb(CASE a.audience ->> 'kind' WHEN 'plans' THEN o.plan::text ELSE o.slug END))
        END
    ) AS active
    WHERE ${id}::uuid IS NOT NULL OR NOT "isDismissed" OR level = 'critical'
    ORDER BY array_position(ARRAY[${LEVELS}], level), "startsAt" DESC, id LIMIT ${MAX_ACTIVE}`);
}

const ALL = {
  select: Prisma.raw(COLUMNS),
  from: Prisma.sql`${own.announcements} AS a`,
  where: [],
  order: newestFirst("a.starts_at", "a.id"),
};

/** Lists every announcement, by start, latest first. */
export const listAnnouncements = (tenant: TenantReader, page: PageRequest): Promise<Page<AnnouncementRow>> =>
  readPage(tenant, ALL, page);

export const countAnnouncements = (tenant: TenantReader): Promise<number> => countRows(tenant, ALL);

/** Fields that a super admin edits. */
export type AnnouncementValues = Omit<AnnouncementRow, "id" | "version">;

const VALUES = "title, body, level, starts_at, ends_at, dismissible, audience";
const PARAMETERS = "$1, $2, $3, $4::timestamptz, $5::timestamptz, $6::boolean, $7::jsonb";
const RETURNING = `RETURNING ${COLUMNS.replaceAll("a.", "")}`;

const parametersOf = ({
  title,
  body,
  level,
  startsAt,
  endsAt,
  isDismissible,
  audience,
}: AnnouncementValues) => [
  title,
  body,
  level,
  startsAt.toISOString(),
  endsAt?.toISOString() ?? null,
  isDismissible,
  JSON.stringify(audience),
];

const requireOne = (rows: readonly AnnouncementRow[]): AnnouncementRow => {
  const [row] = rows;
  if (!row) throw new Error("the database returned no announcement");
  return row;
};

export const insertAnnouncement = async (
  sql: SqlSession,
  values: AnnouncementValues,
): Promise<AnnouncementRow> =>
  requireOne(
    await sql.query<AnnouncementRow>(
      `INSERT INTO announcements (${VALUES}) VALUES (${PARAMETERS}) ${RETURNING}`,
      parametersOf(values),
    ),
  );

/** Locks an announcement until the transaction ends, and returns it; undefined if it does not exist. */
export async function lockAnnouncement(sql: SqlSession, id: string): Promise<AnnouncementRow | undefined> {
  const [row] = await sql.query<AnnouncementRow>(
    `SELECT ${COLUMNS} FROM announcements AS a WHERE a.id = $1::uuid FOR UPDATE`,
    [id],
  );
  return row;
}

/** Changes an existing announcement. */
export const updateAnnouncement = async (
  sql: SqlSession,
  id: string,
  values: AnnouncementValues,
): Promise<AnnouncementRow> =>
  requireOne(
    await sql.query<AnnouncementRow>(
      `UPDATE announcements SET (${VALUES}) = (${PARAMETERS}) WHERE id = $8::uuid ${RETURNING}`,
      [...parametersOf(values), id],
    ),
  );

export const removeAnnouncement = (sql: SqlSession, id: string): Promise<number> =>
  sql.execute("DELETE FROM announcements WHERE id = $1::uuid", [id]);

/** Records that a user has dismissed an announcement. A second dismissal changes nothing. */
export const insertDismissal = (sql: SqlSession, id: string, userId: string, now: Date): Promise<number> =>
  sql.execute(
    `INSERT INTO announcement_dismissals (announcement_id, user_id, dismissed_at) VALUES ($1::uuid, $2::uuid, $3::timestamptz)
     ON CONFLICT DO NOTHING`,
    [id, userId, now.toISOString()],
  );
