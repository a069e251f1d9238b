-- Second factors: authenticator apps (TOTP), passkeys and recovery codes.
ALTER TABLE "users"
    ADD COLUMN "webauthn_handle" TEXT COLLATE "C",
    -- Null for a person without a second factor.
    ADD COLUMN "factor_since" TIMESTAMPTZ(3),
    -- Times of the latest wrong codes, 20 at most.
    ADD COLUMN "factor_failures" TIMESTAMPTZ(3)[] NOT NULL DEFAULT '{}',
    ADD COLUMN "factors_locked_at" TIMESTAMPTZ(3),
    ADD COLUMN "recovery_codes_at" TIMESTAMPTZ(3),
    ADD CONSTRAINT "users_webauthn_handle_form" CHECK ("webauthn_handle" ~ '^[0-9A-Za-z_-]{86}$'),
    ADD CONSTRAINT "users_factor_failures_count" CHECK (cardinality("factor_failures") <= 20),
    ADD CONSTRAINT "users_factor_since_range" CHECK ("factor_since" >= '0001-01-01 00:00:00Z' AND "factor_since" < '10000-01-01 00:00:00Z'),
    ADD CONSTRAINT "users_factors_locked_at_range"
        CHECK ("factors_locked_at" >= '0001-01-01 00:00:00Z' AND "factors_locked_at" < '10000-01-01 00:00:00Z'),
    ADD CONSTRAINT "users_recovery_codes_at_range"
        CHECK ("recovery_codes_at" >= '0001-01-01 00:00:00Z' AND "recovery_codes_at" < '10000-01-01 00:00:00Z');

ALTER TABLE "sessions"
    ADD COLUMN "factor_at" TIMESTAMPTZ(3),
    ADD CONSTRAINT "sessions_factor_at_range" CHECK ("factor_at" >= '0001-01-01 00:00:00Z' AND "factor_at" < '10000-01-01 00:00:00Z');

ALTER TABLE "organizations"
    ADD COLUMN "second_factor_from" TIMESTAMPTZ(3),
    ADD CONSTRAINT "organizations_second_factor_from_range"
        CHECK ("second_factor_from" >= '0001-01-01 00:00:00Z' AND "second_factor_from" < '10000-01-01 00:00:00Z');

CREATE TABLE "totp_secrets" (
    "user_id" UUID NOT NULL,
    "secret_sealed" TEXT COLLATE "C" NOT NULL,
    "last_step" BIGINT NOT NULL DEFAULT 0,
    "confirmed_at" TIMESTAMPTZ(3),

    CONSTRAINT "totp_secrets_pkey" PRIMARY KEY ("user_id"),
    CONSTRAINT "totp_secrets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "totp_secrets_secret_sealed_form" CHECK ("secret_sealed" ~ '^[0-9A-Za-z_-]{1,200}$'),
    CONSTRAINT "totp_secrets_confirmed_at_range" CHECK ("confirmed_at" >= '0001-01-01 00:00:00Z' AND "confirmed_at" < '10000-01-01 00:00:00Z')
);

CREATE TABLE "passkeys" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "credential_id" TEXT COLLATE "C" NOT NULL,
    "public_key" TEXT COLLATE "C" NOT NULL,
    "counter" BIGINT NOT NULL,
    "transports" TEXT[] COLLATE "C" NOT NULL,
    "backed_up" BOOLEAN NOT NULL,
    -- Whether the authenticator verified its person when it made the key: only then the key can sign in alone.
    "user_verified" BOOLEAN NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    -- When the key was last refused because its counter went back, as that of a copy does.
    "refused_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkeys_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "passkeys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "passkeys_credential_id_form" CHECK ("credential_id" ~ '^[0-9A-Za-z_-]{1,200}' AND char_length("credential_id") <= 1400),
    CONSTRAINT "passkeys_public_key_form" CHECK ("public_key" ~ '^[0-9A-Za-z_-]{1,200}' AND char_length("public_key") <= 2000),
    CONSTRAINT "passkeys_transports_count" CHECK (cardinality("transports") <= 10),
    CONSTRAINT "passkeys_name_length" CHECK (char_length("name") <= 200),
    CONSTRAINT "passkeys_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "passkeys_last_used_at_range" CHECK ("last_used_at" >= '0001-01-01 00:00:00Z' AND "last_used_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "passkeys_refused_at_range" CHECK ("refused_at" >= '0001-01-01 00:00:00Z' AND "refused_at" < '10000-01-01 00:00:00Z')
);

CREATE UNIQUE INDEX "passkeys_credential_id_key" ON "passkeys"("credential_id");
CREATE INDEX "passkeys_user_id_created_at_idx" ON "passkeys"("user_id", "created_at");

CREATE TABLE "recovery_codes" (
    "user_id" UUID NOT NULL,
    "code_hash" TEXT COLLATE "C" NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("code_hash"),
    CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "recovery_codes_code_hash_form" CHECK ("code_hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "recovery_codes_used_at_range" CHECK ("used_at" >= '0001-01-01 00:00:00Z' AND "used_at" < '10000-01-01 00:00:00Z')
);

CREATE INDEX "recovery_codes_user_id_idx" ON "recovery_codes"("user_id");

-- Hashes of sealed tokens that were used, until they would have expired.
CREATE TABLE "spent_tokens" (
    "hash" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "spent_tokens_pkey" PRIMARY KEY ("hash"),
    CONSTRAINT "spent_tokens_hash_form" CHECK ("hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "spent_tokens_expires_at_range" CHECK ("expires_at" >= '0001-01-01 00:00:00Z' AND "expires_at" < '10000-01-01 00:00:00Z')
);

CREATE INDEX "spent_tokens_expires_at_idx" ON "spent_tokens"("expires_at");

-- Adds to the kinds of e-mails that the present rule knows.
DO $$
DECLARE
    present CONSTANT text := (SELECT pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = 'mail_jobs'::regclass AND conname = 'mail_jobs_kind_known');
BEGIN
    ALTER TABLE mail_jobs DROP CONSTRAINT mail_jobs_kind_known;
    EXECUTE 'ALTER TABLE mail_jobs ADD CONSTRAINT mail_jobs_kind_known ' || replace(present, 'ARRAY[', 'ARRAY[''factor_added''::text,
        ''factor_removed''::text, ''factor_reset''::text, ''factor_required''::text, ''recovery_code_used''::text, ''codes_wrong''::text,
        ''passkey_refused''::text, ');
END $$;

-- The lists of src/data/database/grants.ts.
GRANT UPDATE (webauthn_handle, factor_since, factor_failures, factors_locked_at, recovery_codes_at) ON users TO gateway_writer;
GRANT INSERT (factor_at), UPDATE (factor_at) ON sessions TO gateway_writer;
GRANT UPDATE (second_factor_from) ON organizations TO gateway_writer;
GRANT SELECT, INSERT (user_id, secret_sealed), UPDATE (secret_sealed, last_step, confirmed_at), DELETE ON totp_secrets TO gateway_writer;
GRANT SELECT, INSERT (user_id, credential_id, public_key, counter, transports, backed_up, user_verified, name, created_at),
    UPDATE (counter, backed_up, name, last_used_at, refused_at), DELETE ON passkeys TO gateway_writer;
GRANT SELECT, INSERT (user_id, code_hash), UPDATE (used_at), DELETE ON recovery_codes TO gateway_writer;
GRANT SELECT, INSERT (hash, expires_at) ON spent_tokens TO gateway_writer;

SELECT audit_allow('factor.added', 'factor.created', 'factor.deleted', 'factor.locked', 'factor.removed', 'factor.reset', 'factor.updated',
    'password.removed', 'policy.changed', 'recovery_codes.created', 'recovery_codes.used');
DROP TRIGGER "users_audit_insert" ON "users";
DROP TRIGGER "users_audit_update" ON "users";
DROP TRIGGER "users_audit_delete" ON "users";
DROP TRIGGER "users_audit_truncate" ON "users";
SELECT audit_attach('users', '{"noun": "user", "key": ["id"], "masked": ["email", "name", "password_hash"],
    "untold": ["webauthn_handle", "factor_since", "factor_failures"], "marks": {"disabled_at": ["disabled", "enabled"]}}');
DROP TRIGGER "sessions_audit_update" ON "sessions";
DROP TRIGGER "sessions_audit_delete" ON "sessions";
DROP TRIGGER "sessions_audit_truncate" ON "sessions";
SELECT audit_attach('sessions', '{"noun": "session", "organization": "organization_id", "key": ["id"], "masked": ["organization_id"],
    "untold": ["token_hash", "token_expires_at", "refresh_hash", "authenticated_at", "factor_at", "last_used_at", "address", "user_agent"],
    "marks": {"revoked_at": ["ended"]}}', '{UPDATE,DELETE}');
-- A secret counts from its confirmation.
SELECT audit_attach('totp_secrets', '{"noun": "factor", "key": ["user_id"], "untold": ["secret_sealed", "last_step"],
    "marks": {"confirmed_at": ["added", "removed"]}}', '{UPDATE,DELETE}');
SELECT audit_attach('passkeys', '{"noun": "factor", "key": ["id"], "masked": ["name"],
    "untold": ["credential_id", "public_key", "counter", "transports", "backed_up", "last_used_at"]}');
SELECT audit_attach('recovery_codes', '{"noun": "recovery_codes", "key": ["user_id"], "untold": ["code_hash"],
    "marks": {"used_at": ["used"]}}', '{UPDATE}');

-- Factors are named when they come and go, too; changes of accounts and organizations may be named after what was decided.
DO $$
DECLARE
    former CONSTANT text := pg_get_functiondef('audit_record()'::regprocedure);
    changed text := former;
    part text[];
BEGIN
    FOREACH part SLICE 1 IN ARRAY ARRAY[
        ['OR noun IN (''domain'', ''sso''))', 'OR noun IN (''domain'', ''factor'', ''sso''))'],
        ['''^(email|password)\.''', '''^(email|factor|password|recovery_codes)\.'''
            || ' OR noun = ''organization'' AND current_setting(''gateway.action'', true) LIKE ''policy.%''']
    ] LOOP
        IF position(part[1] IN changed) = 0 THEN
            RAISE EXCEPTION 'audit_record() is not the function that this migration changes';
        END IF;
        changed := replace(changed, part[1], part[2]);
    END LOOP;
    EXECUTE changed;
END $$;
