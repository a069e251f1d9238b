-- Single e-mails with a link, which are not notifications. Their texts are fixed; `kind` names the text.
CREATE TABLE "mail_jobs" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "kind" TEXT COLLATE "C" NOT NULL,
    "email" TEXT COLLATE "C" NOT NULL,
    "user_id" UUID,
    "organization_id" UUID,
    "token_sealed" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "error" TEXT,

    CONSTRAINT "mail_jobs_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "mail_jobs_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "mail_jobs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "mail_jobs_kind_known" CHECK ("kind" IN ('confirm', 'verifier')),
    CONSTRAINT "mail_jobs_email_length" CHECK (char_length("email") <= 254),
    CONSTRAINT "mail_jobs_token_sealed_form" CHECK ("token_sealed" ~ '^[A-Za-z0-9_-]{1,200}$'),
    -- Once it was sent or given up, the token is of no use here.
    CONSTRAINT "mail_jobs_next_or_done" CHECK (("next_at" IS NULL) = ("token_sealed" IS NULL)),
    CONSTRAINT "mail_jobs_error_length" CHECK (char_length("error") <= 200),
    CONSTRAINT "mail_jobs_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "mail_jobs_next_at_range" CHECK ("next_at" >= '0001-01-01 00:00:00Z' AND "next_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "mail_jobs_sent_at_range" CHECK ("sent_at" >= '0001-01-01 00:00:00Z' AND "sent_at" < '10000-01-01 00:00:00Z')
);

CREATE INDEX "mail_jobs_next_at_idx" ON "mail_jobs"("next_at");
-- For the bounds on how many are sent.
CREATE INDEX "mail_jobs_email_created_at_idx" ON "mail_jobs"(lower("email"), "created_at");
CREATE INDEX "mail_jobs_user_id_created_at_idx" ON "mail_jobs"("user_id", "created_at");
CREATE INDEX "mail_jobs_organization_id_created_at_idx" ON "mail_jobs"("organization_id", "created_at");
CREATE INDEX "mail_jobs_created_at_idx" ON "mail_jobs"("created_at");

-- The lists of src/data/database/grants.ts.
GRANT SELECT, INSERT (kind, email, user_id, organization_id, token_sealed, created_at, next_at) ON mail_jobs TO gateway_writer;
SELECT policy_attach('mail_jobs', 'organization_id', 'organization_id IS NULL');
