-- Deliveries take turns by organization, person and host, so that none waits for somebody else's.

-- `host` is that of the webhook. A delivery is in progress until `claimed_until`, or until it is stored how it ended.
ALTER TABLE "outbox" ADD COLUMN "user_id" UUID;
ALTER TABLE "outbox" ADD COLUMN "organization_id" UUID;
ALTER TABLE "outbox" ADD COLUMN "host" TEXT COLLATE "C";
ALTER TABLE "outbox" ADD COLUMN "claimed_until" TIMESTAMPTZ(3);
UPDATE "outbox" AS o SET user_id = n.user_id, organization_id = n.organization_id,
    host = CASE WHEN o.channel = 'webhook'
        THEN left(lower(substring(p.webhook_url FROM '^[^/]*//(?:[^/?#]*@)?([^/:?#]+)')), 200) END
    FROM "notifications" AS n LEFT JOIN "notification_preferences" AS p ON p.user_id = n.user_id
    WHERE n.id = o.notification_id;
ALTER TABLE "outbox" ALTER COLUMN "user_id" SET NOT NULL;
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_host_length" CHECK (char_length("host") <= 200);
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_claimed_until_range"
    CHECK ("claimed_until" >= '0001-01-01 00:00:00Z' AND "claimed_until" < '10000-01-01 00:00:00Z');

CREATE INDEX "outbox_waiting_idx" ON "outbox"("channel", "user_id", "next_at") WHERE "next_at" IS NOT NULL;
CREATE INDEX "outbox_in_progress_idx" ON "outbox"("channel", "claimed_until") WHERE "claimed_until" IS NOT NULL;

-- When something was last delivered for an organization, a person or a host, how often in the hour that began at
-- `hour`, and until when nothing more is, after requests that were not answered in time or too many in the hour.
CREATE TABLE "delivery_turns" (
    "channel" TEXT COLLATE "C" NOT NULL,
    "subject" TEXT COLLATE "C" NOT NULL,
    "served_at" TIMESTAMPTZ(3) NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 0,
    "timeouts" INTEGER NOT NULL DEFAULT 0,
    "paused_until" TIMESTAMPTZ(3),

    CONSTRAINT "delivery_turns_pkey" PRIMARY KEY ("channel", "subject"),
    CONSTRAINT "delivery_turns_channel_known" CHECK ("channel" IN ('email', 'webhook')),
    CONSTRAINT "delivery_turns_subject_form" CHECK ("subject" ~ '^(organization|person|host) \S{1,200}$'),
    CONSTRAINT "delivery_turns_served_at_range" CHECK ("served_at" >= '0001-01-01 00:00:00Z' AND "served_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "delivery_turns_hour_range" CHECK ("hour" >= '0001-01-01 00:00:00Z' AND "hour" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "delivery_turns_paused_until_range"
        CHECK ("paused_until" >= '0001-01-01 00:00:00Z' AND "paused_until" < '10000-01-01 00:00:00Z')
);

CREATE INDEX "delivery_turns_served_at_idx" ON "delivery_turns"("served_at");
CREATE INDEX "delivery_turns_paused_until_idx" ON "delivery_turns"("channel", "paused_until") WHERE "paused_until" IS NOT NULL;

-- What an e-mail says of a notification, without a word of a tenant. `held_back`: so much waited for the person that a
-- delivery was not queued.
ALTER TABLE "notifications" ADD COLUMN "summary" TEXT NOT NULL DEFAULT '';
ALTER TABLE "notifications" ADD COLUMN "held_back" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_summary_length" CHECK (char_length("summary") <= 200);
CREATE INDEX "notifications_held_back_idx" ON "notifications"("created_at") WHERE "held_back";

-- The lists of src/data/database/grants.ts.
GRANT SELECT ON delivery_turns TO gateway_writer;
GRANT INSERT (user_id, organization_id, host) ON outbox TO gateway_writer;
GRANT INSERT (summary, held_back) ON notifications TO gateway_writer;
