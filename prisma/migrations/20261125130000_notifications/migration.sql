-- What people are told, and how: what each of them set, the notifications, and their delivery by e-mail and webhook.

-- Each row holds what differs from the defaults of src/domain/notifications/settings.ts. `webhook_secret` is encrypted.
CREATE TABLE "notification_preferences" (
    "user_id" UUID NOT NULL,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "email_address" TEXT COLLATE "C",
    "webhook_url" TEXT,
    "webhook_secret" TEXT COLLATE "C",
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "notification_preferences_pkey" PRIMARY KEY ("user_id"),
    CONSTRAINT "notification_preferences_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "notification_preferences_settings_object" CHECK (jsonb_typeof("settings") = 'object'),
    CONSTRAINT "notification_preferences_email_address_length" CHECK (char_length("email_address") <= 254),
    CONSTRAINT "notification_preferences_webhook_url_length" CHECK (char_length("webhook_url") <= 2000),
    CONSTRAINT "notification_preferences_webhook_secret_form" CHECK ("webhook_secret" ~ '^[A-Za-z0-9_-]{1,200}$')
);

-- `organization_id` is null for what concerns the person alone. `key` names the event: a person is told of it once.
CREATE TABLE "notifications" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "organization_id" UUID,
    "key" TEXT COLLATE "C" NOT NULL,
    "category" TEXT COLLATE "C" NOT NULL,
    "severity" TEXT COLLATE "C" NOT NULL,
    "title" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "link" TEXT COLLATE "C",
    "in_app" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "read_at" TIMESTAMPTZ(3),

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notifications_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "notifications_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "notifications_key_length" CHECK (char_length("key") BETWEEN 1 AND 200),
    CONSTRAINT "notifications_category_known" CHECK ("category" IN
        ('deadline', 'anomaly', 'verification', 'credit', 'market', 'announcement', 'security')),
    CONSTRAINT "notifications_severity_known" CHECK ("severity" IN ('low', 'medium', 'high')),
    CONSTRAINT "notifications_title_length" CHECK (char_length("title") <= 1000),
    CONSTRAINT "notifications_body_length" CHECK (char_length("body") <= 4000),
    CONSTRAINT "notifications_link_length" CHECK (char_length("link") <= 200),
    CONSTRAINT "notifications_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "notifications_read_at_range" CHECK ("read_at" >= '0001-01-01 00:00:00Z' AND "read_at" < '10000-01-01 00:00:00Z')
);

CREATE UNIQUE INDEX "notifications_user_id_key_key" ON "notifications"("user_id", "key");
CREATE INDEX "notifications_user_id_created_at_id_idx" ON "notifications"("user_id", "created_at", "id");
CREATE INDEX "notifications_organization_id_idx" ON "notifications"("organization_id");
-- For the removal of old ones.
CREATE INDEX "notifications_created_at_idx" ON "notifications"("created_at");

-- What is delivered: next tried at `next_at`, which is null when it was delivered or given up, at `done_at`.
CREATE TABLE "outbox" (
    "notification_id" UUID NOT NULL,
    "channel" TEXT COLLATE "C" NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3),
    "done_at" TIMESTAMPTZ(3),
    "error" TEXT,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("notification_id", "channel"),
    CONSTRAINT "outbox_notification_id_fkey" FOREIGN KEY ("notification_id") REFERENCES "notifications"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "outbox_channel_known" CHECK ("channel" IN ('email', 'webhook')),
    CONSTRAINT "outbox_next_or_done" CHECK (("next_at" IS NULL) = ("done_at" IS NOT NULL)),
    CONSTRAINT "outbox_error_length" CHECK (char_length("error") <= 200),
    CONSTRAINT "outbox_next_at_range" CHECK ("next_at" >= '0001-01-01 00:00:00Z' AND "next_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "outbox_done_at_range" CHECK ("done_at" >= '0001-01-01 00:00:00Z' AND "done_at" < '10000-01-01 00:00:00Z')
);

CREATE INDEX "outbox_next_at_idx" ON "outbox"("next_at");
CREATE INDEX "outbox_done_at_idx" ON "outbox"("done_at");

SELECT version_attach('notification_preferences');

-- The lists of src/data/database/grants.ts.
GRANT SELECT ON notification_preferences, notifications, outbox TO gateway_writer;
GRANT INSERT (user_id), UPDATE (settings, email_address, webhook_url, webhook_secret) ON notification_preferences TO gateway_writer;
GRANT INSERT (user_id, organization_id, key, category, severity, title, body, link, in_app, created_at), UPDATE (read_at)
    ON notifications TO gateway_writer;
GRANT INSERT (notification_id, channel, next_at) ON outbox TO gateway_writer;
-- Preferences are their person's: no organization has the id of a person.
SELECT policy_attach('notification_preferences', 'user_id', '''user '' || user_id = current_setting(''gateway.actor'', true)');
-- A notification is read by its person, also one of another organization or of none.
SELECT policy_attach('notifications', 'organization_id',
    'organization_id IS NULL OR ''user '' || user_id = current_setting(''gateway.actor'', true)');

SELECT audit_allow('notification_preferences.created', 'notification_preferences.deleted', 'notification_preferences.updated');
SELECT audit_attach('notification_preferences', '{"noun": "notification_preferences", "key": ["user_id"],
    "masked": ["email_address", "webhook_url", "webhook_secret"]}');
