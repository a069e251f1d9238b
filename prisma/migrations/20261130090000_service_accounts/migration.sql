-- Service accounts: members of an organization that are not persons. They sign in with tokens, of which only a hash is stored.

CREATE TABLE "service_accounts" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" "member_role" NOT NULL,
    "scopes" TEXT[] NOT NULL,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "service_accounts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "service_accounts_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "service_accounts_name_length" CHECK (char_length("name") BETWEEN 1 AND 200),
    CONSTRAINT "service_accounts_role_known" CHECK ("role" <> 'owner'),
    CONSTRAINT "service_accounts_scopes_given" CHECK (cardinality("scopes") BETWEEN 1 AND 100),
    CONSTRAINT "service_accounts_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "service_accounts_revoked_at_range" CHECK ("revoked_at" >= '0001-01-01 00:00:00Z' AND "revoked_at" < '10000-01-01 00:00:00Z')
);
CREATE INDEX "service_accounts_organization_id_created_at_idx" ON "service_accounts"("organization_id", "created_at");

CREATE TABLE "service_account_tokens" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "service_account_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "pepper" TEXT NOT NULL,
    "display" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "service_account_tokens_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "service_account_tokens_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "service_account_tokens_service_account_id_fkey" FOREIGN KEY ("service_account_id") REFERENCES "service_accounts"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "service_account_tokens_hash_length" CHECK (char_length("hash") BETWEEN 1 AND 200),
    CONSTRAINT "service_account_tokens_pepper_length" CHECK (char_length("pepper") <= 200),
    CONSTRAINT "service_account_tokens_display_length" CHECK (char_length("display") <= 200),
    CONSTRAINT "service_account_tokens_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "service_account_tokens_expires_at_range" CHECK ("expires_at" >= '0001-01-01 00:00:00Z' AND "expires_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "service_account_tokens_revoked_at_range" CHECK ("revoked_at" >= '0001-01-01 00:00:00Z' AND "revoked_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "service_account_tokens_last_used_at_range" CHECK ("last_used_at" >= '0001-01-01 00:00:00Z' AND "last_used_at" < '10000-01-01 00:00:00Z')
);
CREATE UNIQUE INDEX "service_account_tokens_hash_key" ON "service_account_tokens"("hash");
CREATE INDEX "service_account_tokens_organization_id_idx" ON "service_account_tokens"("organization_id");
CREATE INDEX "service_account_tokens_service_account_id_idx" ON "service_account_tokens"("service_account_id");

SELECT version_attach('service_accounts');
SELECT announce_attach('service_accounts', true);
-- Every request with a token reads it; last_used_at changes all the time, and decides nothing.
CREATE TRIGGER service_account_tokens_announce_change
    AFTER DELETE OR UPDATE OF id, organization_id, service_account_id, hash, display, created_at, expires_at, revoked_at
    ON service_account_tokens FOR EACH ROW EXECUTE FUNCTION announce_changed_row('service_account_tokens', 'organization_id');
CREATE TRIGGER service_account_tokens_announce_truncate AFTER TRUNCATE ON service_account_tokens
    FOR EACH STATEMENT EXECUTE FUNCTION announce_changes_to_all();
ALTER TABLE service_account_tokens ENABLE ALWAYS TRIGGER service_account_tokens_announce_change;
ALTER TABLE service_account_tokens ENABLE ALWAYS TRIGGER service_account_tokens_announce_truncate;
SELECT policy_attach('service_accounts', 'organization_id');
SELECT policy_attach('service_account_tokens', 'organization_id');

-- The lists of src/data/database/schema/grants.ts.
GRANT SELECT ON service_accounts, service_account_tokens TO gateway_writer;
GRANT INSERT (id, organization_id, name, role, scopes, created_by, created_at),
    UPDATE (name, role, scopes, revoked_at) ON service_accounts TO gateway_writer;
GRANT INSERT (id, organization_id, service_account_id, hash, pepper, display, created_at, expires_at),
    UPDATE (expires_at, revoked_at) ON service_account_tokens TO gateway_writer;

-- A service account may create keys and invitations, too: their creator is a person or a service account. An invitation of an
-- account that is gone is not accepted, and a key names no creator who is gone.
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_created_by_fkey";
ALTER TABLE "invitations" DROP CONSTRAINT "invitations_invited_by_fkey";

SELECT audit_allow('service_account.created', 'service_account.deleted', 'service_account.restored', 'service_account.revoked',
    'service_account.rotated', 'service_account.updated', 'service_account_token.created', 'service_account_token.deleted',
    'service_account_token.restored', 'service_account_token.revoked', 'service_account_token.updated');
SELECT audit_attach('service_accounts', '{"noun": "service_account", "organization": "organization_id", "key": ["id"],
    "untold": ["created_by"], "marks": {"revoked_at": ["revoked", "restored"]}}');
SELECT audit_attach('service_account_tokens', '{"noun": "service_account_token", "organization": "organization_id", "key": ["id"],
    "masked": ["hash", "pepper"], "untold": ["last_used_at"], "marks": {"revoked_at": ["revoked", "restored"]}}');

-- A service account is an actor, next to persons and commands.
ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_actor_type_known";
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_actor_type_known"
    CHECK ("actor_type" IN ('user', 'service_account', 'visitor', 'command', 'sql'));

DO $$
DECLARE
    known CONSTANT text := 'WHEN actor ~ ''^command .'' THEN';
    former CONSTANT text := pg_get_functiondef('audit_record()'::regprocedure);
BEGIN
    IF position(known IN former) = 0 THEN
        RAISE EXCEPTION 'audit_record() is not the function that this migration changes';
    END IF;
    -- The rest of the function is unchanged.
    EXECUTE replace(former, known, 'WHEN actor ~ ''^service_account [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'' '
        || 'THEN jsonb_build_object(''type'', ''service_account'', ''id'', substr(actor, 17)) ' || known);
END $$;
