-- A second factor that is given in a session is announced like the rest of it; only `last_used_at` decides nothing.
DO $$
DECLARE
    columns CONSTANT text := (SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
        WHERE attrelid = 'sessions'::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'last_used_at');
BEGIN
    DROP TRIGGER sessions_announce_change ON sessions;
    EXECUTE format('CREATE TRIGGER sessions_announce_change AFTER DELETE OR UPDATE OF %s ON sessions
        FOR EACH ROW EXECUTE FUNCTION announce_changed_row(''sessions'', ''organization_id'')', columns);
    ALTER TABLE sessions ENABLE ALWAYS TRIGGER sessions_announce_change;
END $$;
