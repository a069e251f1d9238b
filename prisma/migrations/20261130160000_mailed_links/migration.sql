-- An account without a confirmed address is restricted from this time; null: from its beginning. The default is for accounts from
-- before this migration alone.
ALTER TABLE "users" ADD COLUMN "confirmation_due_at" TIMESTAMPTZ(3) DEFAULT now() + interval '30 days';
ALTER TABLE "users" ALTER COLUMN "confirmation_due_at" DROP DEFAULT;
ALTER TABLE "users" ADD CONSTRAINT "users_confirmation_due_at_range"
    CHECK ("confirmation_due_at" >= '0001-01-01 00:00:00Z' AND "confirmation_due_at" < '10000-01-01 00:00:00Z');

-- Links that reset a password, confirm the new address of an account, and cancel that change.
ALTER TABLE "mail_links" DROP CONSTRAINT "mail_links_kind_known";
ALTER TABLE "mail_links" ADD CONSTRAINT "mail_links_kind_known"
    CHECK ("kind" IN ('confirm', 'notifications', 'reset', 'change', 'cancel'));
CREATE INDEX "mail_links_email_idx" ON "mail_links"(lower("email"));

-- A link that depends on the account is created when the e-mail is sent, so its job has no token.
ALTER TABLE "mail_jobs" ADD COLUMN "address" TEXT COLLATE "C";
ALTER TABLE "mail_jobs" ADD CONSTRAINT "mail_jobs_address_length" CHECK (char_length("address") <= 200);
ALTER TABLE "mail_jobs" DROP CONSTRAINT "mail_jobs_kind_known";
ALTER TABLE "mail_jobs" ADD CONSTRAINT "mail_jobs_kind_known" CHECK ("kind" IN ('confirm', 'verifier', 'invitation', 'reset', 'change',
    'cancel', 'address_changed', 'address_used', 'password_changed'));
ALTER TABLE "mail_jobs" DROP CONSTRAINT "mail_jobs_next_or_done";
ALTER TABLE "mail_jobs" ADD CONSTRAINT "mail_jobs_next_or_done" CHECK ("next_at" IS NOT NULL OR "token_sealed" IS NULL);

-- The token of the link that was mailed, which confirms the address. The inviter sees the other one.
ALTER TABLE "invitations" ADD COLUMN "mail_token_hash" TEXT COLLATE "C";
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_mail_token_hash_form" CHECK ("mail_token_hash" ~ '^[0-9a-f]{64}$');
CREATE UNIQUE INDEX "invitations_mail_token_hash_key" ON "invitations"("mail_token_hash");
DROP TRIGGER "invitations_audit_insert" ON "invitations";
DROP TRIGGER "invitations_audit_update" ON "invitations";
DROP TRIGGER "invitations_audit_delete" ON "invitations";
DROP TRIGGER "invitations_audit_truncate" ON "invitations";
SELECT audit_attach('invitations', '{"noun": "invitation", "organization": "organization_id", "key": ["id"],
    "masked": ["email", "token_hash", "mail_token_hash"], "marks": {"accepted_at": ["accepted"], "revoked_at": ["revoked"]}}');

GRANT UPDATE (email, disabled_at) ON users TO gateway_writer;
GRANT INSERT (address), UPDATE (next_at, token_sealed) ON mail_jobs TO gateway_writer;
GRANT INSERT (mail_token_hash) ON invitations TO gateway_writer;

-- Updates of accounts may be named after their address or password.
SELECT audit_allow('email.change_cancelled', 'email.changed', 'email.confirmed', 'email.released', 'password.reset');
DO $$
DECLARE
    known CONSTANT text := 'current_setting(''gateway.action'', true) LIKE noun || ''.%''';
    former CONSTANT text := pg_get_functiondef('audit_record()'::regprocedure);
BEGIN
    IF position(known IN former) = 0 THEN
        RAISE EXCEPTION 'audit_record() is not the function that this migration changes';
    END IF;
    EXECUTE replace(former, known, '(' || known
        || ' OR noun = ''user'' AND current_setting(''gateway.action'', true) ~ ''^(email|password)\.'')');
END $$;

-- A request changes an address only by a used link of the account, and disables an account only to release an address that was
-- never confirmed.
CREATE FUNCTION users_keep_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> 'gateway_writer'
        OR NEW.disabled_at IS NOT DISTINCT FROM OLD.disabled_at AND EXISTS (SELECT FROM mail_links AS l
            WHERE l.user_id = NEW.id AND l.kind IN ('change', 'cancel') AND l.used_at IS NOT NULL AND l.email = NEW.email)
        OR OLD.email_confirmed_at IS NULL AND NEW.disabled_at IS NOT NULL AND NEW.email = NEW.id || '@released.invalid'
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'permission denied for the address or the state of an account' USING ERRCODE = 'insufficient_privilege';
END $$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION users_keep_addresses() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;
REVOKE ALL ON FUNCTION users_keep_addresses() FROM PUBLIC;
CREATE TRIGGER users_keep_addresses BEFORE UPDATE OF email, disabled_at ON users FOR EACH ROW EXECUTE FUNCTION users_keep_addresses();
ALTER TABLE users ENABLE ALWAYS TRIGGER users_keep_addresses;
