-- What the people who run the platform tell those who use it. It belongs to no organization.

-- `audience` is {"kind": …, "values": […]}: see src/domain/announcements/announcement.ts.
CREATE TABLE "announcements" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "title" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "level" TEXT COLLATE "C" NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3),
    "dismissible" BOOLEAN NOT NULL DEFAULT true,
    "audience" JSONB NOT NULL DEFAULT '{"kind": "all", "values": []}',
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "announcements_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "announcements_title_length" CHECK (char_length("title") BETWEEN 1 AND 1000),
    CONSTRAINT "announcements_body_length" CHECK (char_length("body") BETWEEN 1 AND 4000),
    CONSTRAINT "announcements_level_known" CHECK ("level" IN ('info', 'warning', 'critical')),
    CONSTRAINT "announcements_ends_after_start" CHECK ("ends_at" > "starts_at"),
    CONSTRAINT "announcements_audience_form" CHECK (jsonb_typeof("audience" -> 'kind') = 'string'
        AND jsonb_typeof("audience" -> 'values') = 'array'),
    CONSTRAINT "announcements_starts_at_range" CHECK ("starts_at" >= '0001-01-01 00:00:00Z' AND "starts_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "announcements_ends_at_range" CHECK ("ends_at" >= '0001-01-01 00:00:00Z' AND "ends_at" < '10000-01-01 00:00:00Z')
);

CREATE INDEX "announcements_starts_at_idx" ON "announcements"("starts_at");

CREATE TABLE "announcement_dismissals" (
    "announcement_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "dismissed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "announcement_dismissals_pkey" PRIMARY KEY ("announcement_id", "user_id"),
    CONSTRAINT "announcement_dismissals_announcement_id_fkey" FOREIGN KEY ("announcement_id") REFERENCES "announcements"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "announcement_dismissals_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "announcement_dismissals_dismissed_at_range"
        CHECK ("dismissed_at" >= '0001-01-01 00:00:00Z' AND "dismissed_at" < '10000-01-01 00:00:00Z')
);

CREATE INDEX "announcement_dismissals_user_id_idx" ON "announcement_dismissals"("user_id");

SELECT version_attach('announcements');

-- The lists of src/data/database/grants.ts.
GRANT SELECT ON announcements, announcement_dismissals TO gateway_writer;
GRANT INSERT (title, body, level, starts_at, ends_at, dismissible, audience),
    UPDATE (title, body, level, starts_at, ends_at, dismissible, audience), DELETE ON announcements TO gateway_writer;
GRANT INSERT (announcement_id, user_id, dismissed_at) ON announcement_dismissals TO gateway_writer;

SELECT audit_allow('announcement.created', 'announcement.deleted', 'announcement.updated');
SELECT audit_attach('announcements', '{"noun": "announcement", "key": ["id"]}');
