-- The last use of a session decides whether a browser's session has expired. Roles other than the table's owner move it forward
-- alone, and not beyond the database's clock, so none of them can prolong a session that is idle, or end one that is not.
CREATE FUNCTION session_limit_use() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_has_role((SELECT c.relowner FROM pg_class AS c WHERE c.oid = TG_RELID), 'USAGE') THEN
        NEW.last_used_at := greatest(OLD.last_used_at, least(NEW.last_used_at, now()));
    END IF;
    RETURN NEW;
END $$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION session_limit_use() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION session_limit_use() FROM PUBLIC;
    -- These come with the rows that replication brings.
    CREATE TRIGGER sessions_limit_use BEFORE UPDATE OF last_used_at ON sessions FOR EACH ROW
        WHEN (current_setting('session_replication_role') <> 'replica' OR NOT is_replicating())
        EXECUTE FUNCTION session_limit_use();
    ALTER TABLE sessions ENABLE ALWAYS TRIGGER sessions_limit_use;
END $$;
