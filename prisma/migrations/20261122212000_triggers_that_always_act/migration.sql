-- Triggers act however a table is written: under session_replication_role = replica, in a partition itself, for rows that
-- logical replication brings, and whatever temporary tables the session has.

-- Whether this session applies what logical replication brings.
CREATE FUNCTION is_replicating() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN current_setting('session_replication_role') = 'replica'
        AND EXISTS (SELECT FROM pg_stat_get_subscription(NULL) WHERE pid = pg_backend_pid());
END $$;

-- The argument is the table's name as gateways know it: a partition is announced as its whole table.
CREATE OR REPLACE FUNCTION announce_changes() RETURNS trigger LANGUAGE plpgsql AS $$
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
        PERFORM pg_notify('gateway_changes', TG_ARGV[0] || ' *');
    ELSE
        PERFORM pg_notify('gateway_changes', TG_ARGV[0] || ' ' || owner) FROM unnest(owners) AS owner;
    END IF;
    RETURN NULL;
END $$;

-- The second argument is the column that holds the row's organization; without it the row belongs to no one.
CREATE OR REPLACE FUNCTION announce_changed_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM pg_notify('gateway_changes', TG_ARGV[0] || ' ' || coalesce(to_jsonb(OLD) ->> TG_ARGV[1], '*'));
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM pg_notify('gateway_changes', TG_ARGV[0] || ' ' || coalesce(to_jsonb(NEW) ->> TG_ARGV[1], '*'));
    END IF;
    RETURN NULL;
END $$;

-- What a truncated partition held, its constraint says; a table that is no partition held everything.
CREATE OR REPLACE FUNCTION emission_days_empty() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'DELETE FROM emission_days WHERE ' || coalesce(pg_get_partition_constraintdef(TG_RELID), 'true');
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION credit_batch_apply_movement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        EXECUTE format('UPDATE credit_batches SET %1$I = %1$I - $1 WHERE organization_id = $2 AND id = $3', TG_ARGV[0])
            USING OLD.quantity, OLD.organization_id, OLD.batch_id;
    END IF;
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        EXECUTE format('UPDATE credit_batches SET %1$I = %1$I + $1 WHERE organization_id = $2 AND id = $3', TG_ARGV[0])
            USING NEW.quantity, NEW.organization_id, NEW.batch_id;
    END IF;
    IF TG_OP = 'TRUNCATE' THEN
        EXECUTE format('UPDATE credit_batches SET %1$I = 0 WHERE %1$I <> 0 AND ', TG_ARGV[0])
            || coalesce(pg_get_partition_constraintdef(TG_RELID), 'true');
    END IF;
    RETURN NULL;
END $$;

-- Gives every partition of the gateway's tables the statement triggers of its whole table, which fire for statements that
-- name the table alone. Run it after attaching or creating partitions. A partition that is detached keeps its triggers,
-- and they do nothing.
CREATE FUNCTION watch_partitions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    part record;
    parts text[];
BEGIN
    FOR part IN
        SELECT tree.relid::regclass AS name, root.oid::regclass AS root, t.tgname AS trigger,
            pg_get_triggerdef(t.oid, true) AS definition
        FROM pg_class AS root
        CROSS JOIN LATERAL pg_partition_tree(root.oid) AS tree
        JOIN pg_trigger AS t ON t.tgrelid = root.oid AND NOT t.tgisinternal AND t.tgtype & 1 = 0
        WHERE tree.level > 0
            AND EXISTS (SELECT FROM pg_trigger WHERE tgrelid = root.oid AND tgfoid = 'announce_changes'::regproc)
            AND NOT EXISTS (SELECT FROM pg_trigger AS own WHERE own.tgrelid = tree.relid AND own.tgname = t.tgname)
        ORDER BY tree.relid, t.tgname
    LOOP
        parts := regexp_match(replace(part.definition, format(' ON %s ', part.root), format(' ON %s ', part.name)),
            '^(.* FOR EACH STATEMENT)(?: WHEN \((.*)\))? (EXECUTE FUNCTION .*)$');
        EXECUTE format('%s WHEN (pg_partition_root(%L::regclass) = %L::regclass AND (%s)) %s',
            parts[1], part.name, part.root, coalesce(parts[2], 'true'), parts[3]);
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', part.name, part.trigger);
    END LOOP;
END $$;

DO $$
DECLARE
    functions CONSTANT regprocedure[] := ARRAY['announce_changes()', 'announce_changes_to_all()', 'announce_changed_row()',
        'emission_days_empty()', 'emission_days_follow()', 'credit_batch_apply_movement()', 'credit_batch_keep_balance()',
        'key_event_record()', 'key_events_refuse_change()'];
    -- Sums, balances and the key trail come with the rows that replication brings.
    not_replicating CONSTANT text := 'WHEN (current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())';
    part record;
    name text;
    event text;
    key_columns text;
BEGIN
    -- Those of partitions go with those of their tables.
    FOR part IN
        SELECT tgname AS trigger, tgrelid::regclass AS "table" FROM pg_trigger
        WHERE NOT tgisinternal AND tgparentid = 0 AND tgfoid = ANY (functions)
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', part.trigger, part."table");
    END LOOP;

    FOREACH name IN ARRAY ARRAY['facilities', 'emission_records', 'emission_days', 'compliance_statuses',
        'compliance_deadlines', 'credit_batches', 'credit_sales', 'credit_retirements', 'market_prices'] LOOP
        EXECUTE format('CREATE TRIGGER %1$s_announce_insert AFTER INSERT ON %1$I REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes(%1$L)', name);
        EXECUTE format('CREATE TRIGGER %1$s_announce_update AFTER UPDATE ON %1$I REFERENCING NEW TABLE AS added OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes(%1$L)', name);
        EXECUTE format('CREATE TRIGGER %1$s_announce_delete AFTER DELETE ON %1$I REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes(%1$L)', name);
        EXECUTE format('CREATE TRIGGER %1$s_announce_truncate AFTER TRUNCATE ON %1$I
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes(%1$L)', name);
        -- Replication applies rows, for which no statement trigger fires.
        EXECUTE format('CREATE TRIGGER %1$s_announce_row AFTER INSERT OR UPDATE OR DELETE ON %1$I
            FOR EACH ROW EXECUTE FUNCTION announce_changed_row(%1$L, ''organization_id'')', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['benchmarks', 'exchange_feeds'] LOOP
        EXECUTE format('CREATE TRIGGER %1$s_announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %1$I
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes_to_all()', name);
        EXECUTE format('CREATE TRIGGER %1$s_announce_row AFTER INSERT OR UPDATE OR DELETE ON %1$I
            FOR EACH ROW EXECUTE FUNCTION announce_changed_row(%1$L)', name);
    END LOOP;

    -- Every request reads its key and its organization; last_used_at changes all the time, and decides nothing.
    SELECT string_agg(quote_ident(attname), ', ') INTO key_columns FROM pg_attribute
    WHERE attrelid = 'api_keys'::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'last_used_at';
    EXECUTE format('CREATE TRIGGER api_keys_announce_change AFTER DELETE OR UPDATE OF %s ON api_keys
        FOR EACH ROW EXECUTE FUNCTION announce_changed_row(''api_keys'', ''organization_id'')', key_columns);
    EXECUTE format('CREATE TRIGGER api_keys_record AFTER INSERT OR DELETE OR UPDATE OF %s ON api_keys
        FOR EACH ROW %s EXECUTE FUNCTION key_event_record()', key_columns, not_replicating);
    CREATE TRIGGER organizations_announce_change AFTER UPDATE OR DELETE ON organizations
        FOR EACH ROW EXECUTE FUNCTION announce_changed_row('organizations', 'id');
    FOREACH name IN ARRAY ARRAY['api_keys', 'organizations'] LOOP
        EXECUTE format('CREATE TRIGGER %1$s_announce_truncate AFTER TRUNCATE ON %1$I
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes_to_all()', name);
    END LOOP;
    -- Before, while the keys can still be read.
    EXECUTE format('CREATE TRIGGER api_keys_record_truncate BEFORE TRUNCATE ON api_keys
        FOR EACH STATEMENT %s EXECUTE FUNCTION key_event_record()', not_replicating);
    CREATE TRIGGER key_events_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON key_events
        FOR EACH STATEMENT EXECUTE FUNCTION key_events_refuse_change();

    FOREACH event IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE'] LOOP
        EXECUTE format('CREATE TRIGGER emission_records_%s AFTER %s ON emission_records REFERENCING %s
            FOR EACH STATEMENT %s EXECUTE FUNCTION emission_days_follow()', lower(event), event,
            CASE event WHEN 'INSERT' THEN 'NEW TABLE AS added' WHEN 'DELETE' THEN 'OLD TABLE AS removed'
                ELSE 'NEW TABLE AS added OLD TABLE AS removed' END, not_replicating);
    END LOOP;
    EXECUTE format('CREATE TRIGGER emission_records_truncate AFTER TRUNCATE ON emission_records
        FOR EACH STATEMENT %s EXECUTE FUNCTION emission_days_empty()', not_replicating);

    EXECUTE format('CREATE TRIGGER credit_batch_keep_balance BEFORE INSERT OR UPDATE ON credit_batches
        FOR EACH ROW %s EXECUTE FUNCTION credit_batch_keep_balance()', not_replicating);
    FOR name, event IN VALUES ('credit_sales', 'sold'), ('credit_retirements', 'retired') LOOP
        EXECUTE format('CREATE TRIGGER %1$s_move AFTER INSERT OR UPDATE OR DELETE ON %1$I
            FOR EACH ROW %2$s EXECUTE FUNCTION credit_batch_apply_movement(%3$L)', name, not_replicating, event);
        EXECUTE format('CREATE TRIGGER %1$s_truncate AFTER TRUNCATE ON %1$I
            FOR EACH STATEMENT %2$s EXECUTE FUNCTION credit_batch_apply_movement(%3$L)', name, not_replicating, event);
    END LOOP;

    -- The rows of ordinary statements are announced once for the statement.
    FOR part IN
        SELECT tgname AS trigger, tgrelid::regclass AS "table" FROM pg_trigger
        WHERE NOT tgisinternal AND tgparentid = 0 AND tgfoid = ANY (functions)
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE %s TRIGGER %I', part."table",
            CASE WHEN part.trigger LIKE '%\_announce\_row' THEN 'REPLICA' ELSE 'ALWAYS' END, part.trigger);
    END LOOP;
END $$;

-- Temporary tables, types and functions of other schemas would come first otherwise.
DO $$
DECLARE
    pinned regprocedure;
BEGIN
    FOREACH pinned IN ARRAY ARRAY['is_replicating()', 'announce_changes()', 'announce_changes_to_all()',
        'announce_changed_row()', 'credit_batch_keep_balance()', 'credit_batch_apply_movement()', 'emission_days_follow()',
        'emission_days_empty()', 'key_event_values(api_keys)', 'key_event_add(text, api_keys, jsonb, jsonb, text[])',
        'key_event_record()', 'key_events_refuse_change()', 'watch_partitions()']::regprocedure[]
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', pinned, current_schema());
    END LOOP;
END $$;

DO $$ BEGIN
    PERFORM watch_partitions();
END $$;
