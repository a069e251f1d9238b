-- E-mails about notifications go to addresses whose owner has opened a link that was sent there.
ALTER TABLE "users" ADD COLUMN "email_confirmed_at" TIMESTAMPTZ(3);
ALTER TABLE "users" ADD CONSTRAINT "users_email_confirmed_at_range"
    CHECK ("email_confirmed_at" >= '0001-01-01 00:00:00Z' AND "email_confirmed_at" < '10000-01-01 00:00:00Z');
-- Of `email_address`, where it is another address than the account's.
ALTER TABLE "notification_preferences" ADD COLUMN "email_confirmed_at" TIMESTAMPTZ(3);
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_email_confirmed_at_range"
    CHECK ("email_confirmed_at" >= '0001-01-01 00:00:00Z' AND "email_confirmed_at" < '10000-01-01 00:00:00Z');

-- The operator vouches for the addresses to which a command has made an invitation or a link.
UPDATE "users" AS u SET email_confirmed_at = now()
    WHERE EXISTS (SELECT FROM "sign_in_links" AS l WHERE l.user_id = u.id AND l.used_at IS NOT NULL)
        OR EXISTS (SELECT FROM "invitations" AS i
            WHERE lower(i.email) = lower(u.email) AND i.accepted_at IS NOT NULL AND i.invited_by IS NULL);

-- Links that were sent to an address. A person has one of each kind; another one replaces it.
CREATE TABLE "mail_links" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "email" TEXT COLLATE "C" NOT NULL,
    "token_hash" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "mail_links_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "mail_links_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "mail_links_kind_known" CHECK ("kind" IN ('confirm', 'notifications')),
    CONSTRAINT "mail_links_email_length" CHECK (char_length("email") <= 254),
    CONSTRAINT "mail_links_token_hash_form" CHECK ("token_hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "mail_links_expires_at_range" CHECK ("expires_at" >= '0001-01-01 00:00:00Z' AND "expires_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "mail_links_used_at_range" CHECK ("used_at" >= '0001-01-01 00:00:00Z' AND "used_at" < '10000-01-01 00:00:00Z')
);

CREATE UNIQUE INDEX "mail_links_user_id_kind_key" ON "mail_links"("user_id", "kind");
CREATE UNIQUE INDEX "mail_links_token_hash_key" ON "mail_links"("token_hash");

-- The lists of src/data/database/grants.ts.
GRANT UPDATE (email_confirmed_at) ON users TO gateway_writer;
GRANT UPDATE (email_confirmed_at) ON notification_preferences TO gateway_writer;
GRANT SELECT, INSERT (user_id, kind, email, token_hash, expires_at), UPDATE (email, token_hash, expires_at, used_at)
    ON mail_links TO gateway_writer;
