-- A user of a directory has another version whenever somebody else changes the account. Changes by the directory itself count
-- theirs once.
CREATE FUNCTION directory_users_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    UPDATE directory_users AS d SET updated_at = CURRENT_TIMESTAMP
    WHERE d.user_id = NEW.id AND NOT (current_setting('gateway.actor', true) LIKE 'service_account %'
        AND d.organization_id = nullif(current_setting('gateway.organization', true), '')::uuid);
    RETURN NULL;
END $$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION directory_users_follow() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION directory_users_follow() FROM PUBLIC;
END $$;
-- Versions come with the rows that replication brings.
CREATE TRIGGER users_directory_follow AFTER UPDATE OF name, email, disabled_at ON users FOR EACH ROW
    WHEN ((OLD.name, OLD.email, OLD.disabled_at) IS DISTINCT FROM (NEW.name, NEW.email, NEW.disabled_at)
        AND (current_setting('session_replication_role') <> 'replica' OR NOT is_replicating()))
    EXECUTE FUNCTION directory_users_follow();
ALTER TABLE users ENABLE ALWAYS TRIGGER users_directory_follow;

-- A version says nothing that the trail does not have: members of a group have entries of their own.
DROP TRIGGER "directory_users_audit_insert" ON "directory_users";
DROP TRIGGER "directory_users_audit_update" ON "directory_users";
DROP TRIGGER "directory_users_audit_delete" ON "directory_users";
DROP TRIGGER "directory_users_audit_truncate" ON "directory_users";
SELECT audit_attach('directory_users', '{"noun": "directory_user", "organization": "organization_id", "key": ["user_id"],
    "masked": ["user_name", "external_id", "given_name", "family_name"], "untold": ["version", "created_at", "updated_at"]}');
DROP TRIGGER "directory_groups_audit_insert" ON "directory_groups";
DROP TRIGGER "directory_groups_audit_update" ON "directory_groups";
DROP TRIGGER "directory_groups_audit_delete" ON "directory_groups";
DROP TRIGGER "directory_groups_audit_truncate" ON "directory_groups";
SELECT audit_attach('directory_groups', '{"noun": "directory_group", "organization": "organization_id", "key": ["id"],
    "masked": ["external_id"], "untold": ["version", "created_at", "updated_at"]}');
