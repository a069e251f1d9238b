-- The time a change of address was asked for decides what undoing it removes. Null for links of earlier versions.
ALTER TABLE "mail_links"
    ADD COLUMN "created_at" TIMESTAMPTZ(3),
    ADD COLUMN "by_operator" BOOLEAN NOT NULL DEFAULT false,
    ADD CONSTRAINT "mail_links_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z');

-- Links that remove one way in that was added to an account, such as a passkey.
CREATE TABLE "addition_links" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "target_id" UUID NOT NULL,
    "added_at" TIMESTAMPTZ(3) NOT NULL,
    "token_hash" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "addition_links_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "addition_links_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "addition_links_kind_known" CHECK ("kind" IN ('totp', 'passkey', 'recovery_codes', 'identity', 'session')),
    CONSTRAINT "addition_links_token_hash_form" CHECK ("token_hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "addition_links_added_at_range" CHECK ("added_at" >= '0001-01-01 00:00:00Z' AND "added_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "addition_links_expires_at_range" CHECK ("expires_at" >= '0001-01-01 00:00:00Z' AND "expires_at" < '10000-01-01 00:00:00Z')
);

CREATE UNIQUE INDEX "addition_links_token_hash_key" ON "addition_links"("token_hash");
CREATE INDEX "addition_links_user_id_idx" ON "addition_links"("user_id");

-- Kinds and times that an e-mail lists, such as what was removed.
ALTER TABLE "mail_jobs"
    ADD COLUMN "details" JSONB,
    ADD CONSTRAINT "mail_jobs_details_form" CHECK (jsonb_typeof("details") = 'array');

-- Adds to the kinds of e-mails that the present rule knows.
DO $$
DECLARE
    present CONSTANT text := (SELECT pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = 'mail_jobs'::regclass AND conname = 'mail_jobs_kind_known');
BEGIN
    ALTER TABLE mail_jobs DROP CONSTRAINT mail_jobs_kind_known;
    EXECUTE 'ALTER TABLE mail_jobs ADD CONSTRAINT mail_jobs_kind_known ' || replace(present, 'ARRAY[', 'ARRAY[''additions_removed''::text,
        ''change_undone''::text, ''recovery_codes_created''::text, ''sign_in_link_used''::text, ');
END $$;

GRANT INSERT (created_at, by_operator), UPDATE (created_at, by_operator) ON mail_links TO gateway_writer;
GRANT INSERT (details) ON mail_jobs TO gateway_writer;
GRANT SELECT, INSERT (user_id, kind, target_id, added_at, token_hash, expires_at), DELETE ON addition_links TO gateway_writer;
