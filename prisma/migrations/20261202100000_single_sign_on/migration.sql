-- The identity provider (OpenID Connect) of an organization. The client secret is encrypted. People named in `break_glass` sign in
-- without the provider while single sign-on is enforced.
CREATE TABLE "sso_connections" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "issuer" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "client_secret_sealed" TEXT,
    "default_role" TEXT COLLATE "C" NOT NULL,
    "role_claim" TEXT,
    "role_map" JSONB NOT NULL DEFAULT '{}',
    "missing_email_verified" TEXT COLLATE "C" NOT NULL DEFAULT 'refuse',
    "second_factor" TEXT COLLATE "C" NOT NULL DEFAULT 'provider',
    "tested_at" TIMESTAMPTZ(3),
    "tested_by" UUID,
    "enabled_at" TIMESTAMPTZ(3),
    "enforced_at" TIMESTAMPTZ(3),
    "break_glass" UUID[] NOT NULL DEFAULT '{}',
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "sso_connections_pkey" PRIMARY KEY ("organization_id"),
    CONSTRAINT "sso_connections_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "sso_connections_issuer_length" CHECK (char_length("issuer") BETWEEN 1 AND 2000),
    CONSTRAINT "sso_connections_client_id_length" CHECK (char_length("client_id") BETWEEN 1 AND 200),
    CONSTRAINT "sso_connections_default_role_known" CHECK ("default_role" IN ('viewer', 'editor', 'admin')),
    CONSTRAINT "sso_connections_role_claim_length" CHECK (char_length("role_claim") BETWEEN 1 AND 200),
    CONSTRAINT "sso_connections_role_map_form" CHECK (jsonb_typeof("role_map") = 'object'),
    CONSTRAINT "sso_connections_missing_email_verified_known" CHECK ("missing_email_verified" IN ('refuse', 'accept')),
    CONSTRAINT "sso_connections_second_factor_known" CHECK ("second_factor" IN ('provider', 'gateway')),
    CONSTRAINT "sso_connections_enforced_if_enabled" CHECK ("enforced_at" IS NULL OR "enabled_at" IS NOT NULL),
    CONSTRAINT "sso_connections_break_glass_length" CHECK (cardinality("break_glass") <= 2),
    CONSTRAINT "sso_connections_tested_at_range" CHECK ("tested_at" >= '0001-01-01 00:00:00Z' AND "tested_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "sso_connections_enabled_at_range" CHECK ("enabled_at" >= '0001-01-01 00:00:00Z' AND "enabled_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "sso_connections_enforced_at_range" CHECK ("enforced_at" >= '0001-01-01 00:00:00Z' AND "enforced_at" < '10000-01-01 00:00:00Z')
);
CREATE UNIQUE INDEX "sso_connections_id_key" ON "sso_connections"("id");

-- A person as a provider knows them.
CREATE TABLE "identities" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "connection_id" UUID NOT NULL,
    "subject" TEXT COLLATE "C" NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "identities_connection_id_fkey" FOREIGN KEY ("connection_id") REFERENCES "sso_connections"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "identities_subject_length" CHECK (char_length("subject") BETWEEN 1 AND 255),
    CONSTRAINT "identities_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "identities_last_used_at_range" CHECK ("last_used_at" >= '0001-01-01 00:00:00Z' AND "last_used_at" < '10000-01-01 00:00:00Z')
);
CREATE UNIQUE INDEX "identities_connection_id_subject_key" ON "identities"("connection_id", "subject");
CREATE UNIQUE INDEX "identities_connection_id_user_id_key" ON "identities"("connection_id", "user_id");
CREATE INDEX "identities_user_id_idx" ON "identities"("user_id");

-- Sign-ins by a provider, refused ones included, and those of break-glass owners: what the audit trail says of them.
CREATE TABLE "sso_events" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "target_id" UUID NOT NULL,
    "reason" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sso_events_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sso_events_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "sso_events_reason_length" CHECK (char_length("reason") <= 40),
    CONSTRAINT "sso_events_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z')
);
CREATE INDEX "sso_events_created_at_idx" ON "sso_events"("created_at");

-- A session that a provider began is for the provider's organization, until `proved_at`: the person then gave the gateway's own
-- password or factor.
ALTER TABLE "sessions" ADD COLUMN "identity_id" UUID, ADD COLUMN "sso_sid_hash" TEXT COLLATE "C", ADD COLUMN "proved_at" TIMESTAMPTZ(3),
    ADD CONSTRAINT "sessions_identity_id_fkey" FOREIGN KEY ("identity_id") REFERENCES "identities"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    ADD CONSTRAINT "sessions_sso_sid_hash_form" CHECK ("sso_sid_hash" ~ '^[0-9a-f]{64}$'),
    ADD CONSTRAINT "sessions_proved_at_range" CHECK ("proved_at" >= '0001-01-01 00:00:00Z' AND "proved_at" < '10000-01-01 00:00:00Z');
CREATE INDEX "sessions_identity_id_idx" ON "sessions"("identity_id") WHERE "identity_id" IS NOT NULL;

SELECT version_attach('sso_connections');
SELECT policy_attach('sso_connections', 'organization_id');
SELECT policy_attach('sso_events', 'organization_id', '''user '' || target_id = current_setting(''gateway.actor'', true)');

-- The lists of src/data/database/schema/grants.ts.
GRANT SELECT ON sso_connections, identities, sso_events TO gateway_writer;
GRANT INSERT (organization_id, issuer, client_id, client_secret_sealed, default_role, role_claim, role_map, missing_email_verified, second_factor),
    UPDATE (issuer, client_id, client_secret_sealed, default_role, role_claim, role_map, missing_email_verified, second_factor, tested_at,
        tested_by, enabled_at, enforced_at, break_glass), DELETE ON sso_connections TO gateway_writer;
GRANT INSERT (connection_id, subject, user_id, created_at, last_used_at), UPDATE (last_used_at), DELETE ON identities TO gateway_writer;
GRANT INSERT (organization_id, target_id, reason, created_at) ON sso_events TO gateway_writer;
GRANT INSERT (identity_id, sso_sid_hash), UPDATE (proved_at) ON sessions TO gateway_writer;

-- Each event has the name that its writer gives it.
DO $$
DECLARE
    known CONSTANT text := 'current_setting(''gateway.action'', true) LIKE noun || ''.%''';
    former CONSTANT text := pg_get_functiondef('audit_record()'::regprocedure);
BEGIN
    IF position(known IN former) = 0 THEN
        RAISE EXCEPTION 'audit_record() is not the function that this migration changes';
    END IF;
    EXECUTE replace(former, known, known || ' OR noun = ''sso'' AND current_setting(''gateway.action'', true) ~ ''^(account|break_glass)\.''');
END $$;
SELECT audit_allow('account.provisioned', 'break_glass.used', 'sso.created', 'sso.deleted', 'sso.disabled', 'sso.enabled', 'sso.enforced',
    'sso.linked', 'sso.refused', 'sso.released', 'sso.saved', 'sso.signed_in', 'sso.tested', 'sso.updated');
SELECT audit_attach('sso_connections', '{"noun": "sso", "organization": "organization_id", "key": ["id"],
    "masked": ["client_secret_sealed", "role_map"]}');
SELECT audit_attach('sso_events', '{"noun": "sso", "organization": "organization_id", "key": ["target_id"], "untold": ["id", "created_at"]}',
    '{INSERT}');
DROP TRIGGER "sessions_audit_update" ON "sessions";
DROP TRIGGER "sessions_audit_delete" ON "sessions";
DROP TRIGGER "sessions_audit_truncate" ON "sessions";
SELECT audit_attach('sessions', '{"noun": "session", "organization": "organization_id", "key": ["id"], "masked": ["organization_id"],
    "untold": ["token_hash", "token_expires_at", "refresh_hash", "authenticated_at", "factor_at", "proved_at", "sso_sid_hash", "last_used_at", "address", "user_agent"],
    "marks": {"revoked_at": ["ended"]}}', '{UPDATE,DELETE}');

-- Adds to the kinds of e-mails that the present rule knows.
DO $$
DECLARE
    present CONSTANT text := (SELECT pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = 'mail_jobs'::regclass AND conname = 'mail_jobs_kind_known');
BEGIN
    ALTER TABLE mail_jobs DROP CONSTRAINT mail_jobs_kind_known;
    EXECUTE 'ALTER TABLE mail_jobs ADD CONSTRAINT mail_jobs_kind_known '
        || replace(present, 'ARRAY[', 'ARRAY[''sso_required''::text, ''sso_linked''::text, ''break_glass_used''::text, ');
END $$;
