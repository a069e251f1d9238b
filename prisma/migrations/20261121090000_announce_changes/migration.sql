-- Gateways remember answers; so the database tells all of them what has changed, whoever changed it. Each notification
-- on the channel `gateway_changes` is a table's name and the organization whose rows of it changed, or `*` for rows that
-- belong to no one, or to very many.
CREATE FUNCTION announce_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    most_told CONSTANT integer := 100;
    owners uuid[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        owners := ARRAY(SELECT DISTINCT organization_id FROM added LIMIT most_told + 1);
    ELSIF TG_OP = 'DELETE' THEN
        owners := ARRAY(SELECT DISTINCT organization_id FROM removed LIMIT most_told + 1);
    ELSIF TG_OP = 'UPDATE' THEN
        owners := ARRAY(SELECT organization_id FROM added UNION SELECT organization_id FROM removed LIMIT most_told + 1);
    END IF;
    IF TG_OP = 'TRUNCATE' OR cardinality(owners) > most_told OR array_position(owners, NULL) > 0 THEN
        PERFORM pg_notify('gateway_changes', TG_TABLE_NAME || ' *');
    ELSE
        PERFORM pg_notify('gateway_changes', TG_TABLE_NAME || ' ' || owner) FROM unnest(owners) AS owner;
    END IF;
    RETURN NULL;
END $$;

-- Of a table whose rows belong to no one.
CREATE FUNCTION announce_changes_to_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('gateway_changes', TG_TABLE_NAME || ' *');
    RETURN NULL;
END $$;

-- Of one row, whose organization is in the column that the argument names.
CREATE FUNCTION announce_changed_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('gateway_changes', TG_TABLE_NAME || ' ' || (to_jsonb(OLD) ->> TG_ARGV[0]));
    RETURN NULL;
END $$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['facilities', 'emission_records', 'emission_days', 'compliance_statuses',
        'compliance_deadlines', 'credit_batches', 'credit_sales', 'credit_retirements', 'market_prices'] LOOP
        EXECUTE format('CREATE TRIGGER %1$s_announce_insert AFTER INSERT ON %1$I REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes()', name);
        EXECUTE format('CREATE TRIGGER %1$s_announce_update AFTER UPDATE ON %1$I REFERENCING NEW TABLE AS added OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes()', name);
        EXECUTE format('CREATE TRIGGER %1$s_announce_delete AFTER DELETE ON %1$I REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes()', name);
        EXECUTE format('CREATE TRIGGER %1$s_announce_truncate AFTER TRUNCATE ON %1$I
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes()', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['benchmarks', 'exchange_feeds'] LOOP
        EXECUTE format('CREATE TRIGGER %1$s_announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %1$I
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes_to_all()', name);
    END LOOP;
END $$;

-- Every request reads its key and its organization; last_used_at changes all the time, and decides nothing.
CREATE TRIGGER api_keys_announce_change
    AFTER DELETE OR UPDATE OF organization_id, name, hash, tier, scopes, expires_at, revoked_at ON api_keys
    FOR EACH ROW EXECUTE FUNCTION announce_changed_row('organization_id');
CREATE TRIGGER api_keys_announce_truncate AFTER TRUNCATE ON api_keys
    FOR EACH STATEMENT EXECUTE FUNCTION announce_changes_to_all();
CREATE TRIGGER organizations_announce_change AFTER UPDATE OR DELETE ON organizations
    FOR EACH ROW EXECUTE FUNCTION announce_changed_row('id');
CREATE TRIGGER organizations_announce_truncate AFTER TRUNCATE ON organizations
    FOR EACH STATEMENT EXECUTE FUNCTION announce_changes_to_all();

-- DELETE, and not TRUNCATE as before: that is refused while TRUNCATE … CASCADE empties both tables.
CREATE FUNCTION emission_days_empty() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM emission_days;
    RETURN NULL;
END $$;
DROP TRIGGER emission_records_truncate ON emission_records;
CREATE TRIGGER emission_records_truncate AFTER TRUNCATE ON emission_records
    FOR EACH STATEMENT EXECUTE FUNCTION emission_days_empty();
